"""Declarations of the fields of everything that is stored or shown, and its conversion to either form."""
