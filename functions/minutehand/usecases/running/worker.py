"""The worker: what it has besides the ports, and the result that it gives for each message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, Protocol

from minutehand.domain.job import Job, Target
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Run, RunState
from minutehand.usecases.ports.messages import Inbox, Received
from minutehand.usecases.ports.meter import Meter
from minutehand.usecases.ports.target import Call, TargetCaller
from minutehand.usecases.running.cancel_watch import Background, Watch
from minutehand.usecases.running.slow_calls import SlowCalls, at_once

if TYPE_CHECKING:
    from minutehand.domain.concurrency import Full
    from minutehand.domain.definition import Definition

Sleep = Callable[[float], None]
"""Waits this many seconds."""


class Forwarded(NamedTuple):
    """Another queue has accepted a message of the run. Whoever receives that message starts the attempt."""


class Forward(Protocol):
    """Passes a run that may start on to whoever starts it in this worker's place."""

    def __call__(self, run: Run, definition: Definition, /) -> Forwarded | Full | None:
        """Send a message of the run on.

        Returns:
            None if this worker starts the run; `Full` if nobody can take it now, so that it has to wait.

        Raises:
            Unavailable: if the other queue did not take the message, or a store does not answer. This worker must not start the run.
        """


def nothing_called(_target: Target, _call: Call) -> Outcome:
    """The outcome of an attempt in shadow, without a description of the call."""
    return Outcome(RunState.SKIPPED, final=True)


class Parallel(Protocol):
    """Map with bounded concurrency; results in order."""

    def __call__(self, do: Callable[[Received], Handled], what: Sequence[Received], /) -> Iterable[Handled]: ...


class Handled(NamedTuple):
    """The result of one message.

    Attributes:
        deletable: whether the message may be deleted: the run is finished and followed up, or another message or a timer has a
            worker check it.
        run: as it is stored now, where known.
        started: whether this worker made an attempt.
        problem: what went wrong in Minutehand itself; empty when nothing did.
        unanswered: whether the cause is a store or the queue that did not answer, so that other runs may have the same problem.
        ended: whether this worker ended the run, or the attempt that is to be retried.
        moved: whether the slow lane, another worker, or the queue to which it was forwarded has a message of the run instead.
    """

    received: Received
    deletable: bool
    run: Run | None = None
    started: bool = False
    problem: str = ""
    unanswered: bool = False
    ended: bool = False
    moved: bool = False

    @property
    def achieved_nothing(self) -> bool:
        """Whether the message was not dealt with at all, because a store or the queue did not answer."""
        return self.unanswered and not (self.deletable or self.started or self.ended)


class Worker(NamedTuple):
    """What a worker has besides the ports.

    Attributes:
        token: makes an unguessable token for each attempt.
        time_left: returns how long this process may still run.
        meter: returns the meter for jobs with `record_units`; not called for others.
        watch: notices that a run was cancelled while its call is under way.
        slow_calls: in the quick lane, what this process knows of slow calls there; None in the slow lane.
        background: runs a function without waiting for it.
        shadow: takes the place of `call` for runs in shadow: describes the call and makes none.
        sleep: waits, for a message that came before its instant.
        callbacks: URL of the API, without a slash at its end; empty when targets cannot answer later.
        forward: asked before an attempt that calls its target begins; None if this worker starts every run itself.
        spread: asked before a target is called: begins an attempt on several nodes, and returns its outcome; None for any other.
        is_called_elsewhere: whether another worker calls targets of a type, by its name.
        name: its log stream, which runs record.
        proposed: the token that the attempt of a message is to have; empty where `token` makes one. Whoever proposed it gets the same
            attempt again when it asks again, so it has to be new for each message.
    """

    inbox: Inbox
    call: TargetCaller[Target]
    token: Callable[[], str]
    parallel: Parallel
    time_left: Callable[[], timedelta]
    meter: Callable[[], Meter]
    watch: Watch
    sleep: Sleep
    slow_calls: SlowCalls | None = None
    background: Background = at_once
    shadow: TargetCaller[Target] = nothing_called
    callbacks: str = ""
    forward: Forward | None = None
    spread: Callable[[Run, Job], Outcome | None] | None = None
    is_called_elsewhere: Callable[[str], bool] = lambda _: False
    name: str = ""
    proposed: Callable[[Received], str] = lambda _: ""
