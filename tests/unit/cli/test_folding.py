"""Runs that were skipped alike share a line of the list."""

import json

import pytest

from minutehand.domain.run import SkipReason
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

EDIT = "an edit took effect before the run's scheduled instant, which the new schedule does not include"


@pytest.fixture(autouse=True)
def _runs(api: ApiServer, job: str) -> None:
    """Two runs, then a dozen that an edit skipped, then one more, and two that a pause skipped."""
    for run_id in ("20261120T075800Z", "20261120T075900Z", "20261120T081500Z"):
        api.add_run(job, run_id)
    for minute in range(12):
        api.add_run(job, f"20261120T08{minute:02}00Z", "skipped", skip_reason=SkipReason.SUPERSEDED)
    for minute in (20, 21):
        api.add_run(job, f"20261120T08{minute}00Z", "skipped")


def test_skipped_runs_in_a_row_share_a_line_that_counts_them(cli: Cli, job: str) -> None:
    lines = cli("runs", job, "--limit", "4").stdout.splitlines()[1:]
    assert [line[:19] for line in lines] == [
        "2026-11-20 08:21:00",
        "2026-11-20 08:15:00",
        "2026-11-20 08:11:00",
        "2026-11-20 07:59:00",
    ]
    assert lines[0].endswith("; 1 more like it, back to 2026-11-20 08:20:00")
    assert lines[2].endswith(f"{EDIT}; 11 more like it, back to 2026-11-20 08:00:00")


def test_programs_and_a_state_get_every_run(cli: Cli, job: str) -> None:
    assert len(json.loads(cli("runs", job, "-o", "json").stdout)["items"]) == 17
    assert len(cli("runs", job, "--state", "skipped").stdout.splitlines()) == 15


def test_a_list_continues_behind_what_it_folded(cli: Cli, job: str) -> None:
    cursor = cli("runs", job, "--limit", "4").stderr.split()[-1]
    [_, line] = cli("runs", job, "--cursor", cursor).stdout.splitlines()
    assert line.startswith("2026-11-20 07:58:00  succeeded")
