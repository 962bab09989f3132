"""Explanation: what happened at each instant, or why nothing did, worked out from stored records. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from heapq import merge
from operator import attrgetter

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import Unblocked, unblocked
from minutehand.domain.definition import Definition
from minutehand.domain.dependencies import keys_around
from minutehand.domain.findings import Finding, Kind, of_run
from minutehand.domain.instants import SECOND
from minutehand.domain.occurrence_rule import LAST, Naming, rule_of
from minutehand.domain.planning import last_before
from minutehand.domain.revision_history import (
    MOST_NAMED,
    EffectiveRevision,
    PastRevision,
    effective_revisions,
    pause_around,
)
from minutehand.domain.run import Run
from minutehand.domain.timer import BrokenTimer, SkippedRange, Timer

_LOOK_BACK = timedelta(days=14_610)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """Stored records about a job and a range of instants.

    Attributes:
        history: the job's revisions, oldest first, from the one in effect at the first instant to the newest. If the job was paused
            at that instant, the list begins with the revision that began the pause.
        runs: the job's runs scheduled for the instants, whatever started them.
        around: the job's runs for two join windows, that of the first instant and the one before. Only those scheduled before that
            instant are here.
        skipped: skipped ranges that overlap the instants.
        calendars: existing calendars that any of the revisions names.
        kept_from: the instant before which records may have expired.
    """

    definition: Definition
    history: Sequence[PastRevision]
    timer: Timer | BrokenTimer | None
    runs: Sequence[Run]
    around: Sequence[Run]
    skipped: Sequence[SkippedRange]
    calendars: Mapping[CalendarKey, Calendar]
    kept_from: datetime
    now: datetime


def explain(evidence: Evidence, first: datetime, last: datetime) -> Iterator[Finding]:
    """What happened at first <= t <= last, in order.

    There is a finding for each run, for each occurrence that the schedule names, and for each range with neither. The finding for
    such a range says whether the job did not exist, was paused, or has no occurrence there.
    """
    for effective in effective_revisions(evidence.history, first, last):
        runs = [run for run in evidence.runs if effective.first <= run.scheduled_for <= effective.last]
        with_run = (of_run(run, evidence.history) for run in runs)
        yield from merge(_without_run(evidence, effective, runs), with_run, key=attrgetter("first"))


def _without_run(evidence: Evidence, effective: EffectiveRevision, runs: Sequence[Run]) -> Iterator[Finding]:
    """Findings about the instants without a run, among those at which one revision is in effect."""
    if effective.position is None:
        begun = evidence.history[0] if evidence.history else None
        new = begun is not None and begun.number == 1
        kind = Kind.NOT_CREATED if new else Kind.UNKNOWN
        yield Finding(kind=kind, first=effective.first, last=effective.last, revision=begun)
        return
    revision = evidence.history[effective.position]
    if revision.deleted:
        yield Finding(kind=Kind.DELETED, first=effective.first, last=effective.last, revision=revision)
        return
    first = effective.first
    if revision.paused_at(first):
        until = effective.last if revision.paused_until is None else min(effective.last, revision.paused_until - SECOND)
        pause = pause_around(evidence.history, effective.position)
        yield Finding(kind=Kind.PAUSED, first=first, last=until, revision=revision, pause=pause)
        first = until + SECOND
    if first <= effective.last:
        yield from _active(evidence, revision, runs, first, effective.last)


def _active(
    evidence: Evidence, revision: PastRevision, runs: Sequence[Run], first: datetime, last: datetime
) -> Iterator[Finding]:
    """Findings about the instants without a run while the job is not paused: outside of `start_at` to `end_at`, and within."""
    try:
        rule = rule_of(revision.rule or "")
    except ValueError as error:
        yield Finding(kind=Kind.UNKNOWN, first=first, last=last, revision=revision, problem=str(error))
        return
    opens = first if rule.start_at is None else max(first, rule.start_at)
    closes = last if rule.end_at is None else min(last, rule.end_at)
    if first < opens:
        yield Finding(kind=Kind.OUTSIDE, first=first, last=min(last, opens - SECOND), revision=revision)
    if opens <= closes:
        inside = [run for run in runs if opens <= run.scheduled_for <= closes]
        yield from _within(evidence, revision, inside, opens, closes)
    if closes < last:
        yield Finding(kind=Kind.OUTSIDE, first=max(first, closes + SECOND), last=last, revision=revision)


def _within(
    evidence: Evidence, revision: PastRevision, runs: Sequence[Run], first: datetime, last: datetime
) -> Iterator[Finding]:
    rule = rule_of(revision.rule or "")
    naming: Naming = rule
    if rule.calendars:
        with suppress(ValueError):  # a calendar was deleted: explain by the schedule alone
            naming = unblocked(rule, evidence.definition.job.key.namespace, evidence.calendars)
    if rule.schedule.delay is None:
        named = set(rule.between(first - SECOND, last, MOST_NAMED))
        if isinstance(naming, Unblocked):  # add the instants that occurrences are moved to
            named |= set(naming.between(first - SECOND, last, MOST_NAMED))
    else:
        named = set(_outstanding(evidence, revision, first, last))
    # A scheduled run explains its instant by itself; so does every run of a manual job.
    if not named and not any(run.key.named_by_schedule or rule.schedule.manual for run in runs):
        yield _not_named(evidence, revision, naming, first, last)
        return
    have_runs = {run.scheduled_for for run in runs if run.key.named_by_schedule}
    ends = _last_of_its_runs(evidence.timer, naming)
    for instant in sorted(named - have_runs):
        yield _reason(evidence, revision, naming, ends, instant)


def _outstanding(evidence: Evidence, revision: PastRevision, first: datetime, last: datetime) -> list[datetime]:
    """Instants of a fixed delay that skipped ranges name, and the one of the outstanding run, which the job's timer names."""
    found = {skipped.first for skipped in evidence.skipped}
    if (
        revision is evidence.history[-1]
        and isinstance(evidence.timer, Timer)
        and evidence.timer.outstanding is not None
    ):
        found.add(evidence.timer.outstanding)
    return sorted(instant for instant in found if first <= instant <= last)


def _not_named(evidence: Evidence, revision: PastRevision, naming: Naming, first: datetime, last: datetime) -> Finding:
    """The finding that the schedule names none of these instants, with the nearest that it names. For a fixed delay, `before` is
    the instant of the run whose end the job waits for."""
    keys = keys_around(evidence.definition, first)[:1]
    run = next((run for run in (*evidence.around, *evidence.runs) if run.key in keys), None)
    finding = Finding(kind=Kind.NOT_NAMED, first=first, last=last, revision=revision, run=run)
    if rule_of(revision.rule or "").schedule.delay is None:
        before = last_before(naming, first, not_before=first - _LOOK_BACK)
        return replace(finding, before=before, after=naming.next(last))
    waits_for = _outstanding(evidence, revision, _LONG_AGO, first)
    return replace(finding, before=waits_for[-1]) if waits_for else finding


def _reason(
    evidence: Evidence, revision: PastRevision, naming: Naming, ends: datetime | None, instant: datetime
) -> Finding:
    """Why an occurrence that a revision names has no run: as recorded, else the first conclusion that applies.

    Args:
        ends: the last occurrence that `max_runs` allows, where it is known.
    """
    skipped = next((s for s in reversed(evidence.skipped) if s.first <= instant < s.until), None)
    kind = Kind.PASSED_OVER if skipped else _unrecorded(evidence, revision, ends, instant)
    found = Finding(kind=kind, first=instant, last=instant, times=1, revision=revision)
    if skipped is not None:
        return replace(found, policy=skipped.policy)
    if isinstance(naming, Unblocked) and naming.next(instant - SECOND) != instant:
        calendar = naming.blocker(instant) or ""
        return replace(found, kind=Kind.BLOCKED, calendar=calendar, moved_to=naming.moved_to(instant))
    return found


def _unrecorded(evidence: Evidence, revision: PastRevision, ends: datetime | None, instant: datetime) -> Kind:
    """Why an occurrence has neither a run nor a skipped range on record."""
    if instant < evidence.kept_from:
        return Kind.FORGOTTEN
    if revision is evidence.history[-1]:
        if ends is not None and instant > ends:
            return Kind.USED_UP
        timer = evidence.timer
        # The next instant of an unreadable timer is unknown.
        unreadable = isinstance(timer, BrokenTimer) and timer.next_at is None
        passed = timer is None or timer.next_at is None or timer.next_at > instant
        if (unreadable or not passed) and instant <= evidence.now:
            return Kind.OVERDUE
    if instant > evidence.now:
        return Kind.NOT_YET
    # Every occurrence leaves a run or a skipped range, except after the last one that `max_runs` allows.
    return Kind.MISSED if rule_of(revision.rule or "").max_runs is None else Kind.USED_UP


def _last_of_its_runs(timer: Timer | BrokenTimer | None, naming: Naming) -> datetime | None:
    """The last occurrence that `max_runs` allows: `_LONG_AGO` when all runs were dispatched; None without a limit, or when it is
    too far ahead to compute."""
    if not isinstance(timer, Timer) or timer.runs_left is None:
        return None
    if timer.is_used_up:
        return _LONG_AGO
    if timer.next_at is None or timer.runs_left > MOST_NAMED:
        return None
    left = naming.between(timer.next_at - SECOND, LAST, timer.runs_left)
    return left[-1] if len(left) == timer.runs_left else None
