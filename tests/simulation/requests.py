"""What people ask of the API: to save, pause, trigger, cancel and so on, and what it answers in its log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minutehand.domain.errors import Conflict, Invalid, NotFound, Unavailable
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.definitions import calendars, manage
from minutehand.usecases.definitions.calendars import Content
from minutehand.usecases.operations.trigger import trigger
from tests.simulation import drawn

if TYPE_CHECKING:
    from minutehand.domain.job import JobKey
    from minutehand.usecases.ports.bundle import Ports
    from tests.simulation.engine import Process
    from tests.simulation.scenario import Scenario


class Requests:
    """Each is a process of its own, which the API function has half a minute for."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario

    def ask(self, name: str, do: Callable[[Ports], Any]) -> None:
        """Have something done now, which may be refused."""
        engine = self.scenario.engine

        def attempt(process: Process) -> None:
            try:
                do(self.scenario.ports(process))
            except (NotFound, Conflict, Invalid, Unavailable) as refused:
                engine.note(f"{name}: {refused}")

        engine.start(name, 30, attempt)

    def save(self, job: JobKey) -> None:
        """Save a definition that is drawn now."""
        random = self.scenario.engine.random
        definition = drawn.job(self.scenario, job)
        self.ask("save", lambda ports: manage.save(ports, definition, keep_paused=random.random() < 0.5, who="sim"))

    def pause(self, job: JobKey) -> None:
        self.ask("pause", lambda ports: manage.pause(ports, job, who="sim"))

    def resume(self, job: JobKey) -> None:
        self.ask("resume", lambda ports: manage.resume(ports, job, who="sim"))

    def delete(self, job: JobKey) -> None:
        self.ask("delete", lambda ports: manage.delete(ports, job, who="sim"))

    def trigger(self, job: JobKey) -> None:
        """Trigger, with a key that others use as well."""
        key = str(self.scenario.engine.random.randint(1, 3))
        self.ask("trigger", lambda ports: trigger(ports, job, idempotency_key=key))

    def cancel(self, job: JobKey) -> None:
        """Cancel one of its runs that are not over, if there is any."""
        active = [run.key for run in self.scenario.state.runs.values() if run.key.job == job and not run.state.finished]
        if active:
            key = self.scenario.engine.random.choice(active)
            self.ask("cancel", lambda ports: cancel(ports, key, who="sim"))

    def block(self) -> None:
        """Change what one of the calendars blocks."""
        random = self.scenario.engine.random
        wanted = drawn.calendar(random, random.choice(drawn.CALENDARS))
        content = Content(description="", dates=(), weekly=wanted.weekly, periods=wanted.periods)
        self.ask("calendar", lambda ports: calendars.save(ports, wanted.key, content, who="sim"))
