"""Records of changes: each change that somebody asked for has one, which says what was before and after; what happens by itself has none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from minutehand.domain.audit import Action, AuditRecord
from minutehand.domain.difference import ABSENT
from minutehand.domain.job_document import job_document
from minutehand.domain.job_key import JobKey
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from tests.simulation.observed import Committed
    from tests.simulation.scenario import Scenario

_OF_OTHERS = (Action.BACKFILL, Action.CANCEL_BACKFILL, Action.ASK_NODE)
_REPLACES_A_LOST_RUN = "redrive "
"""How the idempotency keys of runs begin that a redrive makes: it has a record of its own."""


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise."""
    return [*_one_each(scenario), *_cancels(scenario), *_chains(scenario)]


def _one_each(scenario: Scenario) -> Iterator[str]:
    """Changes without a record, records without a change, and what is recorded twice."""
    made: Counter[Hashable] = Counter()
    for commit in scenario.history.commits:
        made["job", *commit.job, commit.revision.number] += 1
    for _, calendar in scenario.history.calendars:
        if calendar.revision > 1:  # the first was there before anybody asked for one
            made["calendar", *calendar.key, calendar.revision] += 1
    for number in scenario.crowds.revisions:
        made["namespace", number] += 1
    for (job, key, _), runs in scenario.history.triggers.items():
        if not key.startswith(_REPLACES_A_LOST_RUN):
            made.update(("trigger", *job, run.run_id) for run, _ in runs)
    recorded = Counter(name for record in scenario.state.audits.values() if (name := _name(record)))
    scenario.history.judged[Rule.RECORDED] += made.total()
    for name in sorted(made.keys() | recorded.keys(), key=str):
        if made[name] != recorded[name]:
            yield f"{name} was changed {made[name]} times, and is recorded {recorded[name]} times"


def _name(record: AuditRecord) -> Hashable | None:
    """What a record is about; None for one that another rule judges."""
    if record.action is Action.TRIGGER:
        return "trigger", record.namespace, record.job, record.about["run_id"]
    if record.action is Action.CANCEL or record.action in _OF_OTHERS:
        return None
    if record.job:
        return "job", record.namespace, record.job, record.revision
    if record.calendar:
        return "calendar", record.namespace, record.calendar, record.revision
    return "namespace", record.revision


def _cancels(scenario: Scenario) -> Iterator[str]:
    """Runs that somebody cancelled without a record, and records of cancels of runs that nobody cancelled. A run that is cancelled again
    may have a second record."""
    records = [record for record in scenario.state.audits.values() if record.action is Action.CANCEL]
    recorded = {(record.namespace, record.job, record.about["run_id"]): record.actor.name for record in records}
    cancelled = {(*run.key.job, run.key.run_id): run.cancelled_by for run in scenario.state.runs.values()}
    for place, who in cancelled.items():
        if who == "sim" and "~backfill-" not in place[2]:
            scenario.history.judged[Rule.RECORDED] += 1
            if place not in recorded:
                yield f"{place} was cancelled by somebody without a record"
    yield from (
        f"{place} has a record of a cancel, and was not cancelled" for place in recorded if not cancelled[place]
    )


def _chains(scenario: Scenario) -> Iterator[str]:
    """Records whose differences are not those between a revision and the one before."""
    records: dict[tuple[JobKey, int], AuditRecord] = {
        (JobKey(record.namespace, record.job), record.revision): record
        for record in scenario.state.audits.values()
        if record.revision is not None and record.job
    }
    commits: dict[JobKey, list[Committed]] = defaultdict(list)
    for commit in scenario.history.commits:
        commits[commit.job].append(commit)
    for job, all_of_one in commits.items():
        for earlier, later in pairwise([None, *all_of_one]):
            if later is not None and (record := records.get((job, later.revision.number))):
                existed = earlier is not None and not earlier.deleted
                brief = not existed or later.deleted
                yield from _differences(record, _shown(earlier, brief=brief), _shown(later, brief=brief))


def _shown(commit: Committed | None, *, brief: bool) -> Mapping[str, Any]:
    """A job's document under a revision; empty where there is no job."""
    return {} if commit is None or commit.deleted else job_document(commit.given, brief=brief)


def _differences(record: AuditRecord, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    where = f"the record of {record.namespace}/{record.job} r{record.revision}"
    for change in record.changes:
        for named, shown, document in (("before", change.before, before), ("after", change.after, after)):
            if shown != _at(document, change.path):
                yield f"{where} has {shown!r} {named} at {change.path}, not {_at(document, change.path)!r}"
    if before and after and not record.left_out:
        named = {change.path.split("/")[1] for change in record.changes}
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        if named != changed:
            yield f"{where} names {sorted(named)}, and {sorted(changed)} were changed"


def _at(document: Mapping[str, Any], path: str) -> Any:
    value: Any = document
    for part in path.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (LookupError, TypeError, ValueError):
            return ABSENT
    return value
