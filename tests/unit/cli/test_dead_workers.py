"""What the command line says of runs whose worker died."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from minutehand.domain.run import Attempt, RunState
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

RUN = "20261120T082000Z"
GONE = "its worker is gone: its lease ended at 08:25:00"


def fields(text: str) -> list[list[str]]:
    return [re.split(r" {2,}", line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("lease_ended", "said"),
    [(timedelta(minutes=5), GONE), (timedelta(seconds=5), "since 08:20:00"), (-timedelta(minutes=1), "since 08:20:00")],
    ids=["long ago", "a moment ago", "not yet"],
)
def test_runs_and_run_say_that_a_worker_is_gone_once_its_lease_has_ended(
    api: ApiServer, cli: Cli, job: str, lease_ended: timedelta, said: str
) -> None:
    api.add_run(job, RUN, "running", lease_until=NOW - lease_ended)
    assert fields(cli("runs", job).stdout)[1][-1] == said
    lines = [line for line in fields(cli("run", job, RUN).stdout) if line[0] == "worker"]
    gone = ["worker", "gone: its lease ended at 2026-11-20 08:25:00 UTC; another worker takes the run over"]
    assert lines == ([gone] if said == GONE else [])


def test_only_a_run_in_progress_has_a_worker_that_may_be_gone(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, RUN, "waiting", lease_until=NOW - timedelta(minutes=5))
    assert "gone" not in cli("runs", job).stdout


def test_an_attempt_that_was_taken_over_lost_its_worker_when_its_lease_ended(
    api: ApiServer, cli: Cli, job: str
) -> None:
    lease_ended = NOW - timedelta(minutes=5)
    died = Attempt(1, "log-1", "", NOW - timedelta(minutes=10), lease_ended, RunState.RUNNING, None)
    api.add_run(job, RUN, "running", attempt=2, attempts=(died,), started_at=lease_ended)
    rows = fields(cli("run", job, RUN).stdout)
    heading = next(number for number, row in enumerate(rows) if row[:2] == ["attempt", "state"])
    first, second = rows[heading + 1 : heading + 3]
    assert first == ["1", "lost its worker", "2026-11-20 08:20:00", "2026-11-20 08:25:00", "log-1"]
    assert second == ["2", "running", "2026-11-20 08:25:00", "-", "-"]
