"""Changes of a job, to see what they cost."""

from __future__ import annotations

from benchmarks.play import WHO, Play
from minutehand.usecases.definitions import manage


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
    manage.pause(play.ports, play.key, who=WHO)
    _looked_at_again(play)


def resumed(play: Play) -> None:
    """After a pause, with nothing to catch up."""
    play.save()
    manage.pause(play.ports, play.key, who=WHO)
    _looked_at_again(play)
    play.count()
    manage.resume(play.ports, play.key, who=WHO)
    _looked_at_again(play)


def deleted(play: Play) -> None:
    """With a tombstone."""
    play.save()
    play.count()
    manage.delete(play.ports, play.key, who=WHO)
    _looked_at_again(play)


def _looked_at_again(play: Play) -> None:
    """The tick sees to the stretch that the change left behind."""
    play.later(180)
    play.tick()
