"""What dispatching an occurrence takes of the scheduler's processor, and how many it does a second, beside others."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

from benchmarks import stack
from benchmarks.dispatch import peer, servers
from benchmarks.dispatch.answer import table
from benchmarks.dispatch.contest import Contest
from benchmarks.dispatch.turns import Kind, Side, take
from benchmarks.metered import LOCAL, MINISTACK
from benchmarks.table import Table

LOADS = {2_000: 7, 20_000: 5}
"""How many jobs are due at once, and how many rounds are played: what is short is disturbed by little."""
LIMIT = 5
"""Seconds after which a round of beat ends wherever it is."""

T = TypeVar("T")


def tables() -> list[Table]:
    """Play all rounds."""
    question = _Question()
    with ExitStack() as running:
        ministack = running.enter_context(stack.ministack())
        aws = {MINISTACK: ministack}
        if local := question.started(running, LOCAL, stack.dynamodb_local()):
            aws[LOCAL] = local
        postgres = question.started(running, "PostgreSQL", servers.postgres())
        redis = question.started(running, "Redis", servers.redis())
        for url in aws.values():
            Contest(url, ministack, load=25).tick()  # once beforehand, for what is made at the first use
        for load in LOADS:
            question.ask(load, aws, postgres, redis)
    note = f"A round of beat lasts {LIMIT} s at most."
    return [table(question.played, question.absent, [note])]


class _Question:
    """What has been played, and what could not be."""

    def __init__(self) -> None:
        self.played: list[Side] = []
        self.absent: dict[str, str] = {}

    def started(self, running: ExitStack, name: str, program: AbstractContextManager[T]) -> T | None:
        """What a program is known by once it runs; None, and a reason kept, where it does not."""
        try:
            return running.enter_context(program)
        except (stack.AbsentError, RuntimeError, OSError, AssertionError) as trouble:
            self.absent[name] = str(trouble)
            return None

    def ask(
        self, load: int, aws: Mapping[str, str], postgres: servers.Server | None, redis: servers.Server | None
    ) -> None:
        """Have all sides play with so many jobs.

        Raises:
            RuntimeError: when ours fails, without which there is nothing to compare.
        """
        contests = {name: Contest(url, aws[MINISTACK], load=load) for name, url in aws.items()}
        sides: list[Side] = []
        for name, one in contests.items():  # those that are compared follow each other
            sides.append(Side(kind=Kind.OURS, server=name, load=load, play=one.tick))
            sides.append(Side(kind=Kind.BARE, server=name, load=load, play=one.bare))
        with ExitStack() as running:
            if postgres:
                program = peer.peer("apscheduler_peer", str(load), server=postgres.url)
                if asked := self.started(running, Kind.APSCHEDULER.value, program):
                    sides.append(Side(kind=Kind.APSCHEDULER, server="PostgreSQL", load=load, play=asked.play))
            if redis:
                program = peer.peer("celery_peer", str(load), str(LIMIT), server=redis.url)
                if asked := self.started(running, Kind.CELERY.value, program):
                    sides.append(Side(kind=Kind.CELERY, server="Redis", load=load, play=asked.play))
            take(sides, rounds=LOADS[load])
        for one in contests.values():
            one.clear()
        broken = [f"{one.server}: {one.trouble}" for one in sides if one.trouble and one.kind is Kind.OURS]
        if broken:
            raise RuntimeError("; ".join(broken))
        self.played += sides
