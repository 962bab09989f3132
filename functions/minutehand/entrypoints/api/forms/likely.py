"""Hints for what a document likely meant: a bare value in the place of an object or a list, or another scheduler's word for a field."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

_MOST_ATTEMPTS: Final = 20
_LONGEST: Final = 200

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "concurrencypolicy": ("overlap", '"allow", "skip" for Forbid, or "replace" for Replace'),
    "suspend": ("paused", "true or false"),
    "startingdeadlineseconds": (
        "catchup_window",
        'such as "200s": the maximum age of a missed occurrence that still runs',
    ),
    "successfuljobshistorylimit": ("retention_count", "how many of the newest runs to keep, whatever their state"),
    "failedjobshistorylimit": ("retention_count", "how many of the newest runs to keep, whatever their state"),
    "backofflimit": (
        "retry",
        '{"max_attempts": …}: one more than the number of retries, since the first attempt counts',
    ),
    "activedeadlineseconds": ("run_timeout", 'such as "600s", for the whole run; `timeout` limits one attempt'),
    "ttlsecondsafterfinished": ("retention", 'such as "7d"'),
    "jobtemplate": ("target", 'such as {"type": "http", "url": "https://example.com/hook"}'),
    "enabled": ("paused", "true in place of enabled: false"),
    "disabled": ("paused", "true or false"),
    "cron": ("schedule", 'such as "0 9 * * MON-FRI"'),
    "cronexpression": ("schedule", 'such as "0 9 * * MON-FRI"'),
    "expression": ("schedule", 'such as "0 9 * * MON-FRI"'),
    "scheduleexpression": ("schedule", 'such as "rate(5 minutes)"'),
    "interval": ("schedule", 'such as "@every 10m"'),
    "every": ("schedule", 'such as "@every 10m"'),
    "tz": ("timezone", 'such as "Europe/Paris"'),
    "tags": ("labels", 'such as {"team": "shop"}'),
    "retries": ("retry", '{"max_attempts": …}: one more than the number of retries, since the first attempt counts'),
    "maxretries": ("retry", '{"max_attempts": …}: one more than the number of retries, since the first attempt counts'),
    "concurrency": (
        "max_concurrency",
        "the most attempts in progress at once; `overlap` decides on a run that is due meanwhile",
    ),
    "dependencies": ("depends_on", 'such as [{"job": "extract"}]'),
    "needs": ("depends_on", 'such as [{"job": "extract"}]'),
    "after": ("depends_on", 'such as [{"job": "extract"}]'),
    "retry.delay": ("retry.backoff", 'such as {"initial": "30s"}'),
    "retry.interval": ("retry.backoff", 'such as {"initial": "30s"}'),
    "retry.attempts": ("retry.max_attempts", "a number; the first attempt counts"),
    "retry.limit": ("retry.max_attempts", "a number; the first attempt counts"),
}
"""What Kubernetes and other schedulers call a field of a job, in small letters: our field, and what to write in it."""


def field_for(path: str) -> str:
    """The hint for another scheduler's field, by its path without `-` and `_` in its last name; empty for any other field."""
    place, _, name = path.rpartition(".")
    word = name.lower().replace("-", "").replace("_", "")
    field, how = WORDS.get(f"{place}.{word}" if place else word, ("", ""))
    return f"write `{field}`: {how}" if field else ""


def value_for(path: str, value: Any) -> str:
    """The hint for a bare value where a job's field needs an object or a list; empty where nothing is likely."""
    likely = _LIKELY.get(path)
    meant = None if likely is None else likely(value)
    text = "" if meant is None else json.dumps(meant, ensure_ascii=False)
    return f"write {text}" + _BESIDE.get(path, "") if 0 < len(text) <= _LONGEST else ""


def duration_for(number: float, least: str, most: str) -> str:
    """The hint for a number in the place of a duration; seconds are meant."""
    if isinstance(number, int) and number > 0:
        return f'write it with a unit, such as "{number}s" for seconds; {least} to {most} is allowed'
    return f'write whole numbers with units, such as "90s" or "1h30m"; {least} to {most} is allowed'


def _retry(value: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return {"max_attempts": value + 1} if whole and 0 < value < _MOST_ATTEMPTS else None


def _target(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(("http://", "https://")):
        return None
    return {"type": "http", "url": value}


_LIKELY: Final[Mapping[str, Callable[[Any], Any]]] = {
    "retry": _retry,
    "target": _target,
    "depends_on": lambda value: [{"job": value}] if isinstance(value, str) else None,
    "calendars": lambda value: [value] if isinstance(value, str) else None,
    "limits": lambda value: [{"name": value, "max": 1}] if isinstance(value, str) else None,
}
_BESIDE: Final = {"retry": "; the first attempt counts"}
