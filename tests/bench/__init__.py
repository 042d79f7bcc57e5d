"""Measures Revell as a tenant grows: `make bench`. What is measured is `measure.py`, with which rows `rows.py`."""
