"""What is done on a metered scene to see what it costs: runs of every kind, each a few steps. `Play.count` is where counting begins."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from benchmarks.play import CANCELLED, DONE, REFUSED, WHO, Died, Play, answer
from benchmarks.scene import NINE
from minutehand.domain.job import Backoff, CatchUp, Dependency, HttpTarget, JobKey, Mode, On, Overlap, Retry
from minutehand.domain.run import Progress, Run, RunKey, RunState
from minutehand.usecases import answers, backfill, manage, namespaces
from minutehand.usecases.backfill import Asked
from minutehand.usecases.calling import Outcome
from minutehand.usecases.cancel import cancel
from minutehand.usecases.claiming import message_for
from minutehand.usecases.ports import Payload
from minutehand.usecases.trigger import trigger
from minutehand.usecases.trim import STRIDE, chosen, trim

BACKFILLED = 10
TRIMMED, _KEPT = 32, 8
_TWO = "0,3 10 * * *"
_TWICE = Retry(max_attempts=2)
_LATER = HttpTarget(method="POST", url="https://example.com/close", mode=Mode.CALLBACK)
_HEARD = _LATER._replace(heartbeat=timedelta(seconds=30))


def one_run(play: Play, *outcomes: Outcome, **fields: Any) -> None:
    """A run, from the claim to the report."""
    play.save(**fields)
    play.count()
    play.due()
    play.work(*outcomes)


def plain(play: Play) -> None:
    """A job that uses nothing."""
    one_run(play)


def unused(play: Play) -> None:
    """Policies that do not come to bear."""
    one_run(play, retry=_TWICE, run_timeout=timedelta(hours=1), jitter=timedelta(seconds=1), takeovers=5)


def fails(play: Play) -> None:
    """No attempt but the first, and it fails."""
    one_run(play, REFUSED)


def long_answer(play: Play) -> None:
    """More than the record holds, and less than 1 KB."""
    one_run(play, answer(200, 512))


def longer_answer(play: Play) -> None:
    """More than is kept beside the run."""
    one_run(play, answer(200, 100_000))


def retried(play: Play) -> None:
    """A second attempt, after one without an answer."""
    one_run(play, REFUSED, retry=_TWICE)
    play.later(60)
    play.work()


def retried_after_an_answer(play: Play) -> None:
    """A second attempt, after a 503."""
    one_run(play, answer(503, 20), retry=_TWICE)
    play.later(60)
    play.work()


def retried_much_later(play: Play) -> None:
    """A second attempt, later than a message can wait."""
    wait = timedelta(hours=2)
    one_run(play, REFUSED, retry=Retry(max_attempts=2, backoff=Backoff(initial=wait, max=wait, jitter=0)))
    play.at("11:59:00")
    play.tick()
    play.at("12:00:05")
    play.work()


def tried(play: Play, attempts: int) -> RunKey:
    """A run of so many attempts, none of them answered but the last."""
    backoff = Backoff(initial=timedelta(seconds=1), factor=1, jitter=0)
    play.save(retry=Retry(max_attempts=20, backoff=backoff))
    play.count()
    key = play.due()
    for number in range(1, attempts + 1):
        play.work(DONE if number == attempts else REFUSED)
        play.later(60)
    return key


def taken_over(play: Play) -> None:
    """The worker dies during the call; another makes the next attempt."""

    def dies(_target: Any, _call: Any) -> Outcome:
        raise Died

    play.save()
    play.count()
    key = play.due()
    try:
        play.call(dies)
    except Died:
        play.later(600)
    play.world.outbox.send([message_for(play.run(key))])
    play.work()


def locked(play: Play) -> None:
    """A run whose overlap is not `allow`, with nothing in its way."""
    one_run(play, overlap=Overlap.QUEUE_ALL)


def two_apart(play: Play) -> None:
    """Two runs of such a job that do not meet."""
    play.save(schedule=_TWO, overlap=Overlap.QUEUE_ALL)
    play.count()
    for minute in (0, 3):
        play.due(minute)
        play.work()


def skips(play: Play) -> None:
    """The second of two runs that meet is skipped."""
    _meet(play, Overlap.SKIP)


def queues(play: Play) -> None:
    """The second of two runs that meet waits, and is woken."""
    _meet(play, Overlap.QUEUE_ALL)
    play.work()


def replaces(play: Play) -> None:
    """The first of two runs that meet is cancelled, and the second waits for its end."""
    _meet(play, Overlap.REPLACE, CANCELLED)
    play.work()


def _meet(play: Play, overlap: Overlap, outcome: Outcome = DONE, **fields: Any) -> None:
    play.save(schedule=_TWO, overlap=overlap, timeout=timedelta(minutes=14), **fields)
    play.count()
    play.due()

    def second() -> None:
        play.due(3)
        play.work(may_stay=True)

    play.meanwhile(second, outcome)


def limited(play: Play) -> None:
    """A run that finds a slot."""
    one_run(play, max_concurrency=5)


def limited_and_locked(play: Play) -> None:
    """A run that needs two permits."""
    one_run(play, max_concurrency=5, overlap=Overlap.QUEUE_ALL)


def two_limited_apart(play: Play) -> None:
    """Two runs that find the only slot free."""
    play.save(schedule=_TWO, max_concurrency=1)
    play.count()
    for minute in (0, 3):
        play.due(minute)
        play.work()


def looks_again(play: Play) -> None:
    """The second of two runs finds no slot, and one when it looks again."""
    _meet(play, Overlap.ALLOW, max_concurrency=1)
    play.later(30)
    play.work()


def in_a_pause(play: Play) -> None:
    """A run that is due while its namespace is paused."""
    namespaces.pause(play.world, play.key.namespace, who=WHO)
    one_run(play)


def delayed(play: Play) -> None:
    """A run of a fixed delay, which arms the next."""
    play.at("09:50:00")
    one_run(play, schedule="@after 10m")


def counted(play: Play) -> None:
    """A run of a job that has so many."""
    one_run(play, max_runs=5)


def missed(play: Play) -> None:
    """A stretch that is skipped, and looked at again."""
    play.save(catch_up=CatchUp.SKIP)
    play.count()
    play.at("15:00:00")
    play.tick()
    play.later(180)
    play.tick()


def answered_later(play: Play) -> None:
    """A run whose target takes the work on and reports."""
    play.save(target=_LATER)
    play.count()
    play.due()
    answers.report(play.world, play.taken_on(), DONE)


def answered_much_later(play: Play) -> None:
    """One that may take hours."""
    play.save(target=_LATER, timeout=timedelta(hours=6))
    play.count()
    play.due()
    speaker = play.taken_on()
    play.later(3600)
    answers.report(play.world, speaker, DONE)


def heard_of(play: Play) -> None:
    """A heartbeat that says how far the target is."""
    play.save(target=_HEARD)
    play.due()
    speaker = play.taken_on()
    play.count()
    play.later(10)
    answers.heartbeat(play.world, speaker, Progress(percent=40, text="4 of 10 ledgers"))


def cancelled_early(play: Play) -> None:
    """A run that is cancelled before its start."""
    play.save()
    play.count()
    key = play.due()
    cancel(play.world, key, who=WHO)
    play.work()


def cancelled_under_way(play: Play) -> None:
    """A run whose worker is told to end its call."""
    play.save()
    play.count()
    key = play.due()

    def asked_to_end() -> None:
        cancel(play.world, key, who=WHO)

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
    trigger(play.world, play.key, idempotency_key="once", payload=payload)
    play.later(1)
    play.work()


def backfilled(play: Play) -> None:
    """Past occurrences, one after the other."""
    play.save()
    play.count()
    backfill.start(play.world, play.key, Asked(NINE - timedelta(days=BACKFILLED), NINE), identity="spring", who=WHO)
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
    play.world.runs.claim(old)
    play.count()
    last = next(run for run in (_ended(play.key, -days) for days in range(1000)) if chosen(run.key, STRIDE))
    trim(last, play.world.definitions.get([play.key])[play.key], play.world)


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


def created(play: Play) -> None:
    """A new job in a new namespace."""
    play.save()


def edited(play: Play) -> None:
    """The same instants, called otherwise."""
    play.save()
    play.count()
    play.save(description="closes the books of the day")


def rescheduled(play: Play) -> None:
    """Other instants."""
    play.save()
    play.count()
    play.save(schedule="0 11 * * *")
    _looked_at_again(play)


def paused(play: Play) -> None:
    """Until it is resumed."""
    play.save()
    play.count()
    manage.pause(play.world, play.key, who=WHO)
    _looked_at_again(play)


def resumed(play: Play) -> None:
    """After a pause, with nothing to catch up."""
    play.save()
    manage.pause(play.world, play.key, who=WHO)
    _looked_at_again(play)
    play.count()
    manage.resume(play.world, play.key, who=WHO)
    _looked_at_again(play)


def deleted(play: Play) -> None:
    """With a tombstone."""
    play.save()
    play.count()
    manage.delete(play.world, play.key, who=WHO)
    _looked_at_again(play)


def _looked_at_again(play: Play) -> None:
    """The tick sees to the stretch that the change left behind."""
    play.later(180)
    play.tick()
