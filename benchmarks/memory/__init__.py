"""What a tick takes of memory, however much is due."""
