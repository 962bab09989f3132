"""Ticks, and bare calls of boto3 that carry the same data, over the same jobs."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from benchmarks import stack
from benchmarks.dispatch.clocked import Round, timed
from benchmarks.recorder import Bare, Recorder, refused
from benchmarks.scene import MINUTE, SHARDS, job, scene, store
from minutehand.entrypoints.threads import Threads
from minutehand.entrypoints.tick import AT_A_TIME
from minutehand.usecases.dispatching.tick import tick

_threads = Threads(AT_A_TIME)
"""As many as the function has."""


class Contest:
    """Rounds over so many jobs, each a minute of the benchmark's clock later than the last."""

    def __init__(self, dynamodb_url: str, sqs_url: str, *, load: int) -> None:
        self._dynamodb, self._sqs = stack.dynamodb(dynamodb_url), stack.sqs(sqs_url)
        self._load = load
        jobs_table, runs_table = stack.empty_tables(self._dynamodb)
        store(self._dynamodb, jobs_table, [job(f"report-{n:04d}", "* * * * *") for n in range(load)])
        queue = self._sqs.create_queue(QueueName=f"dispatch-{load}")["QueueUrl"]
        self._names = {"jobs_table": jobs_table, "runs_table": runs_table, "queue": queue}
        self._real = scene(self._dynamodb, self._sqs, texts=None, **self._names)
        self._calls: Counter[str] = Counter()
        for client in (self._dynamodb, self._sqs):
            client.meta.events.register("before-call", self._count)

    def tick(self) -> Round:
        """A tick.

        Raises:
            RuntimeError: when something was not claimed, sent or advanced: then the times mean nothing.
        """
        self._calls.clear()

        def dispatch() -> int:
            dispatched = tick(self._real.ports, shards=range(SHARDS), time_left=_an_hour, parallel=_threads)
            if dispatched.problems or not dispatched.claimed == dispatched.sent == dispatched.advanced == self._load:
                raise RuntimeError(f"the tick did not go as it should: {dispatched}")
            return dispatched.sent

        done = timed(dispatch)
        calls = self._calls.total()
        self._end_of_round()
        return done._replace(calls=calls)

    def bare(self) -> Round:
        """The requests of a tick that is rehearsed beforehand, sent by boto3 and by nothing else, on as many threads: where a server
        works on the same cores meanwhile, what goes side by side takes more of them than what goes one by one.

        Raises:
            RuntimeError: when something was refused.
        """
        bare = Bare(self._rehearsed(), queue=self._names["queue"])
        answers: list[Any] = []

        def dispatch() -> int:
            answers.extend(bare.send(self._dynamodb, self._sqs, _threads))
            return self._load

        done = timed(dispatch)
        failed = refused(answers)
        if failed:
            raise RuntimeError(f"the bare calls did not go as they should: {failed[:3]}")
        self._end_of_round()
        return done._replace(calls=bare.calls)

    def clear(self) -> None:
        """Leave nothing in the tables: a server that keeps all rounds would have them to write down at its end."""
        stack.empty_tables(self._dynamodb)

    def _rehearsed(self) -> Recorder:
        recorder = Recorder(self._dynamodb)
        client: Any = recorder
        rehearsal = scene(client, client, texts=None, **self._names)
        rehearsal.clock.now = self._real.clock.now
        tick(rehearsal.ports, shards=range(SHARDS), time_left=_an_hour)
        return recorder

    def _end_of_round(self) -> None:
        self._sqs.purge_queue(QueueUrl=self._names["queue"])
        self._real.clock.now += MINUTE

    def _count(self, model: Any, **_: Any) -> None:
        self._calls[model.name] += 1


def _an_hour() -> timedelta:
    """More than any tick takes, on however slow a server: what is left is not what is asked here."""
    return timedelta(hours=1)
