"""The mix of jobs: declared once, for the API as a document and for the checker as its own description."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from tests.soak.evidence import Job, Service
from tests.soak.schedules import Crontab, Every, Span, every_nth_second

NAMESPACE = "soak"
CALENDAR = "soak-closed"
SPARSE = (10, 12, 15, 20, 30)
"""Intervals in seconds, each a divisor of 60."""


def document(job: Job, url: str, ends: datetime) -> dict[str, Any]:
    """The job as the API takes it. url: the receiver's; ends: the last instant of every schedule."""
    path = f"/{job.service}?seconds={job.seconds:g}&failures={job.failures}"
    target: dict[str, Any] = {"type": "http", "method": "POST", "url": url + path}
    if job.service is Service.SILENT:
        target["heartbeat"] = "10s"
    found: dict[str, Any] = {
        "namespace": NAMESPACE,
        "name": job.name,
        "target": target,
        "timeout": f"{job.timeout}s",
        "takeovers": job.takeovers,
        "overlap": job.overlap,
        "catch_up": job.catch_up,
        "misfire_grace": f"{job.grace}s",
        "catchup_window": "1d",
        "max_catch_up": 150,
    }
    if job.attempts > 1:
        backoff = {"initial": f"{job.backoff}s", "max": f"{job.backoff}s", "jitter": 0}
        found["retry"] = {"max_attempts": job.attempts, "backoff": backoff}
    if job.max_concurrency is not None:
        found["max_concurrency"] = job.max_concurrency
    if job.jitter:
        found["jitter"] = f"{job.jitter}s"
    if job.blocked:
        found["calendars"] = [CALENDAR]
    if job.parents:
        found |= {"depends_on": [{"job": parent} for parent in job.parents], "join": job.join}
    if job.delay is not None:
        found["schedule"] = f"@after {job.delay}s"
    elif job.schedule is not None:
        found |= {"schedule": job.schedule.text, "end_at": ends.isoformat()}
        if isinstance(job.schedule, Every):
            found["start_at"] = job.schedule.anchor.isoformat()
    else:
        found.setdefault("schedule", "@manual")
    return found


def mix(seed: int, count: int, began: datetime, ends: datetime) -> tuple[Job, ...]:
    """`count` jobs of every kind, in turn; parents come before their children. began: a whole second."""
    dice = random.Random(seed)
    blocked = closed(began, ends)
    found: list[Job] = []
    for number, kind in zip(range(10 * count), _kinds(), strict=False):
        found += kind(Draw(dice, f"{number:03d}", began, blocked))
        if len(found) >= count:
            break
    return tuple(found)


def closed(began: datetime, ends: datetime) -> tuple[Span, ...]:
    """What the calendar blocks: a sixth of the time, in three spans whose bounds no schedule here names."""
    length = (ends - began).total_seconds()
    spans = []
    for share in (0.2, 0.5, 0.8):
        start = (began + timedelta(seconds=length * share)).replace(microsecond=0)
        start -= timedelta(seconds=start.second % 10 - 1)
        spans.append(Span(start, start + timedelta(seconds=length // 18 // 10 * 10 or 10)))
    return tuple(spans)


class Draw(NamedTuple):
    """What jobs of one kind are drawn from.

    Attributes:
        name: distinguishes their names from other jobs'.
        began: the anchor of intervals, a whole second.
        blocked: what the calendar blocks.
    """

    dice: random.Random
    name: str
    began: datetime
    blocked: tuple[Span, ...]

    def every(self, seconds: int) -> Crontab:
        """A schedule of so many seconds, from any second of the minute on."""
        return every_nth_second(seconds, self.dice.randrange(seconds))


Kind = Callable[[Draw], list[Job]]


def _kinds() -> Iterator[Kind]:
    """The kinds again and again; those that come twice in a round make up more of the mix."""
    skips, queues_one, replaces = (partial(_overlapping, overlap) for overlap in ("skip", "queue_one", "replace"))
    round_ = (
        _seconds, _chain, _fixed_delay, _every, _retried, _minute, skips, _later, _caught_up, _calendar, _limited, _backfilled, _edited, _paused,
        _triggered, _seconds, _queues, _broken, _jittered, replaces, _every, _fixed_delay, _minute, _silent, queues_one, _any_chain,
    )  # fmt: skip
    while True:
        yield from round_


def _seconds(draw: Draw) -> list[Job]:
    interval = draw.dice.choice(SPARSE)
    return [
        Job(
            name=f"seconds-{draw.name}",
            kind="crontab, seconds",
            schedule=every_nth_second(interval, draw.dice.randrange(60)),
        )
    ]


def _minute(draw: Draw) -> list[Job]:
    return [
        Job(
            name=f"minute-{draw.name}",
            kind="crontab, minutes",
            schedule=Crontab(every=draw.dice.choice((1, 1, 2))),
            timeout=15,
        )
    ]


def _every(draw: Draw) -> list[Job]:
    return [Job(name=f"every-{draw.name}", kind="@every", schedule=Every(draw.dice.randrange(11, 38), draw.began))]


def _fixed_delay(draw: Draw) -> list[Job]:
    seconds = draw.dice.choice((0.5, 2))
    return [
        Job(
            name=f"after-{draw.name}",
            kind="@after",
            delay=draw.dice.randrange(3, 12),
            service=Service.SLOW,
            seconds=seconds,
        )
    ]


def _retried(draw: Draw) -> list[Job]:
    return [
        Job(
            name=f"retried-{draw.name}",
            kind="retries",
            schedule=draw.every(30),
            service=Service.FLAKY,
            failures=draw.dice.choice((1, 2)),
            attempts=3,
            backoff=draw.dice.choice((2, 5)),
        )
    ]


def _broken(draw: Draw) -> list[Job]:
    schedule = draw.every(30)
    return [
        Job(
            name=f"broken-{draw.name}",
            kind="failures",
            schedule=schedule,
            service=Service.BROKEN,
            attempts=2,
            backoff=3,
        )
    ]


def _overlapping(overlap: str, draw: Draw) -> list[Job]:
    return [
        Job(
            name=f"{overlap.replace('_', '-')}-{draw.name}",
            kind=f"overlap {overlap}",
            schedule=every_nth_second(draw.dice.choice((10, 15, 20)), draw.dice.randrange(10)),
            service=Service.SLOW,
            seconds=draw.dice.choice((4, 9, 12)),
            timeout=25,
            overlap=overlap,
        )
    ]


def _queues(draw: Draw) -> list[Job]:
    return [
        Job(
            name=f"queue-all-{draw.name}",
            kind="overlap queue_all",
            schedule=draw.every(30),
            service=Service.SLOW,
            seconds=3,
            overlap="queue_all",
        )
    ]


def _caught_up(draw: Draw) -> list[Job]:
    return [
        Job(
            name=f"catch-up-{policy}-{draw.name}",
            kind=f"catch-up {policy}",
            schedule=every_nth_second(draw.dice.choice(SPARSE), draw.dice.randrange(10)),
            catch_up=policy,
            grace=20,
        )
        for policy in ("all", "latest", "skip")
    ]


def _calendar(draw: Draw) -> list[Job]:
    return [Job(name=f"calendar-{draw.name}", kind="calendar", schedule=every_nth_second(10), blocked=draw.blocked)]


def _jittered(draw: Draw) -> list[Job]:
    schedule = draw.every(20)
    return [Job(name=f"jitter-{draw.name}", kind="jitter", schedule=schedule, jitter=draw.dice.choice((5, 30)))]


def _later(draw: Draw) -> list[Job]:
    return [
        Job(
            name=f"later-{draw.name}",
            kind="answers later",
            schedule=draw.every(20),
            service=Service.LATER,
            seconds=draw.dice.choice((1, 6)),
            timeout=40,
        )
    ]


def _silent(draw: Draw) -> list[Job]:
    return [
        Job(
            name=f"silent-{draw.name}", kind="never answers", schedule=Crontab((7,)), service=Service.SILENT, timeout=30
        )
    ]


def _limited(draw: Draw) -> list[Job]:
    return [
        Job(
            name=f"limited-{draw.name}",
            kind="max_concurrency",
            schedule=Crontab((10, 11, 12, 40, 41, 42)),
            service=Service.SLOW,
            seconds=4,
            max_concurrency=2,
        )
    ]


def _chain(draw: Draw) -> list[Job]:
    schedule = draw.every(30)
    left = Job(name=f"chain-{draw.name}-a", kind="chain", schedule=schedule)
    right = Job(name=f"chain-{draw.name}-b", kind="chain", schedule=schedule, service=Service.SLOW, seconds=1)
    both = Job(name=f"chain-{draw.name}-c", kind="chain, child", parents=(left.name, right.name))
    last = Job(name=f"chain-{draw.name}-d", kind="chain, child", parents=(both.name,))
    return [left, right, both, last]


def _any_chain(draw: Draw) -> list[Job]:
    first = Job(name=f"chain-{draw.name}-a", kind="chain", schedule=draw.every(30))
    return [first, Job(name=f"chain-{draw.name}-b", kind="chain, child", parents=(first.name,), join="any")]


def _triggered(draw: Draw) -> list[Job]:
    return [Job(name=f"triggered-{draw.name}", kind="triggers")]


def _backfilled(draw: Draw) -> list[Job]:
    return [Job(name=f"backfilled-{draw.name}", kind="backfills", schedule=draw.every(30))]


def _edited(draw: Draw) -> list[Job]:
    return [Job(name=f"edited-{draw.name}", kind="edits", schedule=draw.every(15))]


def _paused(draw: Draw) -> list[Job]:
    return [Job(name=f"paused-{draw.name}", kind="pauses", schedule=draw.every(15))]
