"""Rounds of Minutehand's tick, and of bare boto3 calls with the same data."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks import emulators
from benchmarks.dispatch.bare_requests import BareRequests, refused
from benchmarks.dispatch.rounds import Round, timed
from benchmarks.recording import RecordingClient, Step
from benchmarks.workload import MINUTE, connect, jobs, store
from minutehand.entrypoints.tick import AT_A_TIME, Threads

_threads = Threads(AT_A_TIME)
"""As many as the function has."""


class Dispatcher:
    """So many jobs on a server; each round is a minute of the benchmark's clock later."""

    def __init__(self, dynamodb_url: str, sqs_url: str, *, load: int) -> None:
        self._dynamodb, self._sqs = emulators.dynamodb(dynamodb_url), emulators.sqs(sqs_url)
        self._load = load
        jobs_table, runs_table = emulators.empty_tables(self._dynamodb)
        store(self._dynamodb, jobs_table, jobs(load, "* * * * *"))
        queue = self._sqs.create_queue(QueueName=f"dispatch-{load}")["QueueUrl"]
        self._names = {"jobs_table": jobs_table, "runs_table": runs_table, "queue": queue}
        self._stack = connect(self._dynamodb, self._sqs, texts=None, **self._names)
        self._calls: Counter[str] = Counter()
        for client in (self._dynamodb, self._sqs):
            client.meta.events.register("before-call", self._count)

    def tick(self) -> Round:
        """A tick."""
        self._calls.clear()
        done = timed(lambda: self._stack.tick(sends=self._load, advances=self._load, parallel=_threads))
        calls = self._calls.total()
        self._end_round()
        return done._replace(calls=calls)

    def bare(self) -> Round:
        """The requests of the next tick, sent by boto3 alone on as many threads.

        Raises:
            RuntimeError: when one was refused.
        """
        requests = BareRequests(self._recorded(), queue=self._names["queue"])
        answers: list[Any] = []

        def dispatch() -> int:
            answers.extend(requests.send(self._dynamodb, self._sqs, _threads))
            return self._load

        done = timed(dispatch)
        failed = refused(answers)
        if failed:
            raise RuntimeError(f"bare calls failed: {failed[:3]}")
        self._end_round()
        return done._replace(calls=requests.calls)

    def clear(self) -> None:
        """Empty the tables: MiniStack would write them to disk when it stops."""
        emulators.empty_tables(self._dynamodb)

    def _recorded(self) -> list[Step]:
        recorded: list[Step] = []
        dynamodb: Any = RecordingClient("dynamodb", self._dynamodb, recorded.append)
        sqs: Any = RecordingClient("sqs", self._sqs, recorded.append)
        rehearsal = connect(dynamodb, sqs, texts=None, **self._names)
        rehearsal.clock.now = self._stack.clock.now
        rehearsal.tick()
        return recorded

    def _end_round(self) -> None:
        self._sqs.purge_queue(QueueUrl=self._names["queue"])
        self._stack.clock.now += MINUTE

    def _count(self, model: Any, **_: Any) -> None:
        self._calls[model.name] += 1
