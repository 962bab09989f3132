"""What people ask of the API: to save, pause, trigger, cancel and so on, and what it answers in its log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minutehand.domain.errors import Conflict, Invalid, NotFound, Unavailable
from minutehand.usecases.by_hand.trigger import trigger
from minutehand.usecases.definitions import calendars, manage
from minutehand.usecases.definitions.calendars import Content
from minutehand.usecases.ending.cancel import cancel
from tests.simulation import drawn

if TYPE_CHECKING:
    from minutehand.domain.job import JobKey
    from minutehand.usecases.ports.world import World
    from tests.simulation.engine import Process
    from tests.simulation.scenario import Scenario


class Requests:
    """Each is a process of its own, which the API function has half a minute for."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario

    def ask(self, name: str, do: Callable[[World], Any]) -> None:
        """Have something done now, which may be refused."""
        engine = self.scenario.engine

        def attempt(process: Process) -> None:
            try:
                do(self.scenario.world(process))
            except (NotFound, Conflict, Invalid, Unavailable) as refused:
                engine.note(f"{name}: {refused}")

        engine.start(name, 30, attempt)

    def save(self, job: JobKey) -> None:
        """Save a definition that is drawn now."""
        random = self.scenario.engine.random
        definition = drawn.job(self.scenario, job)
        self.ask("save", lambda world: manage.save(world, definition, keep_paused=random.random() < 0.5, who="sim"))

    def pause(self, job: JobKey) -> None:
        self.ask("pause", lambda world: manage.pause(world, job, who="sim"))

    def resume(self, job: JobKey) -> None:
        self.ask("resume", lambda world: manage.resume(world, job, who="sim"))

    def delete(self, job: JobKey) -> None:
        self.ask("delete", lambda world: manage.delete(world, job, who="sim"))

    def trigger(self, job: JobKey) -> None:
        """Trigger, with a key that others use as well."""
        key = str(self.scenario.engine.random.randint(1, 3))
        self.ask("trigger", lambda world: trigger(world, job, idempotency_key=key))

    def cancel(self, job: JobKey) -> None:
        """Cancel one of its runs that are not over, if there is any."""
        active = [run.key for run in self.scenario.state.runs.values() if run.key.job == job and not run.state.finished]
        if active:
            key = self.scenario.engine.random.choice(active)
            self.ask("cancel", lambda world: cancel(world, key, who="sim"))

    def block(self) -> None:
        """Change what one of the calendars blocks."""
        random = self.scenario.engine.random
        wanted = drawn.calendar(random, random.choice(drawn.CALENDARS))
        content = Content(description="", dates=(), weekly=wanted.weekly, periods=wanted.periods)
        self.ask("calendar", lambda world: calendars.save(world, wanted.key, content, who="sim"))
