"""The functions: each parses its event, calls one use case and renders the answer."""
