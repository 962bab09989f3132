"""The whole stack on LocalStack's own code, without Docker."""
