"""Schedules of Celery, in all the forms in which exports write them, as those of a job."""

import re
from collections.abc import Mapping
from typing import Any

from minutehand.schedule.zones import zone_names
from minutehand.tools.importers.celery_crontabs import FIELDS, translate
from minutehand.tools.importers.clocks import clocks_change
from minutehand.tools.importers.drafts import Draft, LeftOut, Terms

_LONGEST = 100 * 365 * 86_400
_CRONTAB = re.compile(r"<crontab: (.+) \(([\w/]+)\)>")
_FREQUENCY = re.compile(r"<freq: ([0-9]+(?:\.[0-9]+)?) (second|minute|hour|day)s?>")
_UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
_TIMEDELTA = re.compile(r"(?:([0-9]{1,6}) days?, )?([0-9]{1,2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)")
_SHORT = {"m": "minute", "h": "hour", "d": "day_of_week", "dM": "day_of_month", "MY": "month_of_year"}
"""The fields in the legend of a printed crontab, `<crontab: 0 4 * * * (m/h/dM/MY/d)>`."""


def set_schedule(draft: Draft, value: Any, zone: str | None, terms: Terms) -> None:
    """Set the schedule and the time zone of a draft. Raises LeftOut, with the reason."""
    if isinstance(value, str):
        value = _printed(value)
    if isinstance(value, Mapping):
        if "code" in value:
            raise LeftOut("schedule", f"code computes it, and the importer runs none: {value['code']!s:.120}")
        if "solar" in value:
            raise LeftOut("schedule", f"no schedule here follows the sun: solar({value['solar']!s:.80})")
        if value.get("relative"):
            draft.note("relative")
        if "every" in value:
            set_interval(draft, value["every"])
        else:
            fields = value.get("crontab", value)
            if not isinstance(fields, Mapping) or not set(fields) & set(FIELDS):
                raise LeftOut("schedule", f"{value!r:.100} is no schedule of Celery")
            set_crontab(draft, fields, zone, terms)
    else:
        set_interval(draft, value)


def set_interval(draft: Draft, seconds: Any) -> None:
    """Set an interval of whole seconds."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST:
        raise LeftOut("schedule", f"{seconds!r:.60} is no number of seconds")
    if int(seconds) != seconds:
        raise LeftOut("schedule", f"a job runs at whole seconds, not every {seconds:g} s")
    draft.set("schedule: interval", schedule=f"@every {int(seconds)}s", timezone="UTC", detail=f"{int(seconds)} s")


def set_crontab(draft: Draft, fields: Mapping[str, Any], zone: str | None, terms: Terms) -> None:
    """Set a crontab and its time zone."""
    texts = {}
    for name, value in fields.items():
        if name not in FIELDS:
            draft.unknown(f"schedule.{name}")
        elif isinstance(value, list):
            texts[name] = ",".join(map(str, value))
        elif isinstance(value, int | str) and not isinstance(value, bool):
            texts[name] = str(value)
        elif value is not None:
            raise LeftOut(f"schedule.{name}", f"{value!r:.60} is no part of a crontab")
    if zone and zone not in zone_names():
        raise LeftOut("timezone", f"there is no time zone {zone!r:.60}")
    timezone = zone or terms.timezone
    draft.set("schedule: crontab", schedule=translate(texts), dialect="vixie", timezone=timezone)
    draft.note("timezone", case="" if zone else "absent", detail=timezone)
    if clocks_change(timezone, terms.now):
        draft.note("schedule: crontab", case="clock changes")


def _printed(text: str) -> Any:
    """A schedule as Celery prints it."""
    if found := _CRONTAB.fullmatch(text):
        names = [_SHORT.get(name, name) for name in found[2].split("/")]
        values = found[1].split()
        if len(names) != len(values):
            raise LeftOut("schedule", f"{text!r:.80} cannot be read: its fields are not those of its legend")
        return {"crontab": dict(zip(names, values, strict=True))}
    if found := _FREQUENCY.fullmatch(text):
        return {"every": float(found[1]) * _UNITS[found[2]]}
    if found := _TIMEDELTA.fullmatch(text):
        return {"every": int(found[1] or 0) * 86_400 + int(found[2]) * 3_600 + int(found[3]) * 60 + float(found[4])}
    if text.startswith("<solar:"):
        return {"solar": text}
    if re.fullmatch(r"[0-9]{1,10}(?:\.[0-9]{1,6})?", text, re.ASCII):
        return {"every": float(text)}
    return {"code": text}
