"""Handlers in tests, without AWS and without Minutehand: `HandlerTester`, and `handler_fixture` for pytest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from minutehand.handlers.app import App
from minutehand.handlers.declaration import NAME
from minutehand.handlers.invocation import Invocation, Parent
from minutehand.handlers.loading import find_app
from minutehand.handlers.outcome import Outcome
from minutehand.handlers.worker import Worker

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A run in a test: how it ended, and what it reported of its progress.

    Attributes:
        progress: the percentage and the line of each report, in order.
    """

    outcome: Outcome
    progress: tuple[tuple[int | None, str | None], ...]

    @property
    def result(self) -> Any:
        """The result as JSON. Raises the handler's own exception if the run failed."""
        if self.outcome.cause is not None:
            raise self.outcome.cause
        return self.outcome.result

    @property
    def error(self) -> tuple[str, str] | None:
        """The type and the message of the error; None if the run succeeded."""
        error = self.outcome.error
        return None if error is None else (error.type, error.message)


class HandlerTester:
    """Runs the handlers of an app in this process, each as Minutehand would: payload checked, inside of its middlewares.

    with HandlerTester("mypkg") as handlers:
        assert handlers.run("reports.nightly", {"day": "2026-11-20"}).result == {"rows": 7}
    """

    def __init__(self, app: App | str, *, now: Callable[[], datetime] = lambda: NOON) -> None:
        """Args:
        app: the app, or its name as `--app` takes it.
        now: the handlers' clock for deadlines; by default it stands still.
        """
        self.app = find_app(app) if isinstance(app, str) else app
        self._now = now
        self._worker = Worker(self.app, clock=now)

    def run(
        self,
        name: str,
        payload: Any = None,
        *,
        attempt: int = 1,
        attempts_left: int = 0,
        scheduled_for: datetime = NOON,
        timeout: timedelta = timedelta(minutes=1),
        parents: Sequence[Parent] | Mapping[str, Any] = (),
        cancel_after: int | None = None,
    ) -> Ran:
        """Run a handler once.

        Args:
            name: the handler's name, or the full name of a job.
            parents: the parents' runs; or their results by job, which then succeeded.
            cancel_after: cancel the run at its n-th report of progress or heartbeat; with 0, before it starts.
        """
        line = _Recorder(cancel_after)
        job = name if "/" in name else f"default/{name}"
        assert NAME.fullmatch(job), f"{name!r} is not the name of a handler"  # noqa: S101 - the mistake of a test
        invocation = Invocation(
            job=job,
            run_id=f"{scheduled_for.astimezone(UTC):%Y%m%dT%H%M%SZ}",
            attempt=attempt,
            attempts_left=attempts_left,
            scheduled_for=scheduled_for,
            deadline=self._now() + timeout,
            payload=payload,
            parents=_parents(parents, scheduled_for),
        )
        outcome = self._worker.run(invocation, line)
        return Ran(outcome=outcome, progress=tuple(line.said))

    def close(self) -> None:
        """Let the app's init function close what it opened."""
        self._worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def handler_fixture(app: App | str) -> Any:
    """A pytest fixture for the whole session, a `HandlerTester`: in conftest.py, `handlers = handler_fixture("mypkg")`."""
    import pytest  # noqa: PLC0415 - only tests have it

    @pytest.fixture(scope="session")
    def handlers() -> Iterator[HandlerTester]:
        with HandlerTester(app) as tester:
            yield tester

    return handlers


class _Recorder:
    """A `Line` that remembers what was reported."""

    def __init__(self, cancel_after: int | None) -> None:
        self.said: list[tuple[int | None, str | None]] = []
        self._left = cancel_after

    @property
    def unwanted(self) -> bool:
        return self._left == 0

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:
        self.said.append((percent, text))
        return self.heartbeat()

    def heartbeat(self) -> bool:
        if self._left:
            self._left -= 1
        return self.unwanted


def _parents(given: Sequence[Parent] | Mapping[str, Any], at: datetime) -> tuple[Parent, ...]:
    if not isinstance(given, Mapping):
        return tuple(given)
    named = {name if "/" in name else f"default/{name}": result for name, result in given.items()}
    return tuple(Parent.succeeded(job, f"{at:%Y%m%dT%H%M%SZ}", at, result) for job, result in named.items())
