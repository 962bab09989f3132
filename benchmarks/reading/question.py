"""The question `reading`: processor time of `GET` of a job, beside a bare function that reads the same items."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from statistics import median

from localstack.ministack import REGION

from benchmarks import emulators
from benchmarks.machine import FUNCTION_ENVIRONMENT
from benchmarks.reading import AS_INSTALLED, BARE, FUNCTION, ONE_ITEM, REQUESTS, ROUNDS
from benchmarks.table import Table, ratio

MOST = 1.3
_NAMES = {
    FUNCTION: "the API function",
    BARE: "bare: the same items, the same client settings",
    ONE_ITEM: "bare: only the definition, by `GetItem`",
    AS_INSTALLED: "bare: the same items, boto3's own settings",
}


def tables() -> list[Table]:
    """The only table of the question."""
    with emulators.ministack() as url:
        taken = _played(url)
    beside = {name: ratio(taken[FUNCTION], taken[name]) for name in _NAMES}
    return [
        Table(
            title="Processor time of `GET` of a job",
            goal=f"the API function takes ≤ {MOST} times the processor time of a bare function of boto3 that reads the same items and returns the same bytes",
            holds=beside[AS_INSTALLED] <= MOST,
            columns=("what", "µs a request", "the function's ratio to it"),
            rows=tuple((name, median(taken[each]) * 1e6, beside[each]) for each, name in _NAMES.items()),
            notes=(
                (
                    f"Medians of {ROUNDS} rounds in turn, of {REQUESTS} requests each, in one process: the whole handler for an event of API "
                    "Gateway, against MiniStack in another process. The caller's token was read before, as for all requests but one in 30 s."
                ),
                (
                    "The bare function reads the definition, the timer at its two places and the namespace's settings by one `BatchGetItem`, decodes "
                    "nothing, and returns an answer that it knows."
                ),
                (
                    "The goal is judged beside boto3's own settings, with which such a function is written. With the settings of the API function's "
                    "client, which leave out checks of parameters and assemble the User-Agent once, a bare function is quicker, too."
                ),
            ),
        )
    ]


def _played(url: str) -> dict[str, list[float]]:
    jobs_table, runs_table = emulators.empty_tables(emulators.dynamodb(url))
    queue = emulators.sqs(url).create_queue(QueueName="reading")["QueueUrl"]
    environment = FUNCTION_ENVIRONMENT | {
        "AWS_ENDPOINT_URL": url,
        "AWS_DEFAULT_REGION": REGION,
        "JOBS_TABLE": jobs_table,
        "RUNS_TABLE": runs_table,
        "HTTP_QUEUE_URL": queue,
    }
    played = subprocess.run(
        [sys.executable, "-m", "benchmarks.reading.rounds"],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, list[float]] = json.loads(played.stdout.splitlines()[-1])
    return found
