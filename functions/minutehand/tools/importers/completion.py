"""Targets that the user names for entries whose work the export does not reach: by a file, or by one URL for all."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from minutehand.domain.placeholder import PLACEHOLDER
from minutehand.tools.importers.drafts import Draft, Finding
from minutehand.tools.importers.rules import Outcome

ALL = "*"
"""In a file of targets, the name of the target for all jobs without another one."""
PLACEHOLDERS = ("name", "namespace", "task")
"""Names that a URL may hold in braces: those of the job, and what the old system ran."""
_REPLACED = "the target of --target or --url-template takes its place"
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class CompletionFault(Exception):
    """An unusable target of the user's: where it is, what is wrong, and what would be right."""

    def __init__(self, path: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Completion:
    """Targets by name: that of the job (`namespace/name` or `name`), of the entry, or of what the old system ran; and a URL with
    headers for the rest."""

    targets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    url: str | None = None
    headers: Sequence[tuple[str, str]] = ()


def make_completion(targets: Mapping[str, Any], *, url: str | None, headers: Sequence[tuple[str, str]]) -> Completion:
    """Check what the user gave. Raises CompletionFault."""
    for name, target in targets.items():
        if not isinstance(target, Mapping) or not isinstance(target.get("type"), str):
            hint = "write the fields of a target, such as {type: http, url: …}"
            raise CompletionFault(name, "this is no target: it is not a mapping with a type", hint)
    if url is None and headers:
        raise CompletionFault("--header", "the headers have no request to go with", "add --url-template")
    urls = [("--url-template", url or ""), *((f"{n}.url", str(t.get("url", ""))) for n, t in targets.items())]
    for path, text in urls:
        for found in _PLACEHOLDER.finditer(text):
            if found[1] not in PLACEHOLDERS:
                there_are = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
                raise CompletionFault(path, f"there is no {found[0]:.40} to fill in", f"there are {there_are}")
    return Completion(targets=dict(targets), url=url, headers=tuple(headers))


def complete(drafts: Sequence[Draft], completion: Completion) -> list[str]:
    """Complete the targets of drafts. Returns the names in the user's file that fit none of them."""
    used: set[str] = set()
    for draft in drafts:
        names = (
            f"{draft.document['namespace']}/{draft.document['name']}",
            draft.document["name"],
            draft.source,
            draft.task,
        )
        name = next((name for name in names if name in completion.targets), None)
        if name is None and ALL in completion.targets and draft.to_complete():
            name = ALL
        if name is not None:
            used.add(name)
            _give(draft, completion.targets[name])
        elif completion.url is not None and draft.to_complete():
            _give(draft, {"type": "http", "method": "POST", "url": completion.url, "headers": dict(completion.headers)})
    return [name for name in completion.targets if name not in used and name != ALL]


def _give(draft: Draft, target: Mapping[str, Any]) -> None:
    """Replace the target of a draft; fields that the entry has, such as a container's command, stay if the type does."""
    drafted = draft.document["target"]
    given = {**(drafted if drafted["type"] == target["type"] else {}), **target}
    if isinstance(given.get("url"), str):
        values = {
            "name": draft.document["name"],
            "namespace": draft.document["namespace"],
            "task": draft.task or draft.document["name"],
        }
        given["url"] = _PLACEHOLDER.sub(lambda found: quote(values[found[1]], safe=""), given["url"])
    if given.get("headers") == {}:
        del given["headers"]
    draft.document["target"] = given
    draft.findings = [_after(found, drafted, given) for found in draft.findings]
    if given["type"] != "ecs" and "container" in drafted:
        _hand_over(draft, drafted)


def _after(found: Finding, drafted: Mapping[str, Any], given: Mapping[str, Any]) -> Finding:
    """A finding, once the draft has a target: nothing is to be completed, and what the target replaces is not carried over."""
    whole, _, name = found.into.partition(": ")
    field, value = (
        ("type", name) if whole == "target" and name else (found.into.partition("target.")[2].split(".")[0], None)
    )
    replaced = field in drafted and drafted[field] != PLACEHOLDER and given.get(field) != drafted[field]
    if replaced and (value is None or value == drafted["type"]):
        return replace(found, outcome=Outcome.CHANGED, into="target", reason=_REPLACED)
    return replace(found, reason=found.reason_once_complete or found.reason)


def _hand_over(draft: Draft, drafted: Mapping[str, Any]) -> None:
    """What a container was to run, as the payload of another target."""
    parts = {name: drafted[name] for name in ("container", "command", "environment") if name in drafted}
    draft.document.setdefault("payload", parts)
