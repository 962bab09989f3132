"""Histories in which people act: pauses with an end, resumes with a catch-up, triggers beside other runs, redrives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import RunState
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations import redrive, resume
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.stores import Payload
from tests.simulation.backfilling import Backfilling
from tests.simulation.engine import START
from tests.simulation.scenario import CHAOS, Scenario


class Interfering(Backfilling):
    """A history of backfills with more requests than saves, pauses and cancels."""

    quiet = timedelta(hours=24)
    """Long: backfills may retry runs after a quarter of an hour each, one after the other."""

    def play(self) -> None:
        """Play the whole history."""
        random, engine = self.engine.random, self.engine
        self.limits = dict.fromkeys(self.jobs)  # what a pause takes from a limited job is hard to tell from outside
        acts: list[Callable[[JobKey], None]] = [
            self._pause_until,
            self._catch_up,
            self.requests.pause,
            self._trigger_beside,
            self._redrive,
            self._redrive_lost,
        ]
        for _ in range(random.choice([3, 6, 12, 24])):
            job, act = random.choice(self.jobs), random.choice(acts)
            engine.at(
                START + timedelta(seconds=random.uniform(60, CHAOS.total_seconds())), lambda job=job, act=act: act(job)
            )
        super().play()

    def _pause_until(self, job: JobKey) -> None:
        until = self.engine.now.replace(microsecond=0) + timedelta(seconds=self.engine.random.randint(5, 200))
        self.requests.ask("pause until", lambda ports: manage.pause(ports, job, until=until, who=Actor("sim")))

    def _catch_up(self, job: JobKey) -> None:
        choice = self.engine.random.choice(list(CatchUp))
        self.requests.ask(
            "resume with a catch-up", lambda ports: resume.resume(ports, job, catch_up=choice, who=Actor("sim"))
        )

    def _trigger_beside(self, job: JobKey) -> None:
        number = self.engine.random.randint(1, 3)
        self.requests.ask(
            "trigger beside",
            lambda ports: trigger(
                ports,
                job,
                idempotency_key=f"beside {number}",
                payload=Payload(number),
                ignore_overlap=True,
                who=Actor("ada"),
            ),
        )

    def _redrive(self, job: JobKey) -> None:
        self.requests.ask("redrive", lambda ports: redrive.redrive(ports, job, limit=20, cursor=None))

    def _redrive_lost(self, job: JobKey) -> None:
        self.requests.ask(
            "redrive what was lost", lambda ports: redrive.redrive_lost(ports, job, limit=20, cursor=None)
        )


def worn_out(scenario: Scenario) -> Iterator[str]:
    """Runs that were lost although nothing was wrong with them: they only waited for others."""
    for run in scenario.state.runs.values():
        if run.state is RunState.LOST and not run.attempt:
            said = run.error.message if run.error else ""
            yield f"{run.key.job} {run.key.run_id}: lost without an attempt: {said}"
