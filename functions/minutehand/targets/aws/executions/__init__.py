"""Targets of type `stepfunctions`: a run starts an execution of a state machine."""
