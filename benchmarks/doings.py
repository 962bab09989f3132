"""What is done on a metered scene to see what it costs: what becomes of scheduled runs, each a few steps. `Play.count` is where counting begins."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from benchmarks.play import CANCELLED, DONE, REFUSED, WHO, Died, Play, answer
from minutehand.domain.job import Backoff, CatchUp, Overlap, Retry
from minutehand.domain.run import RunKey
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.dispatching.send import message_for
from minutehand.usecases.ports.target import Outcome

_TWO = "0,3 10 * * *"
_TWICE = Retry(max_attempts=2)


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


def notes(play: Play) -> None:
    """A run that notes what it uses."""
    one_run(play, record_units=True)


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


def retried_under_a_lock(play: Play) -> None:
    """A second attempt of a run whose overlap is not `allow`."""
    one_run(play, REFUSED, retry=_TWICE, overlap=Overlap.QUEUE_ALL)
    play.later(60)
    play.work()


def starts_late(play: Play) -> None:
    """A run whose jitter is longer than a message can wait."""
    play.save(jitter=timedelta(hours=12))
    play.count()
    play.due()
    play.at("22:30:00")
    play.tick()
    play.later(1)
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
    play.ports.outbox.send([message_for(play.run(key))])
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
    namespaces.pause(play.ports, play.key.namespace, who=WHO)
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
