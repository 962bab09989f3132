"""Attempts in shadow: what the call of a target would have been, with its templates filled in; nothing is called.

Secrets are not read: a placeholder that names one stays as it is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from minutehand.domain.declaration import field
from minutehand.domain.declaration.conversion import shown_briefly
from minutehand.domain.job import Target
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Result, RunError, RunState
from minutehand.domain.template import Missing, Placeholder, TooLong, filled, filled_text
from minutehand.targets import TYPES
from minutehand.targets.run_values import value_in
from minutehand.usecases.ports.target import Call

RESULT_TYPE = "shadow"
"""The `type` of a shadow run's result."""
_MOST = 1024 * 1024
"""Most characters that values may put into one template, as for a call."""
_OF_JSON = ".json"
"""Ends the path of a template in which a text that is one placeholder becomes the value itself, with its type."""


def described(target: Target, call: Call) -> Outcome:
    """The outcome of an attempt in shadow. Its result holds the target as JSON with its templates filled in, and the payload.

    If a template cannot be filled, the outcome has the error that a call would have had.
    """
    document: dict[str, Any] = {"type": target.type, **shown_briefly(target)}
    error = None
    for path, value in TYPES[target.type].templates(target):
        try:
            _put(document, path, _filled(path, value, call))
        except (Missing, field.Refused) as unresolved:
            error = error or RunError("UnresolvedTemplate", f"{path}: {unresolved}")
        except TooLong:
            error = error or RunError("InvalidRequest", f"{path}, once it is filled, is longer than {_MOST:,} bytes")
    body = {"target": document} | ({} if call.payload is None else {"payload": call.payload})
    written = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Outcome(RunState.SKIPPED, Result(RESULT_TYPE, 0, written), error, final=True)


def _filled(path: str, value: Any, call: Call) -> Any:
    look = partial(_value, call)
    if path.endswith(_OF_JSON):
        return filled(value, look, _MOST)
    if isinstance(value, Mapping):
        return {name: filled_text(text, look, _MOST) for name, text in value.items()}
    return filled_text(value, look, _MOST)


def _value(call: Call, placeholder: Placeholder) -> Any:
    return f"{{{{{placeholder.written}}}}}" if placeholder.secret is not None else value_in(call, placeholder)


def _put(document: dict[str, Any], path: str, value: Any) -> None:
    """Replace the value at a path such as `target.body.json`. A field that the document leaves out, since it is at its default, has no
    template."""
    _, *within, name = path.split(".")
    place: Any = document
    for step in within:
        place = place.get(step) or {}
    if name in place:
        place[name] = value
