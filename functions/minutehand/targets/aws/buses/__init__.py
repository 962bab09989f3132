"""Targets of type `eventbridge`: a run puts an event on a bus."""
