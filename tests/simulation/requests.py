"""Requests to the API: saves, pauses, triggers, cancels and so on, and the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict, Invalid, NotFound, RunsQuotaReached, Unavailable
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.definitions import calendars, manage
from minutehand.usecases.definitions.calendars import Content
from minutehand.usecases.operations.trigger import trigger
from tests.simulation import drawn

if TYPE_CHECKING:
    from minutehand.domain.job_key import JobKey
    from minutehand.usecases.ports.bundle import Ports
    from tests.simulation.engine import Process
    from tests.simulation.scenario import Scenario


class Requests:
    """Each request is a process of its own, which has half a minute, as the API function has."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario

    def ask(self, name: str, do: Callable[[Ports], Any]) -> None:
        """Make a request now; it may be refused."""
        engine = self.scenario.engine

        def attempt(process: Process) -> None:
            try:
                do(self.scenario.ports(process))
            except (NotFound, Conflict, Invalid, RunsQuotaReached, Unavailable) as refused:
                engine.note(f"{name}: {refused}")

        engine.start(name, 30, attempt)

    def save(self, job: JobKey) -> None:
        """Save a definition drawn at random."""
        random = self.scenario.engine.random
        definition = drawn.job(self.scenario, job)
        self.ask(
            "save", lambda ports: manage.save(ports, definition, keep_paused=random.random() < 0.5, who=Actor("sim"))
        )

    def pause(self, job: JobKey) -> None:
        self.ask("pause", lambda ports: manage.pause(ports, job, who=Actor("sim")))

    def resume(self, job: JobKey) -> None:
        self.ask("resume", lambda ports: manage.resume(ports, job, who=Actor("sim")))

    def delete(self, job: JobKey) -> None:
        self.ask("delete", lambda ports: manage.delete(ports, job, who=Actor("sim")))

    def trigger(self, job: JobKey) -> None:
        """Trigger with a key that other requests use too; sometimes with several at once."""
        random = self.scenario.engine.random
        for key in random.sample("123", k=random.choice([1, 1, 3])):
            self.ask("trigger", lambda ports, key=key: trigger(ports, job, idempotency_key=key, who=Actor("ada")))

    def cancel(self, job: JobKey) -> None:
        """Cancel an active run of the job, if there is one."""
        active = [run.key for run in self.scenario.state.runs.values() if run.key.job == job and not run.state.finished]
        if active:
            key = self.scenario.engine.random.choice(active)
            self.ask("cancel", lambda ports: cancel(ports, key, who=Actor("sim")))

    def block(self) -> None:
        """Change what one of the calendars blocks."""
        random = self.scenario.engine.random
        wanted = drawn.calendar(random, random.choice(drawn.CALENDARS))
        content = Content(description="", dates=(), weekly=wanted.weekly, periods=wanted.periods)
        self.ask("calendar", lambda ports: calendars.save(ports, wanted.key, content, who=Actor("sim")))
