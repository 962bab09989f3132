"""Conversion of a crontab line to a job document, from a template, with labels that record the crontab of origin."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from minutehand.tools.crontab.commands import (
    FROM_THE_LINE,
    TIMEOUT,
    TYPE,
    is_run_by_agents,
    payload_of,
    schedule_of,
    target_of,
)
from minutehand.tools.crontab.reading import Line

SOURCE = "crontab/source"
"""Label for the crontab of origin: the name given with `--source`, else the file's name."""
LINE = "crontab/line"
"""Label for the line of origin: its `line_id_of`."""
USER = "crontab/user"
"""Label for the command's user, if known."""
MAILTO = "crontab/mailto"
"""Label for the variable MAILTO above the line, if a label can hold its value."""

LONGEST_VALUE = 255
"""Maximum length of a label's value, in characters (docs/reference/api.md)."""

PLACEHOLDERS = ("name", "user", "source")
"""Names that the URL of an import may hold in braces, such as `{name}`; each job's URL gets its own values."""

_LONGEST_OWNER = 128
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class TemplateFault(Exception):
    """An invalid field of a template, with a hint."""

    def __init__(self, path: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.hint = hint


def make_template(
    fields: Mapping[str, Any],
    *,
    url: str | None,
    method: str | None,
    headers: Sequence[tuple[str, str]],
    pool: str | None = None,
) -> dict[str, Any]:
    """Make a template, which has the fields that all jobs of an import share: a job document without name and schedule. `url`,
    `method` and `headers` override those of its target. The URL may hold placeholders. `pool`: the pool whose agents run the
    commands, instead of a URL.

    Raises TemplateFault.
    """
    for field, origin in (("name", "comes from its command"), ("schedule", "comes from its line")):
        if field in fields:
            raise TemplateFault(field, f"a template has no {field}", f"leave it out: each job's {field} {origin}")
    if fields.get("dialect", "vixie") != "vixie":
        raise TemplateFault("dialect", "a crontab is read by the dialect vixie", "leave the dialect out")
    for field in ("target", "labels", "payload"):
        if not isinstance(fields.get(field) or {}, Mapping):
            raise TemplateFault(field, f"{field} is no mapping", "write names and values; the line's own are added")
    for field in FROM_THE_LINE:
        if field in (fields.get("payload") or {}):
            raise TemplateFault(f"payload.{field}", f"payload.{field} comes from the line", "leave it out")
    target = _target(fields.get("target") or {}, url, method, headers, pool)
    made = {**fields, "target": target, "dialect": "vixie"}
    if not is_run_by_agents(target):
        return made
    if fields.get("payload"):
        hint = "leave it out; target.environment may hold further variables"
        raise TemplateFault("payload", "the payload is the command's standard input, which comes from the line", hint)
    for field in ("command", "at_start"):
        if field in target:
            raise TemplateFault(f"target.{field}", f"target.{field} comes from the line", "leave it out")
    return {"timeout": TIMEOUT, **made}


def document_of(
    line: Line, *, name: str, source: str, namespace: str, timezone: str, user: str | None, template: dict[str, Any]
) -> dict[str, Any]:
    """The job document of a line.

    user: the command's user, if known. The line's description, owner (MAILTO) and payload override the template's. Raises
    TemplateFault for a URL with {user} without a user.
    """
    fields = dict(template)
    mailto = line.environment.get("MAILTO")
    labels = {SOURCE: source, LINE: line_id_of(line, user)}
    if user is not None:
        labels[USER] = user
    if mailto is not None and len(mailto) <= LONGEST_VALUE:
        labels[MAILTO] = mailto
    owner = mailto if mailto and len(mailto) <= _LONGEST_OWNER else fields.get("owner")
    target = dict(fields["target"])
    payload: Any
    if is_run_by_agents(target):
        target = target_of(line.entry, line.environment, user, target)
        payload = line.entry.stdin
    else:
        payload = {**(fields.get("payload") or {}), **payload_of(line.entry, line.environment, user)}
    if isinstance(target.get("url"), str):
        if user is None and "{user}" in target["url"]:
            message = "the URL contains {user}, but the user is unknown"
            raise TemplateFault("target.url", message, "add --user, or remove {user}")
        values = {"name": name, "user": user or "", "source": source}
        target["url"] = _PLACEHOLDER.sub(lambda found: quote(values[found[1]], safe=""), target["url"])
    fields |= {
        "namespace": namespace,
        "name": name,
        "labels": {**(fields.get("labels") or {}), **labels},
        "schedule": schedule_of(line.entry),
        "timezone": timezone,
        "target": target,
        "payload": payload,
    }
    from_line = {"description": line.description or fields.get("description"), "owner": owner}
    return fields | {field: value for field, value in from_line.items() if value is not None}


def line_id_of(line: Line, user: str | None) -> str:
    """Identity of a line across edits of its schedule: 12 hex digits of the hash of what it runs."""
    return digest(user, line.entry.command, line.entry.stdin)[:12]


def digest(*parts: str | None) -> str:
    """The SHA-256, in hex, of several texts, each of which may be None."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def is_from(labels: Mapping[str, str], source: str | None) -> bool:
    """Whether a job with these labels is from the crontab `source`, or from a file of the folder `source`; None: any crontab."""
    its = labels.get(SOURCE)
    return its is not None and (source is None or its == source or its.startswith(f"{source}/"))


def _target(
    target: Mapping[str, Any],
    url: str | None,
    method: str | None,
    headers: Sequence[tuple[str, str]],
    pool: str | None,
) -> dict[str, Any]:
    made = dict(target)
    if pool is not None:
        if made.setdefault("type", TYPE) != TYPE:
            message = f"a target of type {made['type']!r:.40} has no pool"
            raise TemplateFault("target.type", message, f"leave --pool out, or write {TYPE}")
        made["pool"] = pool
    is_http = made.setdefault("type", "http") == "http"
    if not is_http and (url is not None or method is not None or headers):
        message = f"a target of type {made['type']!r:.40} has no URL, method or headers"
        raise TemplateFault("target.type", message, "leave the options out")
    if url is not None:
        made["url"] = url
    if method is not None:
        made["method"] = method
    if headers:
        replaced = {name.lower() for name, _ in headers}
        kept = {name: value for name, value in (made.get("headers") or {}).items() if name.lower() not in replaced}
        made["headers"] = kept | dict(headers)
    if is_http and not made.get("url"):
        hint = "give --pool for an agent that runs the commands, --url for a service that does, or a --template with a target"
        raise TemplateFault("target.url", "the jobs have no target", hint)
    for found in _PLACEHOLDER.finditer(str(made.get("url", ""))):
        if found[1] not in PLACEHOLDERS:
            there_are = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise TemplateFault("target.url", f"there is no {found[0]:.40} to fill in", f"there are {there_are}")
    return made
