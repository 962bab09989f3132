"""Schedules of EventBridge Scheduler (`aws scheduler get-schedule`) and rules of EventBridge (`aws events describe-rule`, followed by
`aws events list-targets-by-rule`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from minutehand.schedule import Schedule, ScheduleError
from minutehand.tools.importers.drafts import Draft, Exported, LeftOut, Terms
from minutehand.tools.importers.eventbridge_rules import RULES
from minutehand.tools.importers.eventbridge_targets import read_target
from minutehand.tools.importers.fields import Fields
from minutehand.tools.importers.instants import end_text, phase, read_instant, start_text
from minutehand.tools.importers.running import System, drafted

_NO_EXPRESSION = "list-schedules prints no schedule and no target: export each one by aws scheduler get-schedule --name … --group-name …"
_NO_TARGETS = "no target follows: append aws events list-targets-by-rule --rule NAME to the same file"


@dataclass(kw_only=True)
class _Entry:
    """An object of an export: a schedule, or a rule with its targets."""

    place: str
    content: Mapping[str, Any]
    targets: list[Mapping[str, Any]] | None = None


def _read(exported: Sequence[Exported], terms: Terms) -> list[Draft]:  # noqa: ARG001 - the exports say all time zones
    entries = list(_entries(exported))
    described = {_key(entry.content) for entry in entries if "ScheduleExpression" in entry.content}
    drafts = []
    for entry in entries:
        if _is_rule(entry.content):
            drafts += _of_rule(entry)
        elif "ScheduleExpression" in entry.content or _key(entry.content) not in described:
            drafts.append(_of_schedule(entry))
    return drafts


def _entries(exported: Sequence[Exported]) -> Iterator[_Entry]:
    """The schedules and rules of all documents. The targets after a rule, in the same file, are its own."""
    rule: _Entry | None = None
    for document in exported:
        content = document.content
        if not isinstance(content, Mapping):
            yield _Entry(place=document.place, content={})
            continue
        if isinstance(content.get("Targets"), list) and "Name" not in content and rule is not None:
            rule.targets = [each for each in content["Targets"] if isinstance(each, Mapping)]
            continue
        if rule is not None:
            yield rule
            rule = None
        listed = content.get("Schedules", content.get("Rules"))
        for number, each in enumerate(listed if isinstance(listed, list) else [content], start=1):
            place = f"{document.place} item {number}" if isinstance(listed, list) else document.place
            entry = _Entry(place=place, content=each if isinstance(each, Mapping) else {})
            if _is_rule(entry.content) and not isinstance(listed, list):
                rule = entry
            else:
                yield entry
    if rule is not None:
        yield rule


def _is_rule(content: Mapping[str, Any]) -> bool:
    return "EventPattern" in content or "EventBusName" in content or ":rule/" in str(content.get("Arn"))


def _key(content: Mapping[str, Any]) -> str:
    return str(content.get("Arn") or f"{content.get('GroupName', 'default')}/{content.get('Name')}")


def _of_schedule(entry: _Entry) -> Draft:
    name, group = str(entry.content.get("Name") or ""), str(entry.content.get("GroupName") or "default")
    source = name if group == "default" else f"{group}/{name}"
    key = _key(entry.content) if name else entry.place
    draft = Draft(rules=RULES, place=entry.place, source=source, key=key, wanted=name)
    return drafted(draft, lambda draft: _fill_schedule(draft, entry.content))


def _fill_schedule(draft: Draft, content: Mapping[str, Any]) -> None:
    top = Fields(content, draft)
    if not top.text("Name"):
        raise LeftOut("Name", "this is no schedule and no rule: it has no Name")
    draft.note("Name")
    if "ScheduleExpression" not in top:
        raise LeftOut("ScheduleExpression", _NO_EXPRESSION)
    group = top.text("GroupName")
    if group and group != "default":
        draft.note("GroupName")
        draft.label("eventbridge/group", group)
    _expression(draft, top, top.text("ScheduleExpressionTimezone"))
    _window(draft, top)
    _state(draft, top)
    if (after := top.text("ActionAfterCompletion")) == "DELETE":
        draft.note("ActionAfterCompletion")
    elif after not in {"", "NONE"}:
        draft.unread("ActionAfterCompletion", f"{after!r:.40} is not known")
    target = top.object("Target")
    read_target(draft, target)
    target.end()
    top.end()


def _of_rule(entry: _Entry) -> list[Draft]:
    """A draft for each target of a rule: each of them is called at each of its times."""
    name = str(entry.content.get("Name") or "")
    key = str(entry.content.get("Arn") or name or entry.place)

    def draft_of(target: Mapping[str, Any], place: str) -> Draft:
        several = len(entry.targets or ()) > 1
        known = str(target.get("Id") or place) if several else ""
        source = f"{name}/{known}" if several else name
        wanted = f"{name}-{known}" if several else name
        draft = Draft(rules=RULES, place=entry.place, source=source, key=f"{key}/{known}", wanted=wanted)
        return drafted(draft, lambda draft: _fill_rule(draft, entry.content, target, listed=entry.targets is not None))

    return [draft_of(target, str(n)) for n, target in enumerate(entry.targets or [{}], start=1)]


def _fill_rule(draft: Draft, content: Mapping[str, Any], target_content: Mapping[str, Any], *, listed: bool) -> None:
    top = Fields(content, draft)
    if not top.text("Name"):
        raise LeftOut("Name", "this is no schedule and no rule: it has no Name")
    draft.note("Name")
    if "ScheduleExpression" not in top:
        raise LeftOut("EventPattern", "events start this rule, not times")
    if not target_content:
        raise LeftOut("Targets", "the rule has no target" if listed else _NO_TARGETS)
    if "EventPattern" in top:
        draft.note("EventPattern")
        top.any("EventPattern")
    bus = top.text("EventBusName")
    if bus not in {"", "default"}:
        draft.note("EventBusName", detail=bus)
    _expression(draft, top, "")
    _state(draft, top)
    target = Fields(target_content, draft, "Target.")
    target.any("Id")
    read_target(draft, target)
    target.end()
    top.end()


def _expression(draft: Draft, top: Fields, zone: str) -> None:
    text = top.text("ScheduleExpression")
    draft.set("ScheduleExpression", schedule=text, timezone=zone or "UTC")
    if zone:
        draft.note("ScheduleExpressionTimezone")
    description = top.text("Description")
    if description:
        draft.set("Description", description=description)
    start, end = top.instant("StartDate", read_instant), top.instant("EndDate", read_instant)
    created = top.instant("CreationDate", read_instant)
    if text.startswith("at("):
        return  # EventBridge ignores both for one time
    if end is not None:
        draft.set("EndDate", end_at=end_text(end))
    if start is not None:
        draft.set("StartDate", start_at=start_text(start))
    elif created is not None and text.startswith("rate("):
        draft.set("CreationDate", start_at=_first_of_rate(text, created))
    elif text.startswith("rate("):
        draft.note("ScheduleExpression", case="rate without a date")


def _first_of_rate(text: str, created: datetime) -> str:
    """An instant from which the rate counts as it does from its creation."""
    try:
        ticks = Schedule.parse(text).between(created, created + timedelta(days=40_000), 2)
    except (ScheduleError, OverflowError):
        return start_text(created)
    return phase(created, ticks[1] - ticks[0]) if len(ticks) > 1 else start_text(created)


def _window(draft: Draft, top: Fields) -> None:
    window = top.object("FlexibleTimeWindow")
    mode, minutes = window.text("Mode"), window.number("MaximumWindowInMinutes")
    if mode == "FLEXIBLE" and minutes is not None and 1 <= minutes <= 1440:
        draft.set("FlexibleTimeWindow", jitter=f"{minutes}m", detail=f"{minutes} minutes")
    elif mode not in {"", "OFF"}:
        draft.unread("FlexibleTimeWindow", f"{mode!r:.40} with {minutes} minutes is not known")
    window.end()


def _state(draft: Draft, top: Fields) -> None:
    state = top.text("State")
    if state == "DISABLED":
        draft.set("State", paused=True)
    elif state not in {"", "ENABLED", "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"}:
        draft.unread("State", f"{state!r:.60} is not known")


SYSTEM = System(name="eventbridge", title="EventBridge", rules=RULES, read=_read)
