"""The question `lists`: requests, bytes and seconds of a list of all jobs, by the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from statistics import median
from typing import Any, NamedTuple

from localstack.workspace import StackInfo

from benchmarks import emulators
from benchmarks.deployed_stack import NAMESPACE, deployed
from benchmarks.table import Table
from minutehand.adapters.dynamodb.codecs import definition_codec, keys
from minutehand.client import Client
from minutehand.client.calls import JOBS_AT_ONCE, pages
from minutehand.domain.definition import Definition, Revision
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import compiled
from minutehand.targets.http.fields import HttpTarget

JOBS = 10_000
MOST_REQUESTS = 20
MOST_SECONDS = 5.0
ROUNDS = 3
_A_WRITE = 25
_PROGRAM = "from minutehand.cli.main import main; main()"
COMMANDS: tuple[Sequence[str], ...] = (
    ("list", "-n", NAMESPACE),
    ("list", "-n", NAMESPACE, "-o", "json"),
    ("list", "--all-namespaces", "--label", "tier=1"),
    ("list", "-n", NAMESPACE, "--last"),
)
"""The first is the one of the goal."""


class Listed(NamedTuple):
    """What the API answered to a list of all jobs."""

    requests: int
    size: int


def tables(*, jobs: int = JOBS, rounds: int = ROUNDS) -> list[Table]:
    """All tables of the question."""
    with deployed() as (_, info, client):
        _fill(info, jobs)
        listed = _listed(client)
        seconds = [median(_seconds(info, command) for _ in range(rounds)) for command in COMMANDS]
    return [
        Table(
            title=f"A list of {jobs:,} jobs",
            goal=f"at most {MOST_REQUESTS} requests and {MOST_SECONDS:g} s by the command line",
            holds=listed.requests <= MOST_REQUESTS and seconds[0] <= MOST_SECONDS,
            columns=("command", "s"),
            rows=tuple(
                (f"`minutehand {' '.join(command)}`", taken) for command, taken in zip(COMMANDS, seconds, strict=True)
            ),
            notes=(
                (
                    f"{listed.requests} requests answer {listed.size / 1e6:.1f} MB in all. Medians of {rounds} rounds, each in a new "
                    "process whose output goes into a pipe, against the deployed template on MiniStack."
                ),
                "A job has an owner, a description and two labels; its entry in the list takes 0.7 KB in DynamoDB.",
            ),
        )
    ]


def _listed(client: Client) -> Listed:
    found = [*pages(lambda limit, cursor: client.jobs_page(NAMESPACE, limit=limit, cursor=cursor), JOBS_AT_ONCE)]
    return Listed(len(found), sum(len(json.dumps(page, separators=(",", ":"))) for page in found))


def _seconds(info: StackInfo, command: Sequence[str]) -> float:
    environment = os.environ | {"MINUTEHAND_URL": info.url, "MINUTEHAND_TOKEN": info.token}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", _PROGRAM, *command], env=environment, stdout=subprocess.PIPE, check=True)  # noqa: S603 - our program
    return time.perf_counter() - began


def _fill(info: StackInfo, jobs: int) -> None:
    """Store the entries of jobs in the list of the namespace, without definitions and timers: the API takes minutes to save so many."""
    client = emulators.dynamodb(info.endpoint_url)
    client.put_item(TableName=info.jobs_table, Item=keys.namespace(NAMESPACE))
    items = _entries(jobs)
    while batch := [*islice(items, _A_WRITE)]:
        writes: list[Any] = [{"PutRequest": {"Item": item}} for item in batch]
        client.batch_write_item(RequestItems={info.jobs_table: writes})


def _entries(jobs: int) -> Iterator[Any]:
    now = datetime.now(UTC).replace(microsecond=0)
    for number in range(jobs):
        job = Job(
            key=JobKey(NAMESPACE, f"job-{number:05}"),
            schedule=f"{number % 60} {number % 24} * * *",
            timezone="Europe/Paris",
            target=HttpTarget(method="POST", url="https://example.com/hook"),
            description="Sends the report of a shop",
            owner="team-data",
            labels=(("team", "data"), ("tier", str(number % 3))),
        )
        revision = Revision(1, now, compiled(job).encode())
        definition = Definition(
            job=job, revision=1, created_at=now, updated_at=now, updated_by="admin", revisions=(revision,)
        )
        yield definition_codec.encode_listed(definition)
