"""Capacity of a stack: AWS's published limits, the load of our own calls, and a simulation of both.

`docs/reference/scale.md` is the capacity page; this package generates its tables.
"""
