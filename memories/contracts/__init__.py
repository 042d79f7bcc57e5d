"""What goes in and what comes out, one module per noun, shared by the skins that speak JSON (REST and MCP).

A contract turns JSON into plain values and engine dataclasses, and rows and dataclasses into JSON. It knows types and
shapes; limits and rules are the engine's, and the limits in a schema are there for the reader. No query is made here.
"""
