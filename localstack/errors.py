"""What may go wrong on the way up, each as a sentence a user can act on."""


class LocalStackError(Exception):
    """The local stack cannot do what was asked; the text says why, and what would help."""
