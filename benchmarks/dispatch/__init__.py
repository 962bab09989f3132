"""Processor time and rate of dispatch: Minutehand, bare boto3 calls with the same data, and other schedulers."""
