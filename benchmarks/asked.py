"""What people, targets and other jobs ask for, to see what it costs; and what is left of it in the end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from benchmarks.play import CANCELLED, DONE, WHO, Play
from benchmarks.scene import NINE
from minutehand.domain.job import Dependency, JobKey, On
from minutehand.domain.run import Progress, Run, RunKey, RunState
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.completion import answers
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.completion.trim import STRIDE, chosen, trim
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.stores import Payload

BACKFILLED = 10
TRIMMED, _KEPT = 32, 8
_LATER = HttpTarget(method="POST", url="https://example.com/close", mode=Mode.CALLBACK)
_HEARD = replace(_LATER, heartbeat=timedelta(seconds=30))


def answered_later(play: Play) -> None:
    """A run whose target takes the work on and reports."""
    play.save(target=_LATER)
    play.count()
    play.due()
    answers.report(play.ports, play.taken_on(), DONE)


def answered_much_later(play: Play) -> None:
    """One that may take hours."""
    play.save(target=_LATER, timeout=timedelta(hours=6))
    play.count()
    play.due()
    speaker = play.taken_on()
    play.later(3600)
    answers.report(play.ports, speaker, DONE)


def heard_of(play: Play) -> None:
    """A heartbeat that says how far the target is."""
    play.save(target=_HEARD)
    play.due()
    speaker = play.taken_on()
    play.count()
    play.later(10)
    answers.heartbeat(play.ports, speaker, Progress(percent=40, text="4 of 10 ledgers"))


def cancelled_early(play: Play) -> None:
    """A run that is cancelled before its start."""
    play.save()
    play.count()
    key = play.due()
    cancel(play.ports, key, who=WHO)
    play.work()


def cancelled_under_way(play: Play) -> None:
    """A run whose worker is told to end its call."""
    play.save()
    play.count()
    key = play.due()

    def asked_to_end() -> None:
        cancel(play.ports, key, who=WHO)

    play.meanwhile(asked_to_end, CANCELLED)


def triggered(play: Play) -> None:
    """A run that is asked for by hand."""
    _triggered(play, None)


def triggered_with_payload(play: Play) -> None:
    """With a payload of its own."""
    _triggered(play, Payload({"ledger": "spare", "dry_run": True}))


def _triggered(play: Play, payload: Payload | None) -> None:
    play.save()
    play.count()
    trigger(play.ports, play.key, idempotency_key="once", payload=payload)
    play.later(1)
    play.work()


def backfilled(play: Play) -> None:
    """Past occurrences, one after the other."""
    play.save()
    play.count()
    backfill.start(
        play.ports, play.key, BackfillSpec(NINE - timedelta(days=BACKFILLED), NINE), identity="spring", who=WHO
    )
    play.work(messages=BACKFILLED)


def followed(play: Play) -> None:
    """A run whose end starts another job's."""
    play.save()
    play.save("after", "@manual", depends_on=(Dependency(play.key, On.SUCCESS),))
    play.count()
    play.due()
    play.work(messages=2)


def trimmed(play: Play) -> None:
    """The oldest runs of a job that keeps few."""
    play.save(retention_count=_KEPT)
    old = [_ended(play.key, days) for days in range(2, 2 + TRIMMED + _KEPT)]
    play.ports.runs.claim(old)
    play.count()
    last = next(run for run in (_ended(play.key, -days) for days in range(1000)) if chosen(run.key, STRIDE))
    trim(last, play.ports.definitions.get([play.key])[play.key], play.ports)


def _ended(job: JobKey, days_ago: int) -> Run:
    instant = NINE - timedelta(days=days_ago)
    return Run(
        key=RunKey.scheduled(job, instant),
        target="http",
        revision=1,
        claimed_at=instant,
        expires_at=instant + timedelta(days=90),
        state=RunState.SUCCEEDED,
        attempt=1,
        finished_at=instant,
    )
