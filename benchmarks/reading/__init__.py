"""The question `reading`: its contenders, and how often they are asked."""

FUNCTION, BARE, ONE_ITEM, AS_INSTALLED = "function", "bare", "one item", "as installed"
ROUNDS = 21
REQUESTS = 100
"""Requests of a round."""
