"""Errors of the local stack, each with what to do about it."""


class LocalStackError(Exception):
    """A command of the local stack failed; the text says why and what would help."""
