"""Building the stack and putting it into an AWS account: what `make build` and `make deploy` run.

The SAM CLI does the work. Around it: questions the first time, checks before anything is built, and plain words about what went
wrong and how to go on.
"""
