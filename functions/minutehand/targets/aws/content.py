"""What a target in AWS receives of a run: its payload, or a document about the run."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from minutehand.domain.instants import to_text
from minutehand.targets.run_values import parent_document
from minutehand.usecases.ports.target import Call


class Send(Enum):
    """What the target receives."""

    PAYLOAD = "payload"
    """The run's payload as JSON; without one, the results of its parents' runs, or `{}`."""
    RUN = "run"
    """A document with the run's id, its job, its payload and the results of its parents' runs."""


def content_of(call: Call, send: Send, *, later: bool = False) -> Any:
    """The JSON value that a target receives.

    Args:
        later: whether the target reports later. Then it is always the document about the run, with the address and the token for that.
    """
    if send is Send.RUN or later:
        return _document(call, later=later)
    if call.payload is not None:
        return call.payload
    return {"parents": list(map(parent_document, call.parents))} if call.parents else {}


def written(value: Any) -> str:
    """A JSON value as compact text, in ASCII."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def key_of(call: Call) -> str:
    """What all attempts of a run share, and no other run has."""
    return f"{call.run.key.job}/{call.run.key.run_id}"


def facts_of(call: Call) -> dict[str, str]:
    """The facts about the run that accompany its payload, where a service has a place for them. The names are those of HTTP's headers."""
    run = call.run
    return {
        "Minutehand-Job": str(run.key.job),
        "Minutehand-Run-Id": run.key.run_id,
        "Minutehand-Attempt": str(run.attempt),
        "Minutehand-Scheduled-For": to_text(run.scheduled_for),
    }


def _document(call: Call, *, later: bool) -> dict[str, Any]:
    run = call.run
    document: dict[str, Any] = {
        "job": str(run.key.job),
        "run_id": run.key.run_id,
        "attempt": run.attempt,
        "attempts_left": call.attempts_left,
        "scheduled_for": to_text(run.scheduled_for),
        "deadline": to_text(call.deadline),
        "payload": call.payload,
        "parents": list(map(parent_document, call.parents)),
        "sent_at": None if run.started_at is None else to_text(run.started_at),
    }
    return document | {"callback": {"url": call.callback_url, "token": call.token}} if later else document
