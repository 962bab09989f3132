"""Long lists by the API and the command line."""
