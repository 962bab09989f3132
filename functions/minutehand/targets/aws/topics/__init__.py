"""Targets of type `sns`: a run publishes a message to a topic."""
