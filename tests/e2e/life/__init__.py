"""Scenarios of the life of a run, each a function that plays one in a namespace of its own, beside the others."""
