"""Runs a second through the deployed stack, and processor time of the worker."""
