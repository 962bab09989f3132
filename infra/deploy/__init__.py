"""``make build`` and ``make deploy``: the SAM CLI, with checks before it and explained errors after it."""
