"""Sizes of payloads and definitions as stored. DynamoDB holds items of up to 400 KB, and JSON may grow: `1e15` becomes
`1000000000000000.0`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from minutehand.domain.declaration.conversion import stored
from minutehand.domain.definition import Definition
from minutehand.domain.errors import FieldProblem, Invalid

MOST_STORED = 370 * 1024
"""Most bytes of a definition or of a run's payload, as JSON. The other 30 KB of an item are for its key and for the names of up to
100 children that other jobs add (`domain/dependencies.py`)."""
_HINT = "shorten it, send long numbers as text, or store the data elsewhere and put its address into the payload"


def json_size(value: Any) -> int:
    """Bytes of a JSON value as it is stored."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def check_payload(payload: Any) -> None:
    """Refuse a run's own payload that would be too large to store. Raises Invalid."""
    size = json_size(payload)
    if size > MOST_STORED:
        message = f"as stored, the payload has {size:,} bytes; {MOST_STORED:,} is the most"
        raise Invalid(FieldProblem("payload", message, _HINT))


def check_definition(before: Definition | None, after: Definition) -> None:
    """Refuse a definition that would be too large to store, unless it is deleted or only its pause changes. Raises Invalid."""
    job = after.job
    if after.deleted:
        return
    if before and replace(before.job, paused=job.paused, paused_until=job.paused_until) == job:
        return
    # The JSON text is somewhat longer than the item, which has no quotes.
    size = json_size(stored(after)) + json_size(stored(job))
    if size > MOST_STORED:
        payload = json_size(job.payload)
        message = (
            f"as stored, the job has {size:,} bytes, {payload:,} of them for the payload; {MOST_STORED:,} is the most"
        )
        raise Invalid(FieldProblem("payload", message, _HINT))
