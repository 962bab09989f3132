"""The question `bulk`: requests, capacity units and seconds of a thousand jobs that are applied from a folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from localstack.workspace import StackInfo

from benchmarks.cost.metered_stack import running
from benchmarks.cost.scenario import Scenario
from benchmarks.deployed_stack import NAMESPACE, deployed, http_job
from benchmarks.emulators import MINISTACK
from benchmarks.table import Table
from minutehand.client.bulk import calls_for

JOBS = 1_000
MOST_SECONDS = 15.0
_METERED = 50
_PROGRAM = "from minutehand.cli.main import main; main()"


def tables(*, jobs: int = JOBS) -> list[Table]:
    """All tables of the question."""
    documents = [
        http_job(f"job-{n:04}", f"{n % 60} {n % 24} * * *", "https://example.com/hook") | {"timezone": "Europe/Paris"}
        for n in range(jobs)
    ]
    calls = len(list(calls_for(documents)))
    with deployed() as (_, info, client), tempfile.TemporaryDirectory(prefix="minutehand-bench-") as folder:
        for document in documents:
            (Path(folder) / f"{document['name']}.json").write_text(json.dumps(document), encoding="utf-8")
        commands = (["apply", folder, "--quiet", *more] for more in (["--dry-run"], [], []))
        tried, created, unchanged = (_seconds(info, command) for command in commands)
        saved = sum(1 for _ in client.list_jobs(NAMESPACE))
    rows = (
        ("`apply --dry-run` of new jobs", calls, 0.0, tried),
        ("`apply` of new jobs", 2 * calls, _units(), created),
        ("`apply` of unchanged jobs", calls, 0.0, unchanged),
    )
    return [
        Table(
            title=f"{jobs:,} jobs applied from a folder",
            goal=f"new jobs are saved within {MOST_SECONDS:g} s by the command line",
            holds=saved == jobs and created <= MOST_SECONDS,
            columns=("command", "requests", "write units a job", "s"),
            rows=rows,
            notes=(
                "One file a job, against the deployed template on MiniStack, one round each, in a new process.",
                "A job saved in bulk costs what a single save costs: definition, timer, list, revision, record. A save reads its definition and its timer.",
            ),
        )
    ]


def _seconds(info: StackInfo, command: Sequence[str]) -> float:
    environment = os.environ | {"MINUTEHAND_URL": info.url, "MINUTEHAND_TOKEN": info.token}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", _PROGRAM, *command], env=environment, stdout=subprocess.PIPE, check=True)  # noqa: S603 - our program
    return time.perf_counter() - began


def _units() -> float:
    """Write units of a new job, on average of several in one namespace."""
    with running() as emulators:
        metered = emulators.make([], MINISTACK)
        scenario = Scenario(metered)
        for n in range(_METERED):
            scenario.save(f"job-{n}")
        return sum(metered.meter.take().writes.values()) / _METERED
