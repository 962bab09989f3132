"""Targets of type `lambda`: a run invokes a Lambda function."""
