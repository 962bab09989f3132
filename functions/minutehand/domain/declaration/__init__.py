"""Declarations of the fields of everything that tables store or the API shows, and conversion to and from both forms."""
