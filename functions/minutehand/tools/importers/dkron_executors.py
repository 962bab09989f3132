"""The executor of a dkron job as a target: http as such, all others to be completed."""

import json
import re
from typing import Any

from minutehand.domain.placeholder import PLACEHOLDER
from minutehand.schedule.duration import duration_seconds
from minutehand.schedule.errors import ScheduleError
from minutehand.tools.importers.drafts import Draft, duration, http_draft
from minutehand.tools.importers.fields import Fields
from minutehand.tools.importers.rules import Rule, carried, changed, impossible

_USUAL_TIMEOUT, _LONGEST_CALL, _LONGEST_ATTEMPT = 30, 14 * 60, 7 * 86_400
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_AT = "executor_config."

EXECUTOR_RULES: tuple[Rule, ...] = (
    carried("executor: http", "target: http"),
    changed(
        "executor: shell",
        "payload.command",
        "no command runs here: an HTTP service gets the command and its environment, as from an imported crontab",
        to_complete="its URL is to be completed",
    ),
    changed(
        "executor",
        "payload",
        "no such executor here: the target gets executor_config as its payload",
        to_complete="it is to be completed",
    ),
    carried(f"{_AT}method", "target.method"),
    impossible(f"{_AT}method", "the methods are GET, HEAD, POST, PUT, PATCH and DELETE", case="others"),
    carried(f"{_AT}url", "target.url"),
    carried(f"{_AT}headers", "target.headers"),
    carried(f"{_AT}body", "target.body.text", reason="its type is text/plain unless a header says another"),
    impossible(f"{_AT}body", "GET and HEAD have no body here", case="GET"),
    carried(f"{_AT}timeout", "timeout", reason="30s by default for http, as there"),
    changed(
        f"{_AT}timeout", "timeout", "a call lasts at most 14m, unless the target answers later", case="http over 14m"
    ),
    changed(
        f"{_AT}timeout",
        "timeout",
        "the target has 60s to accept such work by 202, and reports its end later; at most 7 days",
        case="shell over 14m",
    ),
    changed(
        f"{_AT}timeout",
        "timeout",
        "a command without a limit there; here the longest of a call, 14m, unless the target answers later",
        case="absent",
    ),
    carried(f"{_AT}expectCode", "target.expect.status"),
    changed(
        f"{_AT}expectCode", "target.expect.status", "dkron expects any status; the default here is 2xx", case="absent"
    ),
    carried(f"{_AT}expectBody", "target.expect.body", reason="both are RE2"),
    impossible(f"{_AT}debug", "each run keeps its answer; requests are not logged"),
    impossible(
        f"{_AT}tlsNoVerifyPeer",
        "a server always has to prove who it is; target.tls.ca adds an authority",
        default="false",
    ),
    impossible(f"{_AT}tlsRootCAsFile", "target.tls.ca takes the certificates themselves"),
    impossible(f"{_AT}tlsCertificateFile", "target.tls.client_certificate names a secret"),
    impossible(f"{_AT}tlsCertificateKeyFile", "target.tls.client_certificate names a secret"),
)


def read_executor(draft: Draft, top: Fields) -> None:
    """Read the executor and its settings into the draft's target."""
    kind = top.text("executor")
    config = top.object("executor_config")
    draft.task = kind
    if kind == "http":
        _http(draft, config)
        config.end()
        return
    given = {name: config.any(name) for name in sorted(config.names())}
    if kind == "shell":
        _shell_timeout(draft, str(given.pop("timeout", "") or ""))
        draft.document |= http_draft(_command(given))
        draft.note("executor: shell", detail=str(given.get("command", "")))
    else:
        draft.document |= http_draft({"executor": kind, "config": given})
        draft.note("executor", detail=kind)


def _shell_timeout(draft: Draft, text: str) -> None:
    """The limit of a command, which dkron reads as Go does."""
    name, seconds = f"{_AT}timeout", 0
    if text:
        try:
            seconds = duration_seconds(text, 1)
        except ScheduleError as error:
            draft.unread(name, f"{text!r:.40} is no duration of whole seconds: {error.message}")
    if not seconds:
        draft.set(name, case="absent", timeout=duration(_LONGEST_CALL))
        return
    case = "shell over 14m" if seconds > _LONGEST_CALL else ""
    draft.set(name, case=case, detail=text, timeout=duration(min(seconds, _LONGEST_ATTEMPT)))


def _command(given: dict[str, Any]) -> dict[str, Any]:
    """The payload of a shell command, with its variables as names and values."""
    payload = {"command": given.pop("command", "")}
    variables = str(given.pop("env", ""))
    payload["environment"] = dict(pair.split("=", 1) for pair in variables.split(",") if "=" in pair)
    return payload | given


def _http(draft: Draft, config: Fields) -> None:
    draft.note("executor: http")
    method, url = config.text("method").upper() or "GET", config.text("url")
    if method not in _METHODS:
        draft.note(f"{_AT}method", case="others", detail=method)
    else:
        draft.note(f"{_AT}method")
    target: dict[str, Any] = {
        "type": "http",
        "method": method if method in _METHODS else PLACEHOLDER,
        "url": url or PLACEHOLDER,
    }
    draft.note(f"{_AT}url")
    if headers := _headers(draft, config.text("headers")):
        target["headers"] = headers
    if body := config.text("body"):
        if method in {"GET", "HEAD"}:
            draft.note(f"{_AT}body", case="GET")
        else:
            draft.note(f"{_AT}body")
            target["body"] = {"text": body.replace("{{", "{{{{")}
    seconds = config.number("timeout")
    seconds = _USUAL_TIMEOUT if seconds is None or seconds < 1 else seconds
    case = "http over 14m" if seconds > _LONGEST_CALL else ""
    draft.set(f"{_AT}timeout", case=case, detail=f"{seconds} s", timeout=duration(min(seconds, _LONGEST_CALL)))
    target |= _expected(draft, config)
    draft.document["target"] = target


def _headers(draft: Draft, text: str) -> dict[str, str]:
    """Headers from a JSON list of lines `Name: value`. dkron cuts a value at its second colon; here it is kept."""
    if not text:
        return {}
    try:
        lines = json.loads(text)
    except (ValueError, RecursionError):
        lines = None
    if not isinstance(lines, list):
        draft.unread(f"{_AT}headers", "it is no JSON list of headers, so it is left out")
        return {}
    pairs = [line.partition(":") for line in lines if isinstance(line, str) and ":" in line]
    draft.note(f"{_AT}headers")
    return {name.strip(): value.strip().replace("{{", "{{{{") for name, _, value in pairs}


def _expected(draft: Draft, config: Fields) -> dict[str, Any]:
    codes = [code.strip() for code in config.text("expectCode").split(",")]
    known = [code for code in codes if re.fullmatch(r"[2-5][0-9][0-9]", code, re.ASCII)]
    expect: dict[str, Any] = {"status": known} if known else {}
    draft.note(f"{_AT}expectCode", case="" if known else "absent")
    if body := config.text("expectBody"):
        draft.note(f"{_AT}expectBody")
        expect["body"] = body
    return {"expect": expect} if expect else {}
