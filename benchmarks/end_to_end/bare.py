"""What a worker asks of DynamoDB, SQS and the target, noted in a rehearsal, and asked again with nothing but boto3 and urllib3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, cast

from urllib3 import PoolManager

from benchmarks.end_to_end.working import ANSWER
from minutehand.domain.target import Target
from minutehand.targets.http.fields import HttpTarget
from minutehand.targets.http.request import Request, request_of
from minutehand.usecases.ports.target import Call, Outcome

WRITES = frozenset({"update_item", "change_message_visibility_batch"})
"""What a plain run's worker changes. In a rehearsal they are noted, and said to have gone well."""
HTTP = "http"


class Step(NamedTuple):
    """One request: to a service, by the name of its operation, or to the target (`HTTP`)."""

    service: str
    operation: str
    asked: Any


class Batch(NamedTuple):
    """What is asked for a whole batch, and then side by side for each run of it."""

    together: list[Step]
    apart: list[list[Step]]


class Rehearsal:
    """Notes what a worker asks while it handles a batch, one run after the other."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._batch = Batch([], [])

    def client(self, service: str, real: Any) -> Any:
        """A client that reads as the real one does, and writes nothing."""
        return _Noting(service, real, self.note)

    def note(self, step: Step) -> None:
        """One more request."""
        self._steps.append(step)

    def call(self, target: Target, call: Call) -> Outcome:
        """A target that is not called, and has answered well."""
        self.note(Step(HTTP, "", request_of(cast(HttpTarget, target), call)))
        return ANSWER

    def parallel(self, do: Callable[[Any], Any], what: Sequence[Any]) -> Iterable[Any]:
        """One after the other."""
        self._batch.together.extend(self._taken())
        done = []
        for one in what:
            done.append(do(one))
            self._batch.apart.append(self._taken())
        return done

    def batch(self) -> Batch:
        """What was asked since the last batch; one of a single message is handled where it is, side by side with nothing."""
        self._batch.together.extend(self._taken())
        noted, self._batch = self._batch, Batch([], [])
        return noted

    def _taken(self) -> list[Step]:
        taken, self._steps = self._steps, []
        return taken


class _Noting:
    def __init__(self, service: str, real: Any, note: Callable[[Step], None]) -> None:
        self._service, self._real, self._note = service, real, note

    def __getattr__(self, operation: str) -> Any:
        real = getattr(self._real, operation)

        def ask(**asked: Any) -> Any:
            self._note(Step(self._service, operation, asked))
            return {} if operation in WRITES else real(**asked)

        return ask


class Bare:
    """Asks what was noted: the runs of a batch side by side, on as many threads as a worker has."""

    def __init__(self, clients: Mapping[str, Any], threads: ThreadPoolExecutor) -> None:
        self._clients = clients
        self._threads = threads
        self._pool = PoolManager()

    def play(self, batches: Sequence[Batch]) -> None:
        """Ask everything, and look at none of the answers; boto3 raises for what is refused."""
        for batch in batches:
            self._ask(batch.together)
            list(self._threads.map(self._ask, batch.apart))

    def _ask(self, steps: Sequence[Step]) -> None:
        for step in steps:
            if step.service == HTTP:
                self._call(step.asked)
            else:
                getattr(self._clients[step.service], step.operation)(**step.asked)

    def _call(self, request: Request) -> None:
        answer = self._pool.request(
            request.method,
            f"http://{request.host}:{request.port}{request.path}",
            headers=dict(request.headers),
            body=request.body,
            retries=False,
        )
        if answer.status != 200:
            raise RuntimeError(f"the target answered {answer.status}")
