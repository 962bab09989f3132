"""A job whose runs take long, each until its target reports the end."""

from __future__ import annotations

from datetime import timedelta

from minutehand.domain.overlap_lock import Permit, lock_of
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE
from tests.unit.usecases.stage import SUCCESS, Stage

HOUR = timedelta(hours=1)
WAITS = Outcome(RunState.WAITING, Result("http", 202, ""))
FAILED = Outcome(RunState.FAILED, None, RunError("HttpStatus", "HTTP 503"))
BEATING = HttpTarget(method="GET", url="https://shop.test/", heartbeat=5 * MINUTE)
ALONE = [policy for policy in Overlap if policy is not Overlap.ALLOW]
QUEUES = [Overlap.QUEUE_ONE, Overlap.QUEUE_ALL]

QUEUED, RUNNING, WAITING = RunState.QUEUED, RunState.RUNNING, RunState.WAITING
SUCCEEDED, SKIPPED, CANCELLED = RunState.SUCCEEDED, RunState.SKIPPED, RunState.CANCELLED


class Later(Stage):
    """A stage whose target answers later, when a test says so."""

    def __init__(self, overlap: Overlap, **fields: object) -> None:
        super().__init__("08:59")
        self.tokens: dict[RunKey, str] = {}
        self.save(**{"overlap": overlap, "timeout": HOUR} | fields)

    def takes_on(self, made: Call) -> Outcome:
        self.tokens[made.run.key] = made.token
        return WAITS

    def pass_to(self, clock: str) -> None:
        """A tick at the clock time, and the messages that have arrived by then."""
        self.at(clock).tick()
        self.work(self.takes_on)

    def look(self, scheduled_for: str) -> None:
        """A message of a run arrives."""
        run = self.there(scheduled_for)
        self.execute([Received(run=run.key, attempt=run.attempt + 1, receipt="r")], self.takes_on)

    def end(self, scheduled_for: str, outcome: Outcome = SUCCESS) -> Run:
        """Report a run's end as its target."""
        run = self.there(scheduled_for)
        return report(self.ports, Speaker(run.key, run.attempt, self.tokens[run.key]), outcome)

    def there(self, scheduled_for: str) -> Run:
        run = self.run(scheduled_for)
        assert run is not None
        return run

    def states(self, *clocks: str) -> list[RunState]:
        return [self.there(clock).state for clock in clocks]

    @property
    def lock(self) -> Permit:
        return self.state.permits.get(lock_of(KEY), Permit(lock_of(KEY)))


def held_by_nine(overlap: Overlap, **fields: object) -> Later:
    """The 09:00 run waits for its answer, and it is 09:01."""
    stage = Later(overlap, **fields)
    stage.pass_to("09:00")
    stage.pass_to("09:01")
    return stage
