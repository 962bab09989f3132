"""What is said of a run whose worker died: before another worker takes it over, and after."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import to_text
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_decisions import Start
from minutehand.domain.run_key import RunKey
from minutehand.domain.run_successors import Mark, started
from tests.unit.api.conftest import NOON, PATH, Api, FakeClock
from tests.unit.api.explaining import HEARTBEAT, MINUTE, ONE, keep, text

RUN = f"{PATH}/runs/20261120T130000Z"
KEY = RunKey.scheduled(HEARTBEAT, ONE)
SECOND = timedelta(seconds=1)


def begin(state: MemoryState, number: int, at: datetime) -> Run:
    """The next attempt of the run begins; after the first, it takes over from a dead worker."""
    run = state.runs[KEY]
    start = Start(attempt=number, takeover=number > 1)
    state.runs[KEY] = started(run, start, state.definitions[HEARTBEAT].job, Mark(f"n{number}", f"log-{number}", at))
    return state.runs[KEY]


@pytest.fixture
def dead(api: Api, state: MemoryState) -> Run:
    """A run whose first attempt is in progress, with a lease of 45 seconds."""
    api.put()
    keep(state)
    return begin(state, 1, ONE + SECOND)


def test_a_running_run_shows_when_its_worker_s_lease_ends(api: Api, dead: Run) -> None:
    assert dead.lease_until is not None
    [listed] = api.get(f"{PATH}/runs").body["items"]
    assert listed["lease_until"] == api.get(RUN).body["lease_until"] == to_text(dead.lease_until)


@pytest.mark.parametrize("ended", [RunState.SUCCEEDED, RunState.RETRYING, RunState.LOST])
def test_a_run_without_an_attempt_in_progress_shows_no_lease(
    api: Api, state: MemoryState, dead: Run, ended: RunState
) -> None:
    state.runs[KEY] = replace(dead, state=ended, finished_at=NOON)
    assert api.get(RUN).body["lease_until"] is None


def test_an_attempt_whose_worker_died_shows_the_end_of_its_lease(api: Api, state: MemoryState, dead: Run) -> None:
    begin(state, 2, ONE + 2 * MINUTE)
    first, second = api.get(RUN).body["attempts"]
    assert dead.lease_until is not None
    assert (first["state"], first["finished_at"], first["lost_at"]) == ("running", None, to_text(dead.lease_until))
    assert (second["state"], second["finished_at"], second["lost_at"]) == ("running", None, None)


@pytest.mark.parametrize(
    ("deaths", "said"),
    [
        (
            1,
            "attempt 1 ended without a report (its worker died), and attempt 2 began 2m late",
        ),
        (
            2,
            "attempts 1 and 2 ended without a report (their workers died), and attempt 3 began 4m late",
        ),
    ],
)
def test_a_run_that_was_taken_over_says_which_attempts_died_and_how_late_the_last_began(
    api: Api, state: MemoryState, clock: FakeClock, dead: Run, deaths: int, said: str
) -> None:
    for number in range(2, deaths + 2):
        last = begin(state, number, ONE + (number - 1) * 2 * MINUTE)
    attempt = f"attempt {deaths + 1}"
    assert text(api, ONE).endswith(f"; {said}")
    state.runs[KEY] = replace(last, state=RunState.SUCCEEDED, finished_at=NOON)
    assert text(api, ONE) == f"succeeded: {attempt}, first attempt 1.0s late; {said}"
    state.runs[KEY] = replace(last, state=RunState.FAILED, finished_at=NOON)
    assert text(api, ONE) == f"failed: {attempt}, first attempt 1.0s late, no error recorded; {said}"


def test_a_run_that_was_retried_says_that_it_was_its_first_attempt_that_was_late(api: Api, state: MemoryState) -> None:
    api.put()
    keep(state, state=RunState.SUCCEEDED, attempt=3, lateness=timedelta(milliseconds=1975))
    assert text(api, ONE) == "succeeded: attempt 3, first attempt 2.0s late"


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [(412, "412ms"), (1234, "1.2s"), (9999, "10s"), (10_499, "10s"), (112_600, "1m53s"), (7_199_700, "2h")],
)
def test_lateness_is_rounded_as_lists_round_it(api: Api, state: MemoryState, milliseconds: int, said: str) -> None:
    api.put()
    keep(state, state=RunState.SUCCEEDED, attempt=1, lateness=timedelta(milliseconds=milliseconds))
    assert text(api, ONE) == f"succeeded: attempt 1, {said} late"
