"""Contract of stores of runs: runs are read as they were stored."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta

from minutehand.domain.endpoint import Visit
from minutehand.domain.missed_start import MissedStart, WaitedFor
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Attempt, Progress, Run, RunError, RunState, SkipReason, Usage
from minutehand.domain.run_key import RunKey
from minutehand.domain.share import Share
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from tests.contract.examples import ERROR, HOUR, MILLISECONDS, MINUTE, NINE, RESULT, SECOND, run_at, started
from tests.contract.stores import stored

DAY = timedelta(days=1)


def full(job) -> Run:
    """A run with every field set to something else than its default."""
    return replace(
        started(run_at(job), attempt=3),
        start_delay=90 * SECOND,
        state=RunState.FAILED,
        takeovers=2,
        finished_at=NINE + MINUTE + 2 * MILLISECONDS,
        skip_reason=SkipReason.TARGET,
        worker="2026/11/20/[$LATEST]0123",
        deadline_at=NINE + HOUR,
        heartbeat=3 * MINUTE,
        retry_at=NINE + 3 * MINUTE + MILLISECONDS,
        waits_for=TakenLimit(LimitKind.POOL, 0, "web", node="web-1"),
        cancelled_by="ada",
        blocked_by="20261120T085900Z",
        missed_start=MissedStart(5 * MINUTE, WaitedFor.LOCK),
        progress=Progress(40, "vier von zehn — läuft"),
        attempts=(
            Attempt(1, "log-1", "n1", NINE, NINE + SECOND, RunState.FAILED, RunError("HttpStatus", "503")),
            Attempt(2, "log-2", "n2", NINE + MINUTE, None, RunState.RUNNING, None),
        ),
        parents=(RunKey.scheduled(job, NINE), RunKey.triggered(job, NINE, "a")),
        own_payload=True,
        overlap=Overlap.QUEUE_ALL,
        result=RESULT,
        error=ERROR,
        detailed=True,
        resent_at=NINE + HOUR,
        resends=4,
        entry="40-0123456789abcdef0123",
        has_children=True,
        shadow=True,
        only_node="web-2",
        joins_at=NINE + 2 * MINUTE,
        share=Share(RunKey.scheduled(job, NINE), 2, "web", "web-2", 1, 3, NINE + HOUR),
        place=NINE,
        units=Usage(write=9.43, read=4.2, calls=3.2, messages=0.4, worker_ms=1_234_567, puts=1, stored_bytes=1_048_576),
        visits=(Visit(1, "https://10.0.3.7:8443"), Visit(2, "http://größe/base")),
    )


def test_a_run_comes_back_whole_to_the_millisecond(stores, job):
    stores.runs.claim([full(job)])
    assert stored(stores, full(job)) == full(job)


def test_look_returns_existing_runs_whole(stores, job):
    there, gone = full(job), RunKey.scheduled(job, NINE + HOUR)
    stores.runs.claim([there])
    assert stores.runs.look([there.key, gone]) == {there.key: there}


def test_the_example_sets_every_field_to_something_else_than_its_default(job):
    bare, run = run_at(job), full(job)
    given = {"key", "target", "revision", "claimed_at", "expires_at"}
    assert {f.name for f in fields(Run) if getattr(bare, f.name) == getattr(run, f.name)} == given


def test_a_run_never_expires_early(stores, job):
    run = run_at(job, expires_at=NINE + DAY + MILLISECONDS)
    stores.runs.claim([run])
    assert stored(stores, run).expires_at == NINE + DAY + SECOND
    later = stores.runs.move(run, replace(run, expires_at=NINE + 2 * DAY + MILLISECONDS))
    assert stored(stores, run) == later


def test_only_existing_runs_are_returned_of_any_number(stores, job):
    runs = [run_at(job, NINE + number * SECOND) for number in range(130)]
    stores.runs.claim(runs[:120])
    found = stores.runs.get([run.key for run in (*runs, runs[0])])
    assert found == {run.key: run for run in runs[:120]}
    assert stores.runs.get([]) == {}
