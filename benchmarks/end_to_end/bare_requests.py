"""The requests of a worker, recorded and sent by boto3 and urllib3 alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from urllib3 import PoolManager

from benchmarks.recording import Step
from benchmarks.worker import SUCCEEDED
from minutehand.targets.http.fields import HttpTarget
from minutehand.targets.http.request import Request, request_of
from minutehand.usecases.ports.target import Call, Outcome

HTTP = "http"
"""The service of a call of the target."""


class Batch(NamedTuple):
    """The requests of a whole batch, then of each of its runs, which are concurrent."""

    shared: list[Step]
    runs: list[list[Step]]


class Recorder:
    """Records the requests of a worker that handles one run after another."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._batch = Batch([], [])

    def record(self, step: Step) -> None:
        """Record a request."""
        self._steps.append(step)

    def call(self, target: HttpTarget, call: Call) -> Outcome:
        """A target that is not called and succeeds."""
        self.record(Step(HTTP, "", request_of(target, call)))
        return SUCCEEDED

    def parallel(self, do: Callable[[Any], Any], what: Sequence[Any]) -> Iterable[Any]:
        """Map, one after another."""
        self._batch.shared.extend(self._taken())
        done = []
        for one in what:
            done.append(do(one))
            self._batch.runs.append(self._taken())
        return done

    def batch(self) -> Batch:
        """The requests since the last batch."""
        self._batch.shared.extend(self._taken())
        batch, self._batch = self._batch, Batch([], [])
        return batch

    def _taken(self) -> list[Step]:
        taken, self._steps = self._steps, []
        return taken


class Sender:
    """Sends recorded requests, those of the runs of a batch on as many threads as a worker has."""

    def __init__(self, clients: Mapping[str, Any], threads: ThreadPoolExecutor) -> None:
        self._clients = clients
        self._threads = threads
        self._pool = PoolManager()

    def send(self, batches: Sequence[Batch]) -> None:
        """Send all requests. boto3 raises for a refused one; answers are not read."""
        for batch in batches:
            self._send_all(batch.shared)
            list(self._threads.map(self._send_all, batch.runs))

    def _send_all(self, steps: Sequence[Step]) -> None:
        for step in steps:
            if step.service == HTTP:
                self._call(step.request)
            else:
                getattr(self._clients[step.service], step.operation)(**step.request)

    def _call(self, request: Request) -> None:
        url = f"http://{request.host}:{request.port}{request.path}"
        headers = dict(request.headers)
        answer = self._pool.request(request.method, url, headers=headers, body=request.body, retries=False)
        if answer.status != 200:
            raise RuntimeError(f"the target answered {answer.status}")
