"""Parents and children among the drafts of an import."""

from collections.abc import Mapping, Sequence

from minutehand.tools.importers.drafts import Draft, Finding
from minutehand.tools.importers.rules import Outcome

_MOST_PARENTS = 16


def connect(drafts: Sequence[Draft]) -> None:
    """Write `depends_on` of each draft from the keys of its parents. What cannot be kept is noted: a parent that is not in the export
    or was left out, a circle, too many parents."""
    by_key = {draft.key: draft for draft in drafts}
    ways: dict[str, list[str]] = {draft.key: [] for draft in drafts}
    for draft in drafts:
        if draft.refused is not None:
            continue
        for key in dict.fromkeys(draft.parents):
            parent = by_key.get(key)
            why = _why_not(draft, parent, ways)
            if parent is None or why:
                _note(draft, key if parent is None else parent.source, why)
            else:
                ways[draft.key].append(key)
        parents = [by_key[key].document for key in ways[draft.key]]
        if parents:
            space = draft.document["namespace"]
            names = [p["name"] if p["namespace"] == space else f"{p['namespace']}/{p['name']}" for p in parents]
            draft.document["depends_on"] = [{"job": name} for name in names]
            if len(names) > 1:
                draft.document["join"] = "any"
        elif "schedule" not in draft.document:
            draft.document["schedule"] = "@manual"
            _note(draft, "", "none of its parents is a job here, so it runs only when asked")


def _why_not(draft: Draft, parent: Draft | None, ways: Mapping[str, Sequence[str]]) -> str:
    if parent is None:
        return "it is not in the export"
    if parent.refused is not None:
        return "no job could be made of it"
    if _leads(parent.key, draft.key, ways):
        return "it runs after this one already, and a circle of jobs is refused"
    if len(ways[draft.key]) == _MOST_PARENTS:
        return f"a job has at most {_MOST_PARENTS} parents"
    return ""


def _leads(start: str, end: str, ways: Mapping[str, Sequence[str]]) -> bool:
    """Whether an entry is, or runs after, another."""
    todo, seen = [start], set()
    while todo:
        key = todo.pop()
        if key == end:
            return True
        if key not in seen:
            seen.add(key)
            todo += ways.get(key, ())
    return False


def _note(draft: Draft, parent: str, why: str) -> None:
    draft.findings.append(
        Finding(field=f"parent {parent[:80]}".strip(), outcome=Outcome.IMPOSSIBLE, into="depends_on", reason=why)
    )
