"""Conversion of a crontab line to a job document, from a template."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from minutehand.tools.crontab.labels import LINE, LONGEST_VALUE, MAILTO, SOURCE, USER, line_id
from minutehand.tools.crontab.reading import Line

PLACEHOLDERS = ("name", "user", "source")
"""Placeholders in a URL."""
OF_THE_PAYLOAD = ("command", "stdin", "user", "environment")
"""Payload fields taken from the line."""

_LONGEST_OWNER = 128
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_OF_THE_LINE = {
    "name": "each job's name comes from its command",
    "schedule": "each job's schedule is its line's",
}


class TemplateFault(Exception):
    """An invalid field of a template, with a hint."""

    def __init__(self, path: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Template:
    """The common fields of an import's jobs, with a target whose URL may hold placeholders."""

    fields: Mapping[str, Any]

    @property
    def timezone(self) -> str | None:
        """The time zone of lines without one."""
        zone = self.fields.get("timezone")
        return zone if isinstance(zone, str) else None


def make_template(
    fields: Mapping[str, Any], *, url: str | None, method: str | None, headers: Sequence[tuple[str, str]]
) -> Template:
    """A template from a job document without name and schedule, with overrides of its target.

    Raises TemplateFault.
    """
    for field, why in _OF_THE_LINE.items():
        if field in fields:
            raise TemplateFault(field, f"a template has no {field}", f"leave it out: {why}")
    if fields.get("dialect", "vixie") != "vixie":
        raise TemplateFault("dialect", "a crontab is read by the dialect vixie", "leave the dialect out")
    for field in ("target", "labels", "payload"):
        if not isinstance(fields.get(field) or {}, Mapping):
            raise TemplateFault(field, f"{field} is no mapping", "write names and values; the line's own are added")
    for field in OF_THE_PAYLOAD:
        if field in (fields.get("payload") or {}):
            raise TemplateFault(f"payload.{field}", f"payload.{field} comes from the line", "leave it out")
    target = _target(fields.get("target") or {}, url, method, headers)
    return Template(fields={**fields, "target": target, "dialect": "vixie"})


def document_of(
    line: Line, *, name: str, source: str, namespace: str, timezone: str, user: str | None, template: Template
) -> dict[str, Any]:
    """The job document of a line.

    user: the command's user, if known. The line's description, owner (MAILTO) and payload override the template's. Raises
    TemplateFault for a URL with {user} without a user.
    """
    fields = dict(template.fields)
    mailto = line.environment.get("MAILTO")
    labels = {SOURCE: source, LINE: line_id_of(line, user)}
    if user is not None:
        labels[USER] = user
    if mailto is not None and len(mailto) <= LONGEST_VALUE:
        labels[MAILTO] = mailto
    owner = mailto if mailto and len(mailto) <= _LONGEST_OWNER else fields.get("owner")
    payload = dict(fields.get("payload") or {})
    payload |= {
        "command": line.entry.command,
        "stdin": line.entry.stdin,
        "user": user,
        "environment": dict(line.environment),
    }
    target = dict(fields["target"])
    if isinstance(target.get("url"), str):
        target["url"] = _filled(target["url"], {"name": name, "user": user, "source": source})
    fields |= {
        "namespace": namespace,
        "name": name,
        "labels": {**(fields.get("labels") or {}), **labels},
        "schedule": line.entry.schedule,
        "timezone": timezone,
        "target": target,
        "payload": payload,
    }
    from_line = {"description": line.description or fields.get("description"), "owner": owner}
    return fields | {field: value for field, value in from_line.items() if value is not None}


def line_id_of(line: Line, user: str | None) -> str:
    """The `line_id` of a line run by this user."""
    return line_id(user=user, command=line.entry.command, stdin=line.entry.stdin)


def _target(
    target: Mapping[str, Any], url: str | None, method: str | None, headers: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    made = dict(target)
    is_http = made.setdefault("type", "http") == "http"
    if not is_http and (url is not None or method is not None or headers):
        raise TemplateFault(
            "target.type",
            f"a target of type {made['type']!r:.40} has no URL, method or headers",
            "leave the options out",
        )
    if url is not None:
        made["url"] = url
    if method is not None:
        made["method"] = method
    if headers:
        replaced = {name.lower() for name, _ in headers}
        kept = {name: value for name, value in (made.get("headers") or {}).items() if name.lower() not in replaced}
        made["headers"] = kept | dict(headers)
    if is_http and not made.get("url"):
        raise TemplateFault("target.url", "the jobs have no target", "give --url, or a --template with a target")
    for found in _PLACEHOLDER.finditer(str(made.get("url", ""))):
        if found[1] not in PLACEHOLDERS:
            there_are = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise TemplateFault("target.url", f"there is no {found[0]:.40} to fill in", f"there are {there_are}")
    return made


def _filled(url: str, values: Mapping[str, str | None]) -> str:
    def value(found: re.Match[str]) -> str:
        known = values[found[1]]
        if known is None:
            raise TemplateFault(
                "target.url",
                "the URL contains {user}, but the user is unknown",
                "add --user, or remove {user}",
            )
        return quote(known, safe="")

    return _PLACEHOLDER.sub(value, url)
