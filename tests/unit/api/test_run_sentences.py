"""The sentences that say what became of runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.concurrency import NobodyLive
from minutehand.domain.instants import to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.entrypoints.api.rendering.run_phrases import REASONS
from tests.unit.api.conftest import JOB, PATH, Api, FakeClock
from tests.unit.api.explaining import HEARTBEAT, HOUR, MINUTE, ONE, explained, keep, text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "queued; it starts at 2026-11-20T13:00:00Z"),
        ({"start_delay": MINUTE}, "queued; it starts at 2026-11-20T13:01:00Z"),
        (
            {"state": RunState.RUNNING, "attempt": 2, "started_at": ONE, "lease_until": ONE + MINUTE},
            "running: attempt 2, since 2026-11-20T13:00:00Z; its worker's lease ends at 2026-11-20T13:01:00Z",
        ),
        (
            {"state": RunState.WAITING, "attempt": 1, "deadline_at": ONE + HOUR, "cancelled_by": "bob"},
            "waiting for its target's answer: attempt 1; its deadline is 2026-11-20T14:00:00Z; cancel requested by bob",
        ),
        (
            {
                "state": RunState.RETRYING,
                "attempt": 1,
                "retry_at": ONE + MINUTE,
                "error": RunError("HttpStatus", "503\nx"),
            },
            "retrying: attempt 1 ended with HttpStatus: 503, and the next starts at 2026-11-20T13:01:00Z",
        ),
        (
            {"retry_at": ONE + MINUTE, "waits_for": TakenLimit(LimitKind.NAMED, 3, "db")},
            "queued: waits for limit db, 3 of 3 in use when it last looked; free by now; it tries again at 2026-11-20T13:01:00Z",
        ),
        (
            {"retry_at": ONE + MINUTE, "waits_for": TakenLimit(LimitKind.NAMESPACE, 1000)},
            "queued: waits for the namespace's max_concurrency, 1,000 of 1,000 in use when it last looked; free by now; it tries again at 2026-11-20T13:01:00Z",
        ),
        (
            {"retry_at": ONE + MINUTE, "waits_for": NobodyLive("web").taken},
            "queued: waits for pool web, which has no live agent; it tries again at 2026-11-20T13:01:00Z",
        ),
        (
            {"retry_at": ONE + MINUTE, "waits_for": NobodyLive("web", "a").taken},
            "queued: waits for node a of pool web, which is not live; it tries again at 2026-11-20T13:01:00Z",
        ),
        (
            {"state": RunState.SKIPPED, "attempt": 1, "skip_reason": SkipReason.TARGET},
            "skipped: its target reported that there was nothing to do",
        ),
        (
            {"retry_at": ONE + MINUTE},
            "queued: waits for a free slot; it tries again at 2026-11-20T13:01:00Z",
        ),
        (
            {
                "state": RunState.RETRYING,
                "attempt": 1,
                "retry_at": ONE + MINUTE,
                "waits_for": TakenLimit(LimitKind.JOB, 1),
                "error": RunError("HttpStatus", "503"),
            },
            (
                "retrying: attempt 1 ended with HttpStatus: 503, and the next waits for the job's max_concurrency, 1 of 1 in use when it last looked; free by now;"
                " it tries again at 2026-11-20T13:01:00Z"
            ),
        ),
        (
            {"state": RunState.TIMED_OUT, "attempt": 1, "lateness": MINUTE, "error": RunError("Timeout", "60 s")},
            "timed out: attempt 1, 1m late, Timeout: 60 s",
        ),
        ({"state": RunState.FAILED, "attempt": 3}, "failed: attempt 3, no error recorded"),
        ({"state": RunState.CANCELLED, "cancelled_by": "bob"}, "cancelled by bob"),
        (
            {"state": RunState.CANCELLED, "cancelled_by": "run 20261120T130500Z~trigger-a1"},
            "cancelled by run 20261120T130500Z~trigger-a1 (overlap: replace)",
        ),
        (
            {"state": RunState.LOST, "error": RunError("WorkerLost", "came back 5 times: ValueError: x\ny")},
            "lost: came back 5 times: ValueError: x",
        ),
        ({"state": RunState.LOST, "attempt": 3}, "lost: no error recorded"),
        (
            {"state": RunState.SKIPPED, "skip_reason": SkipReason.OVERLAP, "blocked_by": "20261120T120000Z"},
            "skipped: another run of the job was active or waiting: run 20261120T120000Z",
        ),
        (
            {"state": RunState.SKIPPED, "skip_reason": SkipReason.NAMESPACE_PAUSED},
            "skipped: the namespace was paused when the run was due to start, or at its scheduled instant",
        ),
        (
            {"state": RunState.SKIPPED, "skip_reason": SkipReason.START_WITHIN},
            "skipped: it had not begun when its job's start_within was over",
        ),
    ],
)
def test_each_state_of_a_run_has_a_sentence(api: Api, state: MemoryState, fields: dict[str, Any], said: str) -> None:
    api.put()
    keep(state, **fields)
    assert text(api, ONE) == said


@pytest.mark.parametrize(("fields", "slot"), [({}, ""), ({"max_concurrency": 1}, ", once it finds a free slot")])
def test_a_run_whose_worker_is_gone_says_so(
    api: Api, state: MemoryState, clock: FakeClock, fields: dict[str, Any], slot: str
) -> None:
    api.put(JOB | fields)
    keep(state, state=RunState.RUNNING, attempt=2, started_at=ONE, lease_until=ONE + MINUTE)
    clock.move(seconds=3720)
    assert text(api, ONE) == (
        "running: attempt 2, since 2026-11-20T13:00:00Z; its worker is gone: its lease ended at 2026-11-20T13:01:00Z."
        f" Another worker takes the run over{slot}"
    )


def test_a_try_for_a_slot_that_is_overdue_is_not_announced(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.put()
    keep(state, retry_at=ONE + MINUTE, waits_for=TakenLimit(LimitKind.NAMED, 3, "db"))
    clock.move(seconds=3800)
    assert text(api, ONE) == (
        "queued: waits for limit db, 3 of 3 in use when it last looked; free by now; it was to try again at 2026-11-20T13:01:00Z,"
        " so the sweep sends it again"
    )


@pytest.mark.parametrize("overlap", ["allow", "queue_all"])
def test_an_overdue_queued_run_that_no_worker_has_seen_waits_for_a_worker(
    api: Api, state: MemoryState, clock: FakeClock, overlap: str
) -> None:
    api.put(JOB | {"overlap": overlap})
    keep(state)
    clock.move(seconds=3700)
    assert text(api, ONE) == "queued since 2026-11-20T13:00:00Z, waiting for a worker"


def test_a_missed_occurrence_that_was_claimed_late_says_within_which_time_it_starts(
    api: Api, state: MemoryState, clock: FakeClock
) -> None:
    api.put(JOB | {"misfire_grace": "5m"})
    keep(state, claimed_at=ONE + HOUR)
    clock.now = ONE + HOUR + MINUTE
    assert text(api, ONE) == (
        "queued since 2026-11-20T13:00:00Z: it was claimed late, at 2026-11-20T14:00:00Z; missed occurrences start within 1m of that"
    )
    clock.move(seconds=15)
    assert text(api, ONE) == "queued since 2026-11-20T13:00:00Z, waiting for a worker"
    keep(state, claimed_at=ONE + MINUTE)
    clock.now = ONE + 2 * MINUTE
    assert text(api, ONE) == "queued since 2026-11-20T13:00:00Z, waiting for a worker"


def test_a_queued_run_says_by_when_it_has_to_begin(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.put(JOB | {"start_within": "2h"})
    keep(state)
    may_begin = "; it will be skipped if it has not begun by 2026-11-20T15:00:00Z (start_within)"
    assert of_run(api) == f"queued; it starts at 2026-11-20T13:00:00Z{may_begin}"
    clock.move(minutes=59, seconds=35)  # to five seconds after its instant
    assert of_run(api) == f"queued; it has been due since 2026-11-20T13:00:00Z{may_begin}"
    clock.move(minutes=1)
    assert of_run(api) == f"queued since 2026-11-20T13:00:00Z, waiting for a worker{may_begin}"
    clock.move(hours=3)
    too_late = "; it will be skipped, since it has not begun by 2026-11-20T15:00:00Z (start_within)"
    assert of_run(api) == f"queued since 2026-11-20T13:00:00Z, waiting for a worker{too_late}"


def of_run(api: Api) -> str:
    """What is said of the run, whatever is said of the instant besides."""
    [said] = [item["text"] for item in explained(api, at=to_text(ONE))["items"] if item["run"]]
    return str(said)


def test_a_queued_run_mentions_a_pause_that_would_skip_it(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.put()
    keep(state)
    api.by(token="bob").post(f"{PATH}/pause")
    assert of_run(api) == (
        "queued; it starts at 2026-11-20T13:00:00Z; it will be skipped unless the job is resumed first"
    )
    clock.move(hours=1)
    assert of_run(api).endswith("; it will be skipped: the job was paused at its scheduled instant")
    clock.move(hours=-1)
    api.post(f"{PATH}/resume")
    assert of_run(api) == "queued; it starts at 2026-11-20T13:00:00Z"


def test_a_queued_run_does_not_mention_a_pause_that_ends_before_it(api: Api, state: MemoryState) -> None:
    api.put()
    keep(state)
    api.post(f"{PATH}/pause", body={"until": to_text(ONE - MINUTE)})
    assert of_run(api) == "queued; it starts at 2026-11-20T13:00:00Z"


def test_a_queued_run_mentions_a_pause_of_the_namespace_unless_it_was_triggered(api: Api, state: MemoryState) -> None:
    api.put()
    keep(state)
    for kept, key in enumerate((RunKey.backfilled, RunKey.triggered)):
        keep(state, key=key(HEARTBEAT, ONE - HOUR - kept * MINUTE, "a1"))
    api.by(token="bob").post("/v1/namespaces/demo/pause")
    in_the_way = (
        "; it will be skipped unless the namespace (paused from 2026-11-20T12:00:30Z on by bob) is resumed first"
    )
    assert of_run(api) == f"queued; it starts at 2026-11-20T13:00:00Z{in_the_way}"
    backfilled, triggered = (item["text"] for item in explained(api, at=to_text(ONE - 55 * MINUTE))["beside"])
    assert backfilled.endswith(in_the_way)
    assert "skipped" not in triggered


def test_a_queued_run_of_a_deleted_job_will_be_skipped(api: Api, state: MemoryState) -> None:
    api.put()
    keep(state)
    api.delete()
    assert of_run(api).endswith(f"; it will be skipped: {REASONS[SkipReason.DELETED]}")


@pytest.mark.parametrize(
    ("key", "parents", "said"),
    [
        (RunKey.triggered(HEARTBEAT, ONE, "a1"), (), "triggered: queued; "),
        (RunKey.backfilled(HEARTBEAT, ONE, "a1"), (), "a backfill: queued; "),
        (
            RunKey.child(HEARTBEAT, ONE, "a1"),
            (RunKey.scheduled(JobKey("demo", "load"), ONE),),
            "started by its parents' runs (demo/load 20261120T130000Z): queued; ",
        ),
    ],
)
def test_a_run_without_a_schedule_says_what_created_it(
    api: Api, state: MemoryState, key: RunKey, parents: tuple[RunKey, ...], said: str
) -> None:
    api.put(JOB | {"schedule": "@manual"})
    keep(state, key=key, parents=parents)
    assert text(api, ONE).startswith(said)


LATE = {"lateness": 2 * MINUTE}
A_LITTLE = {"lateness": timedelta(seconds=9)}
TIMED_OUT = {"state": RunState.TIMED_OUT, "attempt": 1, "error": RunError("TimedOut", "no answer within 30s\nx")}
MISSED = "no answer by 2026-11-20T1{}:00:00Z"


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([A_LITTLE, A_LITTLE], ["2 runs succeeded at the first attempt"]),
        ([A_LITTLE, {}, LATE], ["3 runs succeeded at the first attempt, up to 2m late"]),
        ([LATE, LATE], ["2 runs succeeded at the first attempt, 2m late"]),
        ([TIMED_OUT] * 2, ["2 runs timed out at the first attempt: TimedOut: no answer within 30s"]),
        (
            [TIMED_OUT | LATE, TIMED_OUT | {"lateness": MINUTE}, TIMED_OUT | {"error": RunError("TimedOut", "other")}],
            [
                "2 runs timed out at the first attempt, 1m to 2m late: TimedOut: no answer within 30s",
                "timed out: attempt 1, TimedOut: other",
            ],
        ),
        (
            [TIMED_OUT | {"error": RunError("AnswerMissed", MISSED.format(hour))} for hour in (4, 5)],
            ["2 runs timed out at the first attempt: AnswerMissed: no answer by …"],
        ),
        ([{"state": RunState.FAILED, "attempt": 3}] * 2, ["2 runs failed after 3 attempts: no error recorded"]),
        ([TIMED_OUT, TIMED_OUT | {"attempt": 2}], ["timed out: attempt 1, ", "timed out: attempt 2, "]),
        ([{"state": RunState.LOST}] * 2, ["lost: no error recorded"] * 2),
        ([{"state": RunState.CANCELLED, "cancelled_by": "bob"}] * 2, ["cancelled by bob"] * 2),
    ],
)
def test_runs_that_ended_alike_share_a_sentence_with_how_late_they_were(
    api: Api, state: MemoryState, runs: list[dict[str, Any]], said: list[str]
) -> None:
    api.put()
    for hours, fields in enumerate(runs):
        keep(state, ONE + hours * HOUR, **({"state": RunState.SUCCEEDED, "attempt": 1} | fields))
    items = explained(api, **{"from": to_text(ONE), "to": to_text(ONE + len(runs) * HOUR)})["items"]
    assert sum(item["times"] for item in items) == len(runs)
    for item, sentence in zip(items, said, strict=True):
        assert item["text"].startswith(sentence)
        assert item["text"] == sentence or sentence.endswith(", ")


def test_equal_runs_share_a_sentence(api: Api, state: MemoryState) -> None:
    api.put()
    for hours in range(3):
        keep(state, ONE + hours * HOUR, state=RunState.SUCCEEDED, attempt=1)
    for hours in range(3, 5):
        keep(state, ONE + hours * HOUR, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)
    items = explained(api, **{"from": to_text(ONE), "to": to_text(ONE + 5 * HOUR)})["items"]
    assert [item["text"].partition(":")[0] for item in items] == [
        "3 runs succeeded at the first attempt",
        "2 runs skipped",
    ]
    assert [item["run"] for item in items] == [None, None]
