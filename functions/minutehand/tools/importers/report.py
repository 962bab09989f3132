"""The report of an import: what became of each field, by job and summed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minutehand.schedule.description.english import counted
from minutehand.tools.importers.drafts import Draft, Finding
from minutehand.tools.importers.rules import Outcome
from minutehand.tools.importers.running import Import

_KEYS = {
    Outcome.CARRIED: "carried_over",
    Outcome.CHANGED: "changed",
    Outcome.IMPOSSIBLE: "not_possible",
    Outcome.DROPPED: "not_needed",
}


def report_document(done: Import) -> dict[str, Any]:
    """The report, for programs: `jobs` with their findings, `left_out`, `by_reason` over all jobs, and `sum`."""
    return {
        "system": done.system.name,
        "jobs": [_job(draft) for draft in done.kept],
        "left_out": [_left_out(draft) for draft in done.drafts if draft.refused is not None],
        "by_reason": [
            {
                "outcome": _KEYS[found.outcome],
                "field": found.field,
                "into": found.into,
                "reason": found.reason,
                "jobs": n,
            }
            for found, n in _by_reason(done.kept)
        ],
        "sum": {
            "jobs": len(done.kept),
            "left_out": len(done.drafts) - len(done.kept),
            "to_complete": sum(bool(draft.to_complete()) for draft in done.kept),
            **{key: _count(done.kept, outcome) for outcome, key in _KEYS.items()},
        },
    }


def report_lines(done: Import) -> Iterator[str]:
    """The report, for people: each job with what changed or is not possible, then the sums."""
    for draft in done.kept:
        yield from _job_lines(draft)
    for draft in done.drafts:
        if draft.refused is not None:
            yield f"left out: {draft.source} ({draft.place})"
            yield f"  {draft.refused.field}: {draft.refused.reason}"
    yield from _reason_lines(done)
    yield ", ".join(_sums(done))


def _job_lines(draft: Draft) -> Iterator[str]:
    yield f"{full_name(draft)}: from {draft.source} ({draft.place})"
    if fields := draft.to_complete():
        yield f"  to be completed: {', '.join(fields)}"
    names = list(dict.fromkeys(each.field for each in draft.findings if each.outcome is Outcome.CARRIED))
    if names:
        yield f"  carried over: {', '.join(names)}"
    for outcome in (Outcome.CHANGED, Outcome.IMPOSSIBLE):
        found = [_finding(each) for each in draft.findings if each.outcome is outcome]
        if found:
            yield f"  {outcome}: {'; '.join(dict.fromkeys(found))}"


def _finding(found: Finding) -> str:
    value = f" ({found.detail})" if found.detail else ""
    into = f" -> {found.into}" if found.into not in {"", found.field} else ""
    return f"{found.field}{value}{into}"


def _reason_lines(done: Import) -> Iterator[str]:
    """Each change and each loss once, with its reason and the number of jobs."""
    for found, n in _by_reason(done.kept):
        if found.outcome in {Outcome.CHANGED, Outcome.IMPOSSIBLE}:
            yield f"{found.outcome} in {counted(n, 'job')}: {_finding(found)}"
            yield f"  {found.reason}"


def _sums(done: Import) -> Iterator[str]:
    yield f"{counted(len(done.kept), 'job')} from {done.system.title}"
    if left := len(done.drafts) - len(done.kept):
        yield f"{left} left out"
    if open_targets := sum(bool(draft.to_complete()) for draft in done.kept):
        yield f"{counted(open_targets, 'target')} to be completed"
    fields = [f"{_count(done.kept, outcome)} {outcome}" for outcome in Outcome]
    yield f"fields: {', '.join(fields)}"


def _job(draft: Draft) -> dict[str, Any]:
    return {
        "job": full_name(draft),
        "source": draft.source,
        "place": draft.place,
        "to_complete": draft.to_complete(),
        "findings": [
            {
                "outcome": _KEYS[each.outcome],
                "field": each.field,
                "into": each.into,
                "reason": each.reason,
                "detail": each.detail,
            }
            for each in draft.findings
        ],
    }


def _left_out(draft: Draft) -> dict[str, Any]:
    refused: Mapping[str, str] = {}
    if draft.refused is not None:
        refused = {"field": draft.refused.field, "reason": draft.refused.reason}
    return {"source": draft.source, "place": draft.place, **refused}


def _by_reason(drafts: Sequence[Draft]) -> list[tuple[Finding, int]]:
    """Each field with its outcome, and the number of jobs that have it, most important first."""
    order = [Outcome.IMPOSSIBLE, Outcome.CHANGED, Outcome.CARRIED, Outcome.DROPPED]
    often: Counter[Finding] = Counter()
    for draft in drafts:
        plain = (Finding(field=f.field, outcome=f.outcome, into=f.into, reason=f.reason) for f in draft.findings)
        often.update(dict.fromkeys(plain, 1))
    return sorted(
        often.items(), key=lambda item: (order.index(item[0].outcome), -item[1], item[0].field, item[0].reason)
    )


def _count(drafts: Sequence[Draft], outcome: Outcome) -> int:
    return sum(each.outcome is outcome for draft in drafts for each in draft.findings)


def full_name(draft: Draft) -> str:
    """The full name of a draft's job."""
    return f"{draft.document['namespace']}/{draft.document['name']}"
