"""What is said of runs that were skipped for `start_within`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import to_text
from minutehand.domain.missed_start import MissedStart, WaitedFor
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from tests.unit.api.conftest import JOB, PATH, Api
from tests.unit.api.explaining import HOUR, MINUTE, ONE, explained, keep, text

MISSED = {"state": RunState.SKIPPED, "skip_reason": SkipReason.START_WITHIN}
NOT_BEGUN = "it had not begun within 5m of 2026-11-20T13:01:00Z (start_within)"


@pytest.mark.parametrize(
    ("waited_for", "fields", "said"),
    [
        (
            WaitedFor.SLOT,
            {"waits_for": TakenLimit(LimitKind.NAMED, 3, "db")},
            "it last waited for limit db, 3 of 3 in use",
        ),
        (WaitedFor.SLOT, {}, "it last waited for a free slot"),
        (WaitedFor.LOCK, {"blocked_by": "20261120T125900Z"}, "it last waited for run 20261120T125900Z"),
        (WaitedFor.WORKER, {}, "no worker took it up in time"),
        (WaitedFor.CLAIM, {}, "it was claimed later than that"),
    ],
)
def test_a_run_that_missed_its_start_says_how_long_it_had_and_what_it_waited_for(
    api: Api, state: MemoryState, waited_for: WaitedFor, fields: dict[str, Any], said: str
) -> None:
    api.put(JOB | {"start_within": "2h"})
    missed = MissedStart(timedelta(minutes=5), waited_for)
    keep(state, **MISSED, start_delay=MINUTE, missed_start=missed, **fields)
    assert text(api, ONE) == f"skipped: {NOT_BEGUN}; {said}"
    [listed] = api.get(f"{PATH}/runs").body["items"]
    assert (listed["reason"], listed["waits_for"]) == (f"{NOT_BEGUN}; {said}", None)


@pytest.mark.parametrize(
    ("waited_for", "said"),
    [
        (WaitedFor.SLOT, "they last waited for limit db, 3 of 3 in use"),
        (WaitedFor.WORKER, "no worker took them up in time"),
        (WaitedFor.CLAIM, "they were claimed later than that"),
    ],
)
def test_runs_that_missed_their_starts_alike_share_a_sentence(
    api: Api, state: MemoryState, waited_for: WaitedFor, said: str
) -> None:
    api.put()
    slot = {"waits_for": TakenLimit(LimitKind.NAMED, 3, "db")} if waited_for is WaitedFor.SLOT else {}
    for hours in range(2):
        keep(state, ONE + hours * HOUR, **MISSED, missed_start=MissedStart(5 * MINUTE, waited_for), **slot)
    keep(state, ONE + 2 * HOUR, **MISSED, missed_start=MissedStart(6 * MINUTE, waited_for), **slot)
    items = explained(api, **{"from": to_text(ONE), "to": to_text(ONE + 2 * HOUR + MINUTE)})["items"]
    assert items[0]["text"] == f"2 runs skipped: they had not begun within 5m of their starts (start_within); {said}"
    assert items[1]["times"] == 1, "start_within was another then"
