"""The judge of attempts: their numbers and leases, and how many take-overs, retries and returns a run gets before it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.outcome import ErrorType
from minutehand.domain.policies import Retry
from minutehand.domain.run import Run, RunState
from minutehand.targets.command.fields import CommandTarget
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from tests.simulation.observed import Committed, Moved
    from tests.simulation.scenario import Scenario

SKEW = timedelta(seconds=1)
READ_BEFORE = timedelta(seconds=100)
"""How long before it acts a process may have read a definition: several calls of ports may each take 45 seconds."""
GIVEN_UP = timedelta(days=14)
"""How long after a worker should have started, checked or ended a run it may be lost, whatever keeps workers from that."""
HELD = (RunState.RUNNING, RunState.WAITING)
FINAL = {RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.CANCELLED, RunState.LOST}
UNSUCCESSFUL = (RunState.FAILED, RunState.TIMED_OUT)


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise."""
    moves: dict[object, list[Moved]] = {}
    for move in scenario.history.moves:
        moves.setdefault(move.after.key, []).append(move)
    return [
        f"{each[0].after.key.job} {each[0].after.key.run_id}: {problem}"
        for each in moves.values()
        for problem in _Judged(scenario).problems(each)
    ]


class _Judged:
    """One run, and what has been counted of it so far."""

    def __init__(self, scenario: Scenario) -> None:
        self._history, self._shadows = scenario.history, scenario.shadows
        self._started: set[int] = set()
        self._takeovers = self._tries = 0

    def problems(self, moves: Sequence[Moved]) -> Iterator[str]:
        for move in moves:
            if move.before is not None and move.before != move.after:
                yield from self._problems(move.before, move.after, move.at)

    def _problems(self, before: Run, after: Run, at: datetime) -> Iterator[str]:
        if before.state in FINAL:
            yield f"finished as {before.state.value}, then became {after.state.value}"
        if before.state is RunState.SKIPPED and after.state is not RunState.QUEUED:
            yield f"was skipped, then became {after.state.value}"
        if after.state is RunState.RUNNING and after.attempt != before.attempt:
            yield from self._begun(before, after, at)
        if before.state in HELD and after.state in FINAL - {RunState.LOST}:
            self._count(Rule.FENCED)
            if (after.attempt, after.nonce) != (before.attempt, before.nonce):
                yield f"a report of attempt {after.attempt} was accepted at attempt {before.attempt}"
        if after.takeovers > before.takeovers and after.state is RunState.RETRYING:
            yield from self._taken_over_from_silence(before, after, at)
            return
        if before.state in HELD and after.state in (RunState.SUCCEEDED, *UNSUCCESSFUL, RunState.RETRYING):
            self._count(Rule.ANSWERED)
            if not self._ended_as_answered(before, after, at):
                yield f"attempt {after.attempt} ended as {after.state.value} at {at}, and its target did not answer so"
        if after.state is not before.state and after.state in (*UNSUCCESSFUL, RunState.RETRYING):
            yield from self._unsuccessful(before, after, at)
        if after.state is RunState.LOST:
            yield from self._lost(before, at)

    def _begun(self, before: Run, after: Run, at: datetime) -> Iterator[str]:
        self._count(Rule.NUMBERED)
        if after.attempt in self._started:
            yield f"attempt {after.attempt} started twice"
        self._started.add(after.attempt)
        if after.attempt != before.attempt + 1:
            yield f"attempt {after.attempt} followed attempt {before.attempt}"
        if before.state is RunState.RETRYING:
            self._count(Rule.RETRY_NOT_EARLY)
            if before.retry_at is None or at + SKEW < before.retry_at:
                yield f"attempt {after.attempt} began at {at}, its retry was due at {before.retry_at}"
            if [one.number for one in after.attempts] != list(range(1, after.attempt)):
                yield f"attempt {after.attempt} remembers {[one.number for one in after.attempts]}"
        if before.state is RunState.RUNNING:
            self._count(Rule.LEASE)
            if before.lease_until and at + SKEW < before.lease_until:
                yield f"taken over at {at}, its lease ends at {before.lease_until}"
            self._count(Rule.DIED)
            if after.attempts[-1].finished_at != before.lease_until:
                yield f"attempt {before.attempt} died, and is not on record as ended with its lease, at {before.lease_until}"
            yield from self._taken_over(before, after.attempt, at)

    def _taken_over(self, before: Run, attempt: int, at: datetime) -> Iterator[str]:
        self._count(Rule.TAKEN_OVER)
        most = max(c.given.takeovers for c in self._in_sight(before, at - READ_BEFORE, at))
        self._takeovers += 1
        if self._takeovers > most:
            yield f"attempt {attempt} is take-over {self._takeovers}, {most} is the most"

    def _taken_over_from_silence(self, before: Run, after: Run, at: datetime) -> Iterator[str]:
        """An agent has sent no heartbeat in time, so another attempt is due at once."""
        self._count(Rule.LEASE)
        if before.state is not RunState.WAITING or before.lease_until is None or at + SKEW < before.lease_until:
            yield f"taken over at {at} in state {before.state.value}, its heartbeat was due by {before.lease_until}"
        if True not in self._by_agents(before, at):
            yield f"taken over at {at}, and its target is no command"
        if after.retry_at is None or after.retry_at > at + SKEW:
            yield f"taken over at {at}, and the next attempt is not due before {after.retry_at}"
        yield from self._taken_over(before, before.attempt + 1, at)

    def _unsuccessful(self, before: Run, after: Run, at: datetime) -> Iterator[str]:
        """An attempt has failed, or a run that was to be retried ended."""
        if _is_silence(before, after) and False not in self._by_agents(before, at):
            yield f"attempt {after.attempt} of a silent agent has failed, and was not taken over"
        self._tries += before.state in HELD
        known = self._in_sight(before, (before.started_at or at) - READ_BEFORE, at)
        limits = [c.given.retry.max_attempts for c in known]
        asked = self._history.asked.get((after.key, after.attempt), timedelta(0))
        if after.state is RunState.RETRYING:
            self._count(Rule.RETRIED)
            if self._tries >= max(limits):
                yield f"{self._tries} attempts failed, {max(limits)} is the most, and another is to follow"
            self._count(Rule.BACKOFF)
            if asked:
                self._count(Rule.ASKED)
            waits = [_backoff(c.given.retry, self._tries, asked) for c in known]
            ended, due = after.finished_at or at, after.retry_at or at
            if not any(least - SKEW <= due - ended <= most + SKEW for least, most in waits):
                right = " or ".join(f"{least} to {most}" for least, most in waits)
                yield f"waits {due - ended} after attempt {after.attempt}, its backoff and its target say {right}"
        elif before.cancelled_by or self._was_deleted(before, at) or self._was_in_shadow(before, at):
            return
        else:
            self._count(Rule.GIVEN_UP)
            over = before.state in HELD and self._tries >= min(limits)
            longest = max(_backoff(c.given.retry, max(self._tries, 1), asked)[1] for c in known)
            if not over and not _out_of_time(before, at, known, wait=longest):
                yield f"ended as {after.state.value} after {self._tries} attempts of {min(limits)}"

    def _ended_as_answered(self, before: Run, after: Run, at: datetime) -> bool:
        """Whether the target answered what an attempt's end says, or had not answered when its time was over."""
        said = {state for state in RunState if (after.key, after.attempt, state) in self._history.answers}
        if after.state in (RunState.SUCCEEDED, RunState.FAILED):
            return after.state in said
        if said & set(UNSUCCESSFUL):
            return True
        known = self._in_sight(before, (before.started_at or at) - READ_BEFORE, at)
        missed = before.state is RunState.WAITING and before.lease_until and before.lease_until <= at + SKEW
        return bool(missed) or _out_of_time(before, at, known, wait=timedelta(0))

    def _lost(self, before: Run, at: datetime) -> Iterator[str]:
        self._count(Rule.LOST)
        least = min(c.given.takeovers for c in self._in_sight(before, at - READ_BEFORE, at))
        silent = before.state is RunState.WAITING and True in self._by_agents(before, at)
        died = (before.state is RunState.RUNNING or silent) and before.lease_until and before.lease_until <= at + SKEW
        if died and (self._takeovers >= least or self._was_deleted(before, at) or self._was_in_shadow(before, at)):
            return
        checked_at = before.lease_until if before.state in HELD else before.retry_at
        due = max(before.claimed_at, before.starts_at, checked_at or before.starts_at)
        if at + SKEW < due + GIVEN_UP:
            yield (
                f"lost in state {before.state.value} at {at} after {self._takeovers} take-overs, with {least} allowed; "
                f"it was due at {due}"
            )

    def _by_agents(self, run: Run, at: datetime) -> set[bool]:
        """Whether agents run the job's command, by the definitions that a worker may have read."""
        return {isinstance(c.given.target, CommandTarget) for c in self._in_sight(run, at - READ_BEFORE, at)}

    def _in_sight(self, run: Run, since: datetime, until: datetime) -> list[Committed]:
        return self._history.in_sight(run.key.job, since, until)

    def _was_deleted(self, run: Run, at: datetime) -> bool:
        return any(c.deleted and c.revision.number > run.revision and c.at <= at for c in self._history.of(run.key.job))

    def _was_in_shadow(self, run: Run, at: datetime) -> bool:
        return True in self._shadows.known(run.key.job, at - READ_BEFORE, at)

    def _count(self, rule: Rule) -> None:
        self._history.judged[rule] += 1


def _is_silence(before: Run, after: Run) -> bool:
    missed = after.error is not None and after.error.type == ErrorType.HEARTBEAT_MISSED
    return missed and before.state is RunState.WAITING


def _out_of_time(run: Run, at: datetime, known: Sequence[Committed], *, wait: timedelta) -> bool:
    """Whether `run_timeout` ends a run by the time of its next attempt, after a wait."""
    begun, limits = run.begun_at, [c.given.run_timeout for c in known]
    return begun is not None and any(limit and begun + limit <= at + wait + 2 * SKEW for limit in limits)


def _backoff(retry: Retry, tries: int, asked: timedelta) -> tuple[timedelta, timedelta]:
    """The shortest and the longest wait after so many attempts, of which the target of the last asked for a wait."""
    backoff = retry.backoff
    wait, wanted = min(backoff.initial * backoff.factor ** (tries - 1), backoff.max), min(asked, backoff.max)
    return max(wait * (1 - backoff.jitter), wanted), max(wait, wanted) * (1 + backoff.jitter)
