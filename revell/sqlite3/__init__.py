"""Django's backend for SQLite, in which the write transactions of one process queue."""
