"""Measurements of cost, speed and size: `python -m benchmarks` prints a table for each question."""
