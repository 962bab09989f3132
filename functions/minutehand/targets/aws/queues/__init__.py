"""Targets of type `sqs`: a run sends a message to a queue."""
