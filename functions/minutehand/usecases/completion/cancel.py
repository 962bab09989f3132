"""Cancel: end a run that nobody wants any more, at once where that can be, else by a flag that its worker or target sees."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.deadlines import attempts_over
from minutehand.domain.errors import Conflict, NotFound, Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.timer import Deadline
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.ports.bundle import Ports

_TRIES = 5


def cancel(ports: Ports, key: RunKey, *, who: str) -> Run:
    """End a run: one that waits for its start, for a retry, or for an answer without heartbeats, at once; any other when its worker or
    its target next looks. Answers the run as it then stands: cancelled, or active and marked. Asking again changes nothing.

    Raises:
        NotFound: when there is no such run.
        Conflict: when it has ended already.
    """
    run = ports.runs.get([key]).get(key)
    if run is None:
        raise NotFound(f"there is no run {key.run_id} of job {key.job}, or its retention is over")
    if run.state is RunState.CANCELLED:
        return run
    if run.state.finished:
        raise Conflict(f"run {key.run_id} of {key.job} has ended already: {run.state.value}")
    return ask_to_end(ports, run, by=who)


def ask_to_end(ports: Ports, run: Run, *, by: str) -> Run:
    """As `cancel`, of a run that was just read; one that ends meanwhile is left as it is."""
    definition = ports.definitions.get([run.key.job]).get(run.key.job)
    for _ in range(_TRIES):
        if run.state.finished:
            return run
        # By the attempt and not by the job, which may have got its heartbeat since: then nothing is due from its target before the deadline.
        heard = run.state is RunState.WAITING and run.lease_until != run.deadline_at
        if run.state is RunState.RUNNING or heard:
            after = run if run.cancelled_by else replace(run, cancelled_by=by)
            stands = run if run.cancelled_by else ports.runs.move(run, after)
            if stands == after:
                return stands
        else:
            after = cancelled(run, ports, by=run.cancelled_by or by)
            now = floor(ports.clock())
            deadline = Deadline(run=run.key, next_at=now)
            stands = ports.runs.move_reminding(run, after, deadline)
            if stands == after:
                try:
                    if follow_up(stands, definition, ports):
                        ports.timers.settle(deadline)
                except Unavailable:
                    pass  # the deadline has a worker do the rest
                return stands
        run = stands
    raise Conflict(f"run {run.key.run_id} of {run.key.job} kept moving while it was to be cancelled; try again")


def cancelled(run: Run, ports: Ports, *, by: str) -> Run:
    """The run that was ended because somebody asked for it; what is known of its output stays."""
    return replace(
        run,
        state=RunState.CANCELLED,
        cancelled_by=by,
        retry_at=None,
        deadline_at=None,
        finished_at=ports.clock(),
        attempts=attempts_over(run),
    )
