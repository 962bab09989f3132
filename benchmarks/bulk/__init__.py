"""Many jobs applied at once by the command line."""
