"""What the checker may know: jobs as they were declared, what people and faults did, the calls received, and the API's answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from tests.soak.schedules import Schedule, Span


class Service(StrEnum):
    """How the receiver answers a job's calls."""

    QUICK = "quick"
    """200 at once."""
    SLOW = "slow"
    """200 after `seconds`."""
    FLAKY = "flaky"
    """500 to the first `failures` calls of a run that it hears, then 200."""
    BROKEN = "broken"
    """503, always."""
    LATER = "later"
    """202 at once, and a report through the API after `seconds`."""
    SILENT = "silent"
    """202 at once, and never a report."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job of the mix. Durations are in seconds.

    Attributes:
        schedule: None for `@manual`, and for a fixed delay (`delay`).
        blocked: spans that the job's calendar blocks.
        parents: names of the jobs whose success starts a run.
        backoff: wait before each further attempt.
    """

    name: str
    kind: str
    schedule: Schedule | None = None
    delay: int | None = None
    service: Service = Service.QUICK
    seconds: float = 0
    failures: int = 0
    timeout: int = 20
    attempts: int = 1
    backoff: int = 2
    takeovers: int = 4
    jitter: int = 0
    overlap: str = "allow"
    max_concurrency: int | None = None
    catch_up: str = "latest"
    grace: int = 300
    blocked: tuple[Span, ...] = ()
    parents: tuple[str, ...] = ()
    join: str = "all"

    @property
    def waits_for_others(self) -> bool:
        """Whether a run may have to wait for an earlier run of the job."""
        return self.overlap != "allow" or self.max_concurrency is not None or self.delay is not None

    @property
    def most_at_once(self) -> int | None:
        """The most calls that may be under way at once."""
        if self.max_concurrency is not None:
            return self.max_concurrency
        return None if self.overlap == "allow" and self.delay is None else 1

    @property
    def ends_as(self) -> str:
        """The state in which its runs end, if no fault reaches them."""
        if self.service is Service.BROKEN or (self.service is Service.FLAKY and self.failures >= self.attempts):
            return "failed"
        return "timed_out" if self.service is Service.SILENT else "succeeded"


@dataclass(frozen=True, kw_only=True)
class Act:
    """What somebody asked of the API. `answered`: None if no answer came, so it may have happened or not.

    Attributes:
        did: `saved`, `paused`, `resumed`, `triggered` or `backfilled`.
        schedule: the schedule from then on, of a job that was saved.
        ids: run ids that a trigger answered, one for each repetition of its key; or a backfill's id.
        span: the range of a backfill.
    """

    job: str
    did: str
    sent: datetime
    answered: datetime | None = None
    schedule: Schedule | None = None
    ids: tuple[str, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call that the receiver got.

    Attributes:
        status: what it answered; 0 if the caller went away before.
        reported: the answer to its later report (an HTTP status), if it made one.
    """

    job: str
    run_id: str
    attempt: int
    at: datetime
    ended: datetime
    status: int
    reported: int | None = None


KILLS = {"worker killed", "tick killed"}
"""Kinds of faults of no length; all others last."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A kill (of no length), an outage, a purge or a doubling, and what it did in numbers.

    Attributes:
        problem: why the emulator refused it, wholly or in part; empty if it did not.
    """

    kind: str
    start: datetime
    end: datetime
    count: int = 1
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Memory in megabytes, of the emulator and of each function's largest process, and messages by state."""

    at: datetime
    emulator: float
    largest: Mapping[str, float]
    processes: int
    ready: int
    hidden: int
    delayed: int
    calls: int


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that the checker reads.

    Attributes:
        began: when the first jobs had been saved.
        ends: the last instant that a schedule may name (`end_at`).
        collected: when the API was read, after the last run had ended or patience had.
        runs: each job's runs as the API lists them; those with several attempts as the API shows them singly.
        explained: what `explain` answered about instants without a run: kind, policy and text by (job, instant).
        backfills: each backfill by its id.
    """

    jobs: Mapping[str, Job]
    began: datetime
    ends: datetime
    collected: datetime
    acts: tuple[Act, ...] = ()
    calls: tuple[Call, ...] = ()
    faults: tuple[Fault, ...] = ()
    samples: tuple[Sample, ...] = ()
    runs: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    explained: Mapping[tuple[str, datetime], Mapping[str, Any]] = field(default_factory=dict)
    backfills: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def disturbances(self) -> tuple[Fault, ...]:
        """The faults that may keep a message or a process from its work, by their end."""
        return tuple(sorted((f for f in self.faults if f.kind != "doubled"), key=lambda fault: fault.end))

    def disturbed(self, start: datetime, end: datetime) -> bool:
        """Whether a fault was at work at any time between these."""
        return any(fault.start <= end and start <= fault.end for fault in self.disturbances)

    @cached_property
    def calls_of(self) -> Mapping[tuple[str, str], tuple[Call, ...]]:
        """The calls of each run, in order of arrival."""
        found: dict[tuple[str, str], list[Call]] = {}
        for call in sorted(self.calls, key=lambda call: call.at):
            found.setdefault((call.job, call.run_id), []).append(call)
        return {key: tuple(calls) for key, calls in found.items()}

    def dumped(self) -> str:
        """The evidence as JSON, for people who look into a violation."""
        plain = asdict(self) | {"explained": [[*key, value] for key, value in self.explained.items()]}
        return json.dumps(plain, indent=1, default=str)


def instant(text: str) -> datetime:
    """An instant of the API."""
    return datetime.fromisoformat(text)


def later(at: datetime, seconds: float) -> datetime:
    return at + timedelta(seconds=seconds)


def of_run(run: Mapping[str, Any], name: str) -> datetime | None:
    """The instant in this field of a run, or None."""
    return instant(run[name]) if run.get(name) else None
