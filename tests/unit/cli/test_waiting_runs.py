"""What the command line says of runs that wait for a slot, or that missed their start."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.concurrency import Limit
from minutehand.domain.instants import to_compact
from minutehand.domain.missed_start import MissedStart, WaitedFor
from minutehand.domain.overlap_lock import Permit, lock_of
from minutehand.domain.run import SkipReason
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

RUN = "20261120T082900Z"
DB = Limit("demo", 12, "db")


def fields(text: str) -> list[list[str]]:
    return [re.split(r" {2,}", line) for line in text.splitlines()]


@pytest.fixture(autouse=True)
def _job(api: ApiServer) -> None:
    api.add_job("demo/beat")


def wait(api: ApiServer, holders: int) -> None:
    api.claim_ahead("demo/beat", RUN, retry_at=NOW + timedelta(seconds=9), waits_for=DB.taken)
    for number, slot in zip(range(holders), DB.slots, strict=False):
        key = api.add_run("demo/load", f"20261120T0820{number:02}Z", "running", lease_until=NOW)
        api.state.permits[slot] = Permit(slot, key, 1)


def held_by(cli: Cli) -> list[list[str]]:
    """The lines from the limit to the next try."""
    lines = fields(cli("run", "demo/beat", RUN).stdout)
    names = [line[0] for line in lines]
    return lines[names.index("waits for") : names.index("tries again") + 1]


def test_a_run_names_the_runs_that_hold_the_slots_for_which_it_waits(api: ApiServer, cli: Cli) -> None:
    wait(api, 2)
    assert held_by(cli) == [
        ["waits for", "limit db, 12 of 12 in use"],
        ["held by", "demo/load 20261120T082000Z, since 2026-11-20 08:20:00 UTC"],
        ["", "demo/load 20261120T082001Z, since 2026-11-20 08:20:01 UTC"],
        ["tries again", "2026-11-20 08:30:09 UTC"],
    ]


def test_of_many_holders_a_run_names_ten_and_counts_the_others(api: ApiServer, cli: Cli) -> None:
    wait(api, 12)
    _, *holders, more, _ = held_by(cli)
    assert (len(holders), more) == (10, ["", "and 2 more"])


def test_a_run_says_that_slots_are_free_by_now(api: ApiServer, cli: Cli) -> None:
    wait(api, 0)
    first, *others = held_by(cli)
    assert first == ["waits for", "limit db, 12 of 12 in use when it last looked; free by now"]
    assert [line[0] for line in others] == ["tries again"]


def test_explain_names_the_holders(api: ApiServer, cli: Cli) -> None:
    wait(api, 1)
    [[*_, said]] = [
        line for line in fields(cli("explain", "demo/beat", "2026-11-20T08:29:00Z").stdout) if "db" in line[-1]
    ]
    assert said == (
        "waits for limit db, 12 of 12 in use, now held by demo/load 20261120T082000Z;"
        " it tries again at 2026-11-20T08:30:09Z"
    )


def test_a_run_names_the_run_of_its_job_that_is_in_its_way(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/turns", overlap="queue_all")
    holder = api.add_run("demo/turns", "20261120T082000Z", "running", lease_until=NOW)
    waiting = [api.claim_ahead("demo/turns", f"20261120T08270{number}Z") for number in range(3)]
    lock = lock_of(holder.job)
    api.state.permits[lock] = Permit(lock, holder, 1, tuple(each.run_id for each in waiting))
    in_the_way = "run 20261120T082000Z of this job (overlap: queue_all)"
    found = [
        line[1:]
        for each in waiting
        for line in fields(cli("run", "demo/turns", each.run_id).stdout)
        if "waits" in line[0]
    ]
    begun = f"{in_the_way}, begun 2026-11-20 08:20:00 UTC"
    assert found == [[begun], [f"{begun}; 1 run before it"], [f"{begun}; 2 runs before it"]]
    assert fields(cli("explain", "demo/turns", "2026-11-20T08:27:01Z").stdout)[0][2:] == [
        f"since 2026-11-20T08:27:01Z: waits for {in_the_way}, 1 run before it"
    ]


@pytest.mark.parametrize(
    ("due", "fields_", "said"),
    [
        (60, {}, "due since 08:29:00, waits for its turn or a worker"),
        (5, {}, ""),
        (60, {"retry_at": NOW + timedelta(seconds=9)}, "waits for a free slot; tries again at 08:30:09"),
    ],
)
def test_a_list_says_what_a_queued_run_waits_for_as_far_as_its_record_does(
    api: ApiServer, cli: Cli, due: int, fields_: dict[str, Any], said: str
) -> None:
    api.claim_ahead("demo/beat", to_compact(NOW - timedelta(seconds=due)), **fields_)
    [row] = cli("runs", "demo/beat").stdout.splitlines()[1:]
    assert row.split("Z", 1)[1].strip() == said


def test_a_run_that_missed_its_start_says_how_long_it_had_and_what_it_waited_for(api: ApiServer, cli: Cli) -> None:
    missed = {
        "skip_reason": SkipReason.START_WITHIN,
        "missed_start": MissedStart(timedelta(minutes=5), WaitedFor.SLOT),
        "waits_for": DB.taken,
    }
    api.add_run("demo/beat", RUN, "skipped", **missed)
    said = (
        "it had not begun within 5m of 2026-11-20T08:29:00Z (start_within);"
        " it last waited for limit db, 12 of 12 in use"
    )
    lines = fields(cli("run", "demo/beat", RUN).stdout)
    assert ["because", said] in lines
    assert "waits for" not in [line[0] for line in lines]
    assert cli("runs", "demo/beat").stdout.rstrip().endswith(said)
