"""An import: documents of an export -> jobs, and the report."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Refused
from minutehand.domain.durations import format_duration, parse_duration
from minutehand.schedule import Schedule, ScheduleError
from minutehand.tools.importers.completion import Completion, complete
from minutehand.tools.importers.drafts import Draft, Exported, Finding, LeftOut, Terms, clipped
from minutehand.tools.importers.families import connect
from minutehand.tools.importers.naming import safe_name, unique_names
from minutehand.tools.importers.rules import Outcome, Rules

DEFAULT_NAMESPACE = "default"
SYSTEM, SOURCE = "imported/from", "imported/name"
"""Labels for the system of origin, and for the entry's name there."""
FIELDS = (
    *("namespace", "name", "description", "owner", "labels", "schedule", "timezone", "dialect", "start_at", "end_at"),
    *("max_runs", "jitter", "depends_on", "join", "paused", "target", "payload", "misfire_grace", "catch_up"),
    *("catchup_window", "overlap", "start_within", "timeout", "run_timeout", "retry", "retention", "retention_count"),
)
"""The fields of a job that imports write, in their order."""
_USUAL_RETENTION = timedelta(days=30)
_LONGEST_WAIT = timedelta(minutes=15)
_MOST_LABELS = 32
_DEEPEST = 60
_LARGEST = 200_000
"""Most bytes of a job as JSON: the API takes 256 KiB."""


@dataclass(frozen=True, kw_only=True)
class System:
    """A system to import from.

    name: as on the command line; title: as people write it. read: makes drafts of the documents of its exports.
    """

    name: str
    title: str
    rules: Rules
    read: Callable[[Sequence[Exported], Terms], list[Draft]]


@dataclass(frozen=True, kw_only=True)
class Import:
    """The jobs of an import are the documents of the drafts that are not refused. `unused`: names of the user's targets that fit
    none."""

    system: System
    drafts: Sequence[Draft]
    unused: Sequence[str]

    @property
    def kept(self) -> list[Draft]:
        """The drafts of which jobs are made."""
        return [draft for draft in self.drafts if draft.refused is None]


def run_import(system: System, exported: Sequence[Exported], terms: Terms, completion: Completion) -> Import:
    """Make jobs of all documents of an export. The same input makes the same jobs, in the same order."""
    drafts = system.read(exported, terms)
    _refuse_repeated(drafts)
    _name(system, [draft for draft in drafts if draft.refused is None], terms)
    for draft in drafts:
        if draft.refused is None:
            _guarded(draft, lambda draft: _check(draft, terms))
    kept = [draft for draft in drafts if draft.refused is None]
    connect(drafts)
    unused = complete(kept, completion)
    for draft in kept:
        _keep_long_enough(draft.document)
        draft.document = {name: draft.document[name] for name in FIELDS if name in draft.document}
    return Import(system=system, drafts=drafts, unused=unused)


def drafted(draft: Draft, fill: Callable[[Draft], None]) -> Draft:
    """A draft after `fill` has read the entry into it; refused, if that raises LeftOut."""
    _guarded(draft, fill)
    return draft


def _refuse_repeated(drafts: Sequence[Draft]) -> None:
    """Refuse an entry that the export has twice: two jobs would do its work twice."""
    first: dict[str, Draft] = {}
    for draft in drafts:
        before = first.setdefault(draft.key, draft)
        if before is not draft and draft.refused is None:
            reason = f"the export has this entry twice; the first is at {before.place}"
            draft.refused = Finding(field="name", outcome=Outcome.IMPOSSIBLE, reason=reason)


def _guarded(draft: Draft, step: Callable[[Draft], None]) -> None:
    try:
        step(draft)
    except LeftOut as error:
        draft.refused = Finding(field=error.field, outcome=Outcome.IMPOSSIBLE, reason=error.reason)


def _name(system: System, drafts: Sequence[Draft], terms: Terms) -> None:
    spaces = [terms.namespace or safe_name(draft.namespace or "") or DEFAULT_NAMESPACE for draft in drafts]
    wanted = [safe_name(draft.wanted) or safe_name(f"job-{draft.key}") or "job" for draft in drafts]
    full = [(f"{space}/{name}", draft.key) for space, name, draft in zip(spaces, wanted, drafts, strict=True)]
    for draft, space, plain, name in zip(drafts, spaces, wanted, unique_names(full), strict=True):
        given = name.removeprefix(f"{space}/")
        draft.document |= {"namespace": space, "name": given}
        labels = {SYSTEM: system.name, SOURCE: clipped(draft.source, checks.LONGEST_LABEL_VALUE)}
        draft.document["labels"] = labels | draft.document.get("labels", {})
        if given != plain:
            reason = f"another entry's name is {plain} too; the hash is that of the entry's identity"
            draft.findings.append(Finding(field="name", outcome=Outcome.CHANGED, into="name", reason=reason))
        elif given != draft.wanted:
            reason = "a job's name has a-z, 0-9, ., _ and - alone; the label imported/name keeps the other"
            draft.findings.append(Finding(field="name", outcome=Outcome.CHANGED, into="name", reason=reason))


def _check(draft: Draft, terms: Terms) -> None:
    """Refuse a schedule that cannot be read here, or that names no instant any more; drop texts that no job may have."""
    document = draft.document
    document.setdefault("timezone", terms.timezone)
    full = f"{document['namespace']}/{document['name']}"
    schedule = document.get("schedule")
    if schedule is not None:
        try:
            parsed = Schedule.parse(schedule, document["timezone"], document.get("dialect"), name=full)
        except ScheduleError as error:
            raise LeftOut(error.field, f"{schedule!r:.100}: {error.message}; {error.hint}") from None
        if not parsed.manual and parsed.delay is None:
            _refuse_ended(document, parsed, terms)
    _drop_texts(draft)
    _refuse_unsendable(document)


def _refuse_ended(document: Mapping[str, Any], schedule: Schedule, terms: Terms) -> None:
    after = terms.now
    if "start_at" in document:
        after = max(after, datetime.fromisoformat(document["start_at"]) - timedelta(seconds=1))
    following = schedule.next(after)
    if following is None:
        raise LeftOut("schedule", "it names no instant any more, so the job would never run")
    if "end_at" in document and following > datetime.fromisoformat(document["end_at"]):
        raise LeftOut("end_at", "the schedule has ended, so the job would never run")


def _drop_texts(draft: Draft) -> None:
    document = draft.document
    texts = (("description", checks.paragraphs, 1000), ("owner", checks.one_line, 128))
    for name, check, most in texts:
        if name in document:
            document[name] = clipped(document[name], most)
            try:
                check(document[name])
            except Refused as error:
                draft.unread(name, f"{error.message}, so it is left out")
                del document[name]
    labels: dict[str, str] = {}
    for name, value in document["labels"].items():
        try:
            checks.label_name(name)
            checks.label_value(value)
        except Refused as error:
            draft.unread(f"label {name:.80}", f"{error.message}; {error.hint}")
            continue
        if len(labels) == _MOST_LABELS:
            draft.unread(f"label {name}", f"a job has at most {_MOST_LABELS} labels")
            continue
        labels[name] = value
    document["labels"] = labels


def _refuse_unsendable(document: Mapping[str, Any]) -> None:
    """Refuse what no JSON, and no request to the API, can hold."""
    if _depth(document) > _DEEPEST:
        raise LeftOut("payload", f"it is nested deeper than {_DEEPEST} levels")
    try:
        size = len(json.dumps(document, allow_nan=False, ensure_ascii=False).encode())
    except (ValueError, TypeError):
        reason = "it holds what JSON in UTF-8 cannot: an infinite number, or half of a character"
        raise LeftOut("payload", reason) from None
    if size > _LARGEST:
        raise LeftOut("payload", f"the job has {size:,} bytes; {_LARGEST:,} are the most")


def _keep_long_enough(document: dict[str, Any]) -> None:
    """Runs are kept at least as long as they may take."""
    if "run_timeout" in document:
        takes = parse_duration(document["run_timeout"])
    else:
        attempts = document.get("retry", {}).get("max_attempts", 1)
        takes = (parse_duration(document.get("timeout", "1m")) + _LONGEST_WAIT) * attempts
    if takes > _USUAL_RETENTION:
        document["retention"] = format_duration(timedelta(days=takes.days + 1))


def _depth(value: Any) -> int:
    """How deeply objects and lists are nested, without recursion."""
    deepest, todo = 0, [(value, 0)]
    while todo:
        each, depth = todo.pop()
        deepest = max(deepest, depth)
        if isinstance(each, Mapping):
            todo += [(inner, depth + 1) for inner in each.values()]
        elif isinstance(each, list):
            todo += [(inner, depth + 1) for inner in each]
    return deepest
