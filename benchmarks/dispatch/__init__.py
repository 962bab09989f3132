"""Dispatching what is due at once: ours, bare calls that carry the same data, and other schedulers."""
