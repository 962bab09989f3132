"""Memory of a tick, whatever is due."""
