"""A hand-made soak in which all is well; tests replace a part of it by what must be noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.soak.checker import judge
from tests.soak.evidence import Act, Call, Evidence, Fault, Job, Sample
from tests.soak.schedules import every_nth_second

BEGAN = datetime(2026, 11, 22, 12, 0, 5, tzinfo=UTC)
ENDS = BEGAN + timedelta(minutes=30)
COLLECTED = ENDS + timedelta(minutes=5)
JOB = Job(name="beat", kind="crontab, seconds", schedule=every_nth_second(30))
HALF_MINUTE = timedelta(seconds=30)
FIRST = datetime(2026, 11, 22, 12, 0, 30, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """So long after the first instant."""
    return FIRST + timedelta(seconds=seconds)


def run_of(job: Job, due: datetime, *, suffix: str = "", **fields: Any) -> dict[str, Any]:
    """A run that began and succeeded in time, as the API lists it."""
    run: dict[str, Any] = {
        "run_id": f"{due:%Y%m%dT%H%M%SZ}{suffix}",
        "job": f"soak/{job.name}",
        "scheduled_for": due.isoformat(),
        "starts_at": due.isoformat(),
        "claimed_at": (due - timedelta(seconds=20)).isoformat(),
        "state": "succeeded",
        "attempt": 1,
        "started_at": (due + timedelta(seconds=0.2)).isoformat(),
        "finished_at": (due + timedelta(seconds=0.4)).isoformat(),
        "lateness_ms": 200,
        "error": None,
        "reason": None,
    }
    return run | {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}


def call_of(run: dict[str, Any], **fields: Any) -> Call:
    """The call of this run's newest attempt."""
    begun = datetime.fromisoformat(run["started_at"])
    call = Call(
        job=run["job"].partition("/")[2],
        run_id=run["run_id"],
        attempt=run["attempt"],
        at=begun + timedelta(seconds=0.05),
        ended=begun + timedelta(seconds=0.1),
        status=200,
    )
    return replace(call, **fields)


def well(job: Job = JOB) -> Evidence:
    """A soak of one job, with a run for each instant."""
    due = [FIRST + number * HALF_MINUTE for number in range(60) if FIRST + number * HALF_MINUTE <= ENDS]
    runs = [run_of(job, one) for one in due]
    return Evidence(
        jobs={job.name: job},
        began=BEGAN,
        ends=ENDS,
        collected=COLLECTED,
        calls=tuple(map(call_of, runs)),
        samples=tuple(sample(number) for number in range(20)),
        runs={job.name: tuple(runs)},
    )


def sample(number: int, **fields: Any) -> Sample:
    found = Sample(
        at=BEGAN + timedelta(seconds=90 * number),
        emulator=120.0,
        largest={"HttpWorkerFunction": 60.0},
        processes=9,
        ready=3,
        hidden=2,
        delayed=4,
        calls=10 * number,
    )
    return replace(found, **fields)


def with_run(evidence: Evidence, number: int, *, calls: Sequence[Call] | None = None, **fields: Any) -> Evidence:
    """The same, but this run of the first job has other fields; and, if given, these calls in the place of its own."""
    name, runs = next(iter(evidence.runs.items()))
    changed = runs[number] | {
        key: value.isoformat() if isinstance(value, datetime) else value for key, value in fields.items()
    }
    kept = evidence.calls
    if calls is not None:
        kept = (*(call for call in kept if call.run_id != changed["run_id"]), *calls)
    others = dict(evidence.runs) | {name: (*runs[:number], changed, *runs[number + 1 :])}
    return replace(evidence, runs=others, calls=kept)


def without_run(evidence: Evidence, number: int) -> Evidence:
    name, runs = next(iter(evidence.runs.items()))
    gone = runs[number]["run_id"]
    calls = tuple(call for call in evidence.calls if call.run_id != gone)
    return replace(evidence, runs={name: (*runs[:number], *runs[number + 1 :])}, calls=calls)


def outage(start: datetime, seconds: float, kind: str = "workers cannot read tables") -> Fault:
    return Fault(kind=kind, start=start, end=start + timedelta(seconds=seconds))


def did(what: str, sent: datetime, **fields: Any) -> Act:
    """A request about the job that was answered within a tenth of a second."""
    found = Act(job=JOB.name, did=what, sent=sent, answered=sent + timedelta(seconds=0.1))
    return replace(found, **fields)


def broken(evidence: Evidence) -> dict[str, list[str]]:
    """The rules that were broken, each with its violations in words."""
    found: dict[str, list[str]] = {}
    for violation in judge(evidence).violations:
        found.setdefault(violation.rule, []).append(str(violation))
    return found
