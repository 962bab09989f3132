"""The Lambda functions. Each parses its event, calls use cases and returns what they found or did."""
