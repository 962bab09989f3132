"""The worker: what it has besides the world, and what it answers of each message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, Protocol

from minutehand.domain.run import Run
from minutehand.domain.target import Target
from minutehand.usecases.completion.cancel_watch import Watch
from minutehand.usecases.ports.messages import Inbox, Received
from minutehand.usecases.ports.target import TargetCaller
from minutehand.usecases.running.early_messages import Sleep

if TYPE_CHECKING:
    from minutehand.usecases.completion.metering import Meter


class Parallel(Protocol):
    """Does the same to each of several things, side by side, and gives the results in order."""

    def __call__(self, do: Callable[[Received], Handled], what: Sequence[Received], /) -> Iterable[Handled]: ...


class Handled(NamedTuple):
    """What became of one message.

    Attributes:
        deletable: whether the message may go: the run is finished and followed up, or another message or timer leads back to it.
        run: as it stands now, where known.
        started: whether this worker made an attempt.
        problem: what went wrong on our side; empty when nothing did.
    """

    received: Received
    deletable: bool
    run: Run | None = None
    started: bool = False
    problem: str = ""


class Worker(NamedTuple):
    """What a worker has besides the world.

    Attributes:
        token: makes an unguessable one for each attempt.
        meter: gives what counts, for jobs whose runs note what they use; not asked before there is one.
        watch: sees that somebody asks for the end of a run while its call is under way.
        sleep: lets a moment go by, for a message that came before its instant.
        callbacks: URL of the API, without a slash at its end; empty when targets cannot answer later.
        name: where its log lines are.
    """

    inbox: Inbox
    call: TargetCaller[Target]
    token: Callable[[], str]
    parallel: Parallel
    time_left: Callable[[], timedelta]
    meter: Callable[[], Meter]
    watch: Watch
    sleep: Sleep
    callbacks: str = ""
    name: str = ""
