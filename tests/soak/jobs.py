"""The mix of jobs: declared once, for the API as a document and for the checker as its own description."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

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
        found += kind(dice, f"{number:03d}", began, blocked)
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


Kind = Callable[[random.Random, str, datetime, tuple[Span, ...]], list[Job]]


def _kinds() -> Iterator[Kind]:
    """The kinds again and again; those that come twice in a round make up more of the mix."""
    round_ = (
        _seconds, _chain, _fixed_delay, _every, _retried, _minute, _skips, _later, _caught_up, _calendar, _limited, _backfilled, _edited, _paused,
        _triggered, _seconds, _queues, _broken, _jittered, _replaces, _every, _fixed_delay, _minute, _silent, _queues_one, _any_chain,
    )  # fmt: skip
    while True:
        yield from round_


def _seconds(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    interval = dice.choice(SPARSE)
    return [
        Job(name=f"seconds-{name}", kind="crontab, seconds", schedule=every_nth_second(interval, dice.randrange(60)))
    ]


def _minute(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [
        Job(name=f"minute-{name}", kind="crontab, minutes", schedule=Crontab(every=dice.choice((1, 1, 2))), timeout=15)
    ]


def _every(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [Job(name=f"every-{name}", kind="@every", schedule=Every(dice.randrange(11, 38), began))]


def _fixed_delay(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    seconds = dice.choice((0.5, 2))
    return [
        Job(name=f"after-{name}", kind="@after", delay=dice.randrange(3, 12), service=Service.SLOW, seconds=seconds)
    ]


def _retried(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [
        Job(
            name=f"retried-{name}",
            kind="retries",
            schedule=every_nth_second(30, dice.randrange(30)),
            service=Service.FLAKY,
            failures=dice.choice((1, 2)),
            attempts=3,
            backoff=dice.choice((2, 5)),
        )
    ]


def _broken(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    schedule = every_nth_second(30, dice.randrange(30))
    return [
        Job(name=f"broken-{name}", kind="failures", schedule=schedule, service=Service.BROKEN, attempts=2, backoff=3)
    ]


def _overlapping(dice: random.Random, name: str, overlap: str) -> list[Job]:
    return [
        Job(
            name=f"{overlap.replace('_', '-')}-{name}",
            kind=f"overlap {overlap}",
            schedule=every_nth_second(dice.choice((10, 15, 20)), dice.randrange(10)),
            service=Service.SLOW,
            seconds=dice.choice((4, 9, 12)),
            timeout=25,
            overlap=overlap,
        )
    ]


def _skips(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return _overlapping(dice, name, "skip")


def _queues_one(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return _overlapping(dice, name, "queue_one")


def _replaces(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return _overlapping(dice, name, "replace")


def _queues(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [
        Job(
            name=f"queue-all-{name}",
            kind="overlap queue_all",
            schedule=every_nth_second(30, dice.randrange(30)),
            service=Service.SLOW,
            seconds=3,
            overlap="queue_all",
        )
    ]


def _caught_up(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [
        Job(
            name=f"catch-up-{policy}-{name}",
            kind=f"catch-up {policy}",
            schedule=every_nth_second(dice.choice(SPARSE), dice.randrange(10)),
            catch_up=policy,
            grace=20,
        )
        for policy in ("all", "latest", "skip")
    ]


def _calendar(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [Job(name=f"calendar-{name}", kind="calendar", schedule=every_nth_second(10), blocked=blocked)]


def _jittered(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    schedule = every_nth_second(20, dice.randrange(20))
    return [Job(name=f"jitter-{name}", kind="jitter", schedule=schedule, jitter=dice.choice((5, 30)))]


def _later(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [
        Job(
            name=f"later-{name}",
            kind="answers later",
            schedule=every_nth_second(20, dice.randrange(20)),
            service=Service.LATER,
            seconds=dice.choice((1, 6)),
            timeout=40,
        )
    ]


def _silent(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [
        Job(name=f"silent-{name}", kind="never answers", schedule=Crontab((7,)), service=Service.SILENT, timeout=30)
    ]


def _limited(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [
        Job(
            name=f"limited-{name}",
            kind="max_concurrency",
            schedule=Crontab((10, 11, 12, 40, 41, 42)),
            service=Service.SLOW,
            seconds=4,
            max_concurrency=2,
        )
    ]


def _chain(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    schedule = every_nth_second(30, dice.randrange(30))
    left = Job(name=f"chain-{name}-a", kind="chain", schedule=schedule)
    right = Job(name=f"chain-{name}-b", kind="chain", schedule=schedule, service=Service.SLOW, seconds=1)
    both = Job(name=f"chain-{name}-c", kind="chain, child", parents=(left.name, right.name))
    last = Job(name=f"chain-{name}-d", kind="chain, child", parents=(both.name,))
    return [left, right, both, last]


def _any_chain(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    first = Job(name=f"chain-{name}-a", kind="chain", schedule=every_nth_second(30, dice.randrange(30)))
    return [first, Job(name=f"chain-{name}-b", kind="chain, child", parents=(first.name,), join="any")]


def _triggered(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [Job(name=f"triggered-{name}", kind="triggers")]


def _backfilled(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [Job(name=f"backfilled-{name}", kind="backfills", schedule=every_nth_second(30, dice.randrange(30)))]


def _edited(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [Job(name=f"edited-{name}", kind="edits", schedule=every_nth_second(15, dice.randrange(15)))]


def _paused(dice: random.Random, name: str, began: datetime, blocked: tuple[Span, ...]) -> list[Job]:
    return [Job(name=f"paused-{name}", kind="pauses", schedule=every_nth_second(15, dice.randrange(15)))]
