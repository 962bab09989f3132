"""What a function finds in its environment when it is measured in a process of its own; no account and no profile of this machine is in it."""

from __future__ import annotations

import os

FUNCTION = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "POWERTOOLS_SERVICE_NAME": "benchmark",
    "POWERTOOLS_METRICS_NAMESPACE": "Minutehand",
    "JOBS_TABLE": "JobsTable",
    "RUNS_TABLE": "RunsTable",
    "HTTP_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/000000000000/http",
}
