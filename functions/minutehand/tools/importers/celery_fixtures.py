"""Fixtures of django-celery-beat, as `manage.py dumpdata django_celery_beat` writes them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from minutehand.tools.importers.celery_rules import RULES
from minutehand.tools.importers.celery_schedules import set_crontab, set_interval
from minutehand.tools.importers.celery_tasks import set_expiry, set_task
from minutehand.tools.importers.drafts import Draft, Exported, LeftOut, Terms
from minutehand.tools.importers.fields import Fields
from minutehand.tools.importers.instants import end_text, once, read_instant, start_text
from minutehand.tools.importers.running import drafted

_APP = "django_celery_beat."
_PERIODS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1, "microseconds": 1e-6}
_KINDS = {
    "crontab": "crontabschedule",
    "interval": "intervalschedule",
    "clocked": "clockedschedule",
    "solar": "solarschedule",
}
_PATH = "PeriodicTask."
Schedules = Mapping[tuple[str, str], Mapping[str, Any]]
"""The schedules of a fixture, by model and primary key."""


def is_fixture(content: Any) -> bool:
    """Whether a document is a fixture of Django."""
    return isinstance(content, list) and any(isinstance(each, Mapping) and "model" in each for each in content)


def read_fixture(fixtures: Sequence[Exported], terms: Terms) -> list[Draft]:
    """Drafts of all periodic tasks in some fixtures, which may share schedules."""
    schedules: dict[tuple[str, str], Mapping[str, Any]] = {}
    tasks: list[tuple[str, str, Mapping[str, Any]]] = []
    for fixture in fixtures:
        for number, entry in enumerate(fixture.content, start=1):
            if not isinstance(entry, Mapping) or not isinstance(entry.get("fields"), Mapping):
                continue
            model = str(entry.get("model", "")).lower().removeprefix(_APP)
            if model == "periodictask":
                tasks.append((f"{fixture.place} item {number}", str(entry.get("pk")), entry["fields"]))
            else:
                schedules[model, str(entry.get("pk"))] = entry["fields"]
    return [_draft(place, key, fields, schedules, terms) for place, key, fields in tasks]


def _draft(place: str, key: str, fields: Mapping[str, Any], schedules: Schedules, terms: Terms) -> Draft:
    name = str(fields.get("name") or fields.get("task") or key)
    draft = Draft(rules=RULES, place=place, source=name, key=f"{name} {key}", wanted=name)
    return drafted(draft, lambda draft: _fill(draft, Fields(fields, draft, _PATH), schedules, terms))


def _fill(draft: Draft, fields: Fields, schedules: Schedules, terms: Terms) -> None:
    fields.text("name")
    draft.note("name")
    task = fields.text("task")
    if not task:
        raise LeftOut("task", "the periodic task names no task")
    _schedule(draft, fields, schedules, terms)
    set_task(draft, task, _json(fields, "args"), _json(fields, "kwargs"))
    headers = fields.text("headers")
    if headers not in {"", "{}"}:
        draft.note(f"{_PATH}headers")
    if description := fields.text("description"):
        draft.set(f"{_PATH}description", description=description)
    if fields.flag("enabled") is False:
        draft.set(f"{_PATH}enabled", paused=True)
    if fields.flag("one_off"):
        draft.set(f"{_PATH}one_off", max_runs=1)
    if queue := fields.text("queue"):
        draft.note(f"{_PATH}queue", detail=queue)
        draft.label("celery/queue", queue)
    for theirs, ours, write in (("start_time", "start_at", start_text), ("expires", "end_at", end_text)):
        instant = fields.instant(theirs, lambda value: read_instant(value, terms.timezone))
        if instant is not None:
            draft.set(f"{_PATH}{theirs}", **{ours: write(instant)})
    if (seconds := fields.number("expire_seconds")) is not None:
        set_expiry(draft, f"{_PATH}expire_seconds", seconds)
    fields.end()


def _schedule(draft: Draft, fields: Fields, schedules: Schedules, terms: Terms) -> None:
    kinds = [kind for kind in _KINDS if kind in fields]
    if len(kinds) != 1:
        raise LeftOut("schedule", "the periodic task has no schedule" if not kinds else f"it has {' and '.join(kinds)}")
    [kind] = kinds
    key = str(fields.any(kind))
    found = schedules.get((_KINDS[kind], key))
    if found is None:
        hint = "dump the whole app: manage.py dumpdata django_celery_beat"
        raise LeftOut("schedule", f"the export lacks its {kind} schedule {key:.40}; {hint}")
    if kind == "solar":
        raise LeftOut("schedule", f"no schedule here follows the sun: {found.get('event')!s:.60}")
    if kind == "interval":
        every, period = found.get("every"), _PERIODS.get(str(found.get("period")))
        if not isinstance(every, int) or period is None:
            raise LeftOut("schedule", f"{every!r:.30} {found.get('period')!r:.30} is no interval")
        set_interval(draft, every * period)
    elif kind == "clocked":
        _clocked(draft, found.get("clocked_time"), terms)
    else:
        zone = found.get("timezone")
        set_crontab(draft, {n: v for n, v in found.items() if n != "timezone"}, str(zone) if zone else None, terms)


def _clocked(draft: Draft, value: Any, terms: Terms) -> None:
    try:
        instant = read_instant(value, terms.timezone)
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise LeftOut("schedule", f"{value!r:.60} is no instant") from None
    draft.set("schedule: clocked", schedule=once(instant), timezone="UTC")


def _json(fields: Fields, name: str) -> Any:
    """The value of a field with JSON in a text."""
    value = fields.any(name)
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise LeftOut(name, f"{value!r:.60} is not JSON") from None
