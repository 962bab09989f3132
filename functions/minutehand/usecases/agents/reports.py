"""Reports: an agent tells how the attempts that it ran have ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Progress, Run
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.ports.bundle import Ports


class Report(NamedTuple):
    """The end of an attempt, and the progress that its command reported last."""

    speaker: Speaker
    outcome: Outcome
    progress: Progress | None = None


class Recorded(NamedTuple):
    """What became of a report: the run after it, or why it was not recorded, which is final."""

    run: Run | None
    problem: str = ""


def record(ports: Ports, reports: Sequence[Report]) -> Sequence[Recorded]:
    """Record the ends of attempts. One answer for each, in order.

    Raises:
        Unavailable: if a store did not answer for one of them. Those before it are recorded; the agent sends all again.
    """
    return [_recorded(ports, each) for each in reports]


def _recorded(ports: Ports, told: Report) -> Recorded:
    try:
        return Recorded(report(ports, told.speaker, told.outcome, told.progress))
    except (Conflict, NotAllowed) as refused:
        return Recorded(None, str(refused))
