"""Parsing of schedules on the command line, with their errors, descriptions and warnings."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from minutehand.cli.failures import failure, field_lines
from minutehand.cli.screen.render import Screen
from minutehand.client.calls import DEFAULT_NAMESPACE
from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.errors import NAME_WANTED

_PIECE = r"[a-z0-9][a-z0-9._-]{0,127}"
_NAME = re.compile(rf"(?:({_PIECE})/)?({_PIECE})")


def compiled(
    texts: Sequence[str],
    timezone: str,
    dialect: str | None,
    *,
    name: str | None = None,
    anchor: datetime | None = None,
    called: str = "the schedule",
) -> Schedule:
    """Compile one text, or several joined. Raises Failure with the place of the error; `called` names the schedule in it."""
    try:
        given = texts[0] if len(texts) == 1 else texts
        return Schedule.parse(
            given, timezone, dialect, name=None if name is None else full_job_name(name), anchor=anchor
        )
    except ScheduleError as error:
        hint = "give it as --name NAMESPACE/NAME, or choose a value" if error.message == NAME_WANTED else error.hint
        field = {"path": error.field, "message": error.message, "hint": hint, "column": error.column}
        if error.part is not None:
            field["part"] = error.part
        text = texts[error.part or 0]
        raise failure("invalid schedule", f"{called} cannot be used", errors=[field], texts={0: text}) from error


def full_job_name(name: str) -> str:
    """The full name `namespace/name`, from which a schedule's H is hashed. Raises ScheduleError (field "name")."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise ScheduleError(
            f"{name!r:.60} is not the name of a job",
            field="name",
            hint="write NAMESPACE/NAME, of a-z, 0-9, `.`, `_` and `-`",
        )
    return f"{found[1] or DEFAULT_NAMESPACE}/{found[2]}"


def head_line(schedule: Schedule) -> str:
    """The schedule's description, time zone and dialect in a line."""
    return head(schedule.describe(), schedule.timezone, schedule.dialect)


def head(description: str, timezone: str, dialect: str | None) -> str:
    """A line with a schedule's description, time zone and dialect."""
    return f"{description} ({timezone}, {dialect or 'each text its own dialect'})"


def shape(schedule: Schedule) -> dict[str, Any]:
    """A schedule's text, time zone, dialect and description, as JSON."""
    return {
        "schedule": schedule.text if isinstance(schedule.text, str) else list(schedule.text),
        "timezone": schedule.timezone,
        "dialect": schedule.dialect,
        "description": schedule.describe(),
    }


def warnings_of(schedule: Schedule, now: datetime, timezone: str | None) -> list[dict[str, Any]]:
    """The schedule's warnings as JSON. timezone: the time zone given as an option, not in the text; None if not given."""
    return [warning._asdict() for warning in schedule.warnings(now, timezone=timezone)]


def print_warnings(screen: Screen, schedule: Schedule, now: datetime, timezone: str | None) -> None:
    """Print the schedule's warnings, each with a caret under its text. timezone: as for `warnings_of`."""
    for warning in warnings_of(schedule, now, timezone):
        text = schedule.parts[warning["part"] or 0].text
        for line in field_lines({**warning, "path": warning["field"]}, text, kind="warning"):
            screen.note(line[2:])
