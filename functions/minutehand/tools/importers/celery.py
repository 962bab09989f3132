"""Celery's beat schedule: of a module, of `celery inspect conf`, or as JSON; and fixtures of django-celery-beat (`dumpdata`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minutehand.tools.importers.celery_fixtures import is_fixture, read_fixture
from minutehand.tools.importers.celery_rules import RULES
from minutehand.tools.importers.celery_schedules import set_schedule
from minutehand.tools.importers.celery_tasks import set_expiry, set_task, set_timeout
from minutehand.tools.importers.drafts import Draft, Exported, LeftOut, Terms
from minutehand.tools.importers.fields import Fields
from minutehand.tools.importers.running import System, drafted

_KEYS = ("beat_schedule", "CELERY_BEAT_SCHEDULE", "CELERYBEAT_SCHEDULE")
_ZONES = ("timezone", "CELERY_TIMEZONE")
_DEEPEST = 4


def _read(exported: Sequence[Exported], terms: Terms) -> list[Draft]:
    fixtures = [each for each in exported if is_fixture(each.content)]
    entries = [
        entry
        for each in exported
        if not is_fixture(each.content)
        for entry in _entries(each.place, each.content, None, 0)
    ]
    return [*(_draft(*entry, terms) for entry in entries), *read_fixture(fixtures, terms)]


def _entries(place: str, content: Any, zone: Any, depth: int) -> Iterator[tuple[str, str, Any, str | None]]:
    """Place, name, fields and time zone of each entry in a document."""
    if not isinstance(content, Mapping) or depth > _DEEPEST:
        yield place, "", {}, None
        return
    if "entry" in content and "fields" in content:
        yield place, str(content["entry"]), content["fields"], content.get("timezone")
        return
    zone = next((content[name] for name in _ZONES if isinstance(content.get(name), str)), zone)
    named = next((content[name] for name in _KEYS if isinstance(content.get(name), Mapping)), None)
    if named is None and content and all(isinstance(each, Mapping) for each in content.values()):
        if any("task" in each or "schedule" in each for each in content.values()):
            named = content
        else:  # the answers of several workers, by their names
            for each in content.values():
                yield from _entries(place, each, zone, depth + 1)
            return
    if named is None:
        yield place, "", {}, None
        return
    for name, fields in named.items():
        yield place, str(name), fields, zone


def _draft(place: str, name: str, fields: Any, zone: str | None, terms: Terms) -> Draft:
    task = fields.get("task") if isinstance(fields, Mapping) else None
    source = name or str(task or "")
    key = source or place
    if isinstance(fields, Mapping) and fields.get("added"):
        key = f"{source} {fields!r}"  # add_periodic_task may be called for one task several times
    draft = Draft(rules=RULES, place=place, source=source, key=key, wanted=source)
    return drafted(draft, lambda draft: _fill(draft, fields, zone, terms))


def _fill(draft: Draft, content: Any, zone: str | None, terms: Terms) -> None:
    if not isinstance(content, Mapping) or not content:
        raise LeftOut("beat_schedule", "this is no beat schedule: a dict of entries, each with a task and a schedule")
    fields = Fields({str(name): value for name, value in content.items()}, draft)
    if draft.source:
        draft.note("name")
    task = fields.any("task")
    if not isinstance(task, str) or not task:
        raise LeftOut(
            "task", f"the entry names no task: {task!r:.80}" if task is not None else "the entry names no task"
        )
    if "schedule" not in fields:
        raise LeftOut("schedule", "the entry has no schedule")
    added = fields.any("added") is True
    set_schedule(draft, fields.any("schedule"), zone, terms)
    if fields.any("relative"):
        draft.note("relative")
    set_task(draft, task, fields.any("args"), fields.any("kwargs"), added=added)
    options = fields.object("options")
    if (expires := options.any("expires")) is not None:
        set_expiry(draft, "options.expires", expires)
    set_timeout(draft, options)
    if queue := options.text("queue"):
        draft.note("options.queue", detail=queue)
        draft.label("celery/queue", queue)
    options.end()
    fields.end()


SYSTEM = System(name="celery", title="Celery", rules=RULES, read=_read)
