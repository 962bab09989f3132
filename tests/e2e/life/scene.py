"""The setting of a scenario: its own namespace on the deployed stack, and services whose answers a test chooses."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from localstack.echo import EchoHandler, EchoServer

from minutehand.client import Client
from tests.e2e.conftest import Stack, eventually, instant

PATIENCE = 120
"""Seconds that something may take at most; the machine may be busy."""


_AT_ONCE = threading.BoundedSemaphore(2)


class Asked:
    """The client, with no more than two requests at once by all scenarios together: each takes two functions, and as many processors."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def ask(*arguments: Any, **named: Any) -> Any:
            with _AT_ONCE:
                answer = method(*arguments, **named)
                return list(answer) if isinstance(answer, Iterator) else answer

        return ask


class Step(NamedTuple):
    """How a call is answered, and after how many seconds; or once its service is let go."""

    status: int = 200
    seconds: float = 0
    held: bool = False


AT_ONCE = Step()


class Service(EchoServer):
    """A service that answers its first calls by these steps, and all others by `then`.

    Attributes:
        most_at_once: how many calls were under way at the same time.
        let_go: set when the calls that are held are to be answered.
    """

    def __init__(self, *steps: Step, then: Step) -> None:
        super().__init__(0)
        self.RequestHandlerClass = _Handler
        self._steps = list(steps)
        self._then = then
        self._lock = threading.Lock()
        self._under_way = 0
        self.most_at_once = 0
        self.let_go = threading.Event()

    @contextmanager
    def call(self) -> Iterator[Step]:
        """A call is under way, and is to be answered so."""
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            step = self._steps.pop(0) if self._steps else self._then
        try:
            yield step
        finally:
            with self._lock:
                self._under_way -= 1


class _Handler(EchoHandler):
    server: Service

    def answer(self) -> None:
        with self.server.call() as self._step:
            super().answer()

    do_GET = do_POST = answer  # noqa: N815 (the library's names)

    def _wait(self, query: dict[str, list[str]]) -> None:
        time.sleep(self._step.seconds)
        if self._step.held:
            self.server.let_go.wait(PATIENCE)

    def _send(self, status: int, value: object) -> None:
        try:
            super()._send(self._step.status, value)
        except ConnectionError:
            self.close_connection = True  # whoever called has given up


class Scene:
    """One scenario's part of the stack. `ready` waits for all scenarios that are played together; `kill` does, and kills every worker."""

    def __init__(self, stack: Stack, ready: Callable[[], object], kill: Callable[[], object]) -> None:
        self.stack = stack
        self.client = Asked(stack.client)
        self.ready = ready
        self.kill = kill
        self.namespace = f"test-{uuid.uuid4().hex[:8]}"
        self._left = ExitStack()

    def close(self) -> None:
        """Stop the services."""
        self._left.close()

    def service(self, *steps: Step, then: Step = AT_ONCE) -> Service:
        """A service that is up as long as the scenario lasts."""
        server = self._left.enter_context(Service(*steps, then=then))
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        self._left.callback(thread.join)
        self._left.callback(server.shutdown)
        self._left.callback(server.let_go.set)
        return server

    def job(self, name: str, service: Service, *, target: dict[str, Any] | None = None, **fields: Any) -> str:
        """A job that calls a service, by default only when it is asked to; its full name."""
        called = {"type": "http", "url": service.url, **(target or {})}
        document = {"namespace": self.namespace, "name": name, "schedule": "@manual", "target": called, **fields}
        self.client.apply_job(document)
        return f"{self.namespace}/{name}"

    def trigger(self, job: str) -> str:
        """A run of the job, later by its id than those that were triggered before."""
        begun = datetime.now(UTC)
        time.sleep(1 - begun.microsecond / 1e6)
        return self.client.trigger(job)["run_id"]

    def runs(self, job: str) -> list[dict[str, Any]]:
        """All of a job's runs, oldest first."""
        return sorted(self.client.runs(job), key=lambda run: run["run_id"])

    def run(self, job: str, run_id: str) -> dict[str, Any]:
        return dict(self.client.run(job, run_id))

    def becomes(self, state: str, job: str, run_id: str) -> dict[str, Any]:
        """The run once it is in this state."""

        def look() -> dict[str, Any] | None:
            run = self.run(job, run_id)
            assert run["state"] == state or not run["finished_at"] or run["state"] == "retrying", run
            return run if run["state"] == state else None

        return eventually(look, seconds=PATIENCE, every=1, what=f"{job} {run_id} is {state}")

    def ended(self, job: str, run_id: str) -> dict[str, Any]:
        """The run once it has ended, in whatever way."""

        def look() -> dict[str, Any] | None:
            run = self.run(job, run_id)
            return run if run["finished_at"] and run["state"] != "retrying" else None

        return eventually(look, seconds=PATIENCE, every=1, what=f"the end of {job} {run_id}")

    def all_ended(self, job: str, count: int) -> list[dict[str, Any]]:
        """The job's runs that have ended, oldest first, once they are so many."""

        def look() -> list[dict[str, Any]] | None:
            runs = [run for run in self.runs(job) if run["finished_at"] and run["state"] != "retrying"]
            return runs if len(runs) >= count else None

        return eventually(look, seconds=PATIENCE, every=1, what=f"{count} runs of {job} have ended")

    def calls(self, service: Service, count: int) -> list[dict[str, Any]]:
        """What arrived at a service, once it is so much."""
        eventually(lambda: len(service.calls) >= count, seconds=PATIENCE, every=1, what=f"{count} calls")
        return list(service.calls)

    def soon(self, seconds: int) -> tuple[datetime, str]:
        """An instant so many seconds ahead, and a schedule that names it."""
        due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=seconds)
        return due, f"{due.second} {due.minute} {due.hour} * * *"

    def explained(self, job: str) -> list[dict[str, Any]]:
        """What is said of the job up to this second, and with it; of each of its runs that is over, what became of it is said."""
        runs = [run for run in self.runs(job) if run["finished_at"] and run["state"] != "retrying"]
        start = min([instant(run["scheduled_for"]) for run in runs], default=datetime.now(UTC)) - timedelta(minutes=1)
        end = datetime.now(UTC) + timedelta(seconds=1)
        findings = [dict(one) for one in self.client.explain(job, start=start, end=end)["items"]]
        for run in runs:
            kind = "skipped" if run["state"] == "skipped" else "ran"
            at = instant(run["scheduled_for"])
            about = [one for one in findings if instant(one["first"]) <= at <= instant(one["last"])]
            assert kind in {one["kind"] for one in about}, (run, findings)
        return findings
