"""What people ask of the API meanwhile: edits, pauses, triggers and backfills, by a timetable drawn from the seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from tests.soak.api import Api, ApiError
from tests.soak.evidence import Act, Job
from tests.soak.jobs import document
from tests.soak.schedules import Schedule, Span, every_nth_second


@dataclass(frozen=True)
class Asked:
    """A request to come: at which second, about which job, and a number in [0, 1) for its choices."""

    did: str
    job: str
    at: float
    draw: float


KINDS = {"edits": "saved", "pauses": "paused", "triggers": "triggered", "backfills": "backfilled"}
"""What is asked about jobs of each of these kinds."""


def timetable(seed: int, jobs: Sequence[Job], seconds: float) -> tuple[Asked, ...]:
    """The requests of a soak of this length. Each job of a kind has its own."""
    dice = random.Random(f"people {seed}")
    found: list[Asked] = []
    for job in jobs:
        did = KINDS.get(job.kind)
        gap = {"triggered": (6, 20), "backfilled": (60, 240)}.get(did or "", (15, 50))
        at = dice.uniform(3, gap[1])
        while did is not None and at < seconds:
            found.append(Asked(did, job.name, at, dice.random()))
            at += dice.uniform(*gap)
            if job.kind == "pauses":
                did = "resumed" if did == "paused" else "paused"
    return tuple(sorted(found, key=lambda asked: asked.at))


class People:
    """Asks by the timetable. Not thread-safe: one thread asks."""

    def __init__(self, api: Api, jobs: Sequence[Job], url: str, ends: datetime) -> None:
        self._api = api
        self._jobs = {job.name: job for job in jobs}
        self._url = url
        self._ends = ends

    def ask(self, asked: Asked) -> Act:
        """Ask until an answer comes, and say what came of it. Without any, `answered` is None: it may have happened or not."""
        act = Act(job=asked.job, did=asked.did, sent=datetime.now(UTC))
        if asked.did == "saved":
            act = replace(act, schedule=_other(asked.draw))
        elif asked.did == "backfilled":
            act = replace(act, span=_span(asked.draw, act.sent))
        try:
            ids = self._ask(asked, act)
        except ApiError:
            return act
        return replace(act, answered=datetime.now(UTC), ids=ids)

    def _ask(self, asked: Asked, act: Act) -> tuple[str, ...]:
        path, key = f"/jobs/{asked.job}", f"soak-{asked.at:.3f}"
        match asked.did:
            case "saved":
                job = replace(self._jobs[asked.job], schedule=act.schedule)
                self._api.save("jobs", asked.job, document(job, self._url, self._ends))
            case "paused":
                self._api.ask("POST", f"{path}/pause", tries=20)
            case "resumed":
                self._api.ask("POST", f"{path}/resume", tries=20)
            case "triggered":  # the same key twice: one run
                answers = [self._api.ask("POST", f"{path}/trigger", key=key, tries=20) for _ in range(2)]
                return tuple(answer["run_id"] for answer in answers)
            case "backfilled" if act.span is not None:
                body = {"from": act.span.start.isoformat(), "to": act.span.end.isoformat(), "concurrency": 2}
                return (self._api.ask("POST", f"{path}/backfills", body, key=key, tries=20)["id"],)
        return ()


def _other(draw: float) -> Schedule:
    """Another schedule: an edit that keeps some instants, or none."""
    interval = (10, 15, 20, 30)[int(draw * 4)]
    return every_nth_second(interval, int(draw * 1000))


def _span(draw: float, now: datetime) -> Span:
    """A range of five to ten minutes that ended an hour ago, before any run of the schedule."""
    end = now.replace(second=0, microsecond=0) - timedelta(hours=1)
    return Span(end - timedelta(minutes=5 + int(draw * 5)), end)
