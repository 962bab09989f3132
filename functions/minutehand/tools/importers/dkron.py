"""Jobs of dkron, as its API prints them (`GET /v1/jobs`)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minutehand.schedule.zones import zone_names
from minutehand.tools.importers.dkron_executors import EXECUTOR_RULES, read_executor
from minutehand.tools.importers.drafts import Draft, Exported, LeftOut, Terms, clipped
from minutehand.tools.importers.fields import Fields
from minutehand.tools.importers.instants import end_text, once, read_instant, start_text
from minutehand.tools.importers.rules import Rules, carried, changed, dropped, impossible
from minutehand.tools.importers.running import System, drafted

_MOST_ATTEMPTS = 20
_HASHED = {2: (24, 0), 3: (28, 1), 4: (12, 1), 5: (7, 0)}
"""The number of values, and the first, of each field of a schedule in which dkron puts a number for `~`; 60 and 0 in others."""
_NEVER = "0001-01-01"

RULES = Rules(
    carried("name", "name"),
    carried("displayname", "description"),
    carried(
        "schedule",
        "schedule",
        reason="the dialect is robfig, whose library dkron uses; @minutely and @manually have names here",
    ),
    carried("schedule", "schedule", case="~", reason="the number that dkron makes of the job's name"),
    carried("schedule", "schedule", case="@at", reason="at(…) in UTC"),
    changed(
        "schedule",
        "schedule",
        "@every counts from 1970 here, and from the start of dkron's scheduler there",
        case="@every",
    ),
    changed("schedule", "", "a job with a parent has no schedule in dkron, so it gets none", case="child"),
    carried("timezone", "timezone"),
    changed(
        "timezone",
        "timezone",
        "dkron reads the schedule in the time zone of its servers; --timezone names it",
        case="absent",
    ),
    carried("owner", "owner"),
    changed("owner_email", "labels", "the label dkron/owner-email; no mail is sent"),
    carried("disabled", "paused"),
    carried("metadata", "labels"),
    changed(
        "tags",
        "labels",
        "labels dkron/tag-…: they chose the servers that ran the job; here the target does, by its endpoints",
    ),
    carried("concurrency: allow", "overlap: allow"),
    carried("concurrency: forbid", "overlap: skip"),
    carried("retries", "retry.max_attempts", reason="one more: the first attempt counts; without waits, as there"),
    changed("retries", "retry.max_attempts", f"a run has at most {_MOST_ATTEMPTS} attempts", case="over 19"),
    carried("parent_job", "depends_on", reason="on: success"),
    impossible("processors", "the output of each run is kept with it (minutehand output); nothing is sent elsewhere"),
    changed("ephemeral", "max_runs: 1", "the job stays, finished, after its first run, also if that failed"),
    carried("starts_at", "start_at"),
    carried("expires_at", "end_at"),
    *EXECUTOR_RULES,
    *dropped(
        *("id", "success_count", "error_count", "last_success", "last_error", "status", "next", "dependent_jobs"),
        reason="dkron writes it itself",
    ),
)


def _read(exported: Sequence[Exported], terms: Terms) -> list[Draft]:
    return [_draft(place, job, terms) for document in exported for place, job in _jobs(document)]


def _jobs(document: Exported) -> Iterator[tuple[str, Mapping[str, Any]]]:
    several = document.content if isinstance(document.content, list) else [document.content]
    for number, job in enumerate(several, start=1):
        place = f"{document.place} item {number}" if several is document.content else document.place
        yield place, job if isinstance(job, Mapping) else {}


def _draft(place: str, job: Mapping[str, Any], terms: Terms) -> Draft:
    name = str(job.get("name") or "")
    draft = Draft(rules=RULES, place=place, source=name, key=name or place, wanted=name)
    return drafted(draft, lambda draft: _fill(draft, job, terms))


def _fill(draft: Draft, job: Mapping[str, Any], terms: Terms) -> None:
    top = Fields(job, draft)
    name = top.text("name")
    if not name:
        raise LeftOut("name", "this is no job of dkron: it has no name")
    draft.note("name")
    _schedule(draft, top, name, terms)
    _people(draft, top)
    if top.flag("disabled"):
        draft.set("disabled", paused=True)
    policy = top.text("concurrency") or "allow"
    if policy in {"allow", "forbid"}:
        draft.set(f"concurrency: {policy}", overlap="skip" if policy == "forbid" else "allow")
    else:
        draft.unread("concurrency", f"{policy!r:.40} is no policy of dkron")
    retries = top.number("retries") or 0
    if retries > 0:
        attempts = min(retries + 1, _MOST_ATTEMPTS)
        backoff = {"initial": "1s", "factor": 1, "max": "1s"}
        case = "over 19" if retries >= _MOST_ATTEMPTS else ""
        draft.set("retries", case=case, detail=str(retries), retry={"max_attempts": attempts, "backoff": backoff})
    if top.flag("ephemeral"):
        draft.set("ephemeral", max_runs=1)
    for theirs, ours, write in (("starts_at", "start_at", start_text), ("expires_at", "end_at", end_text)):
        if str(job.get(theirs) or _NEVER).startswith(_NEVER):
            top.any(theirs)
        elif (instant := top.instant(theirs, read_instant)) is not None:
            draft.set(theirs, **{ours: write(instant)})
    for at in ("next", "last_success", "last_error"):
        if str(job.get(at) or _NEVER).startswith(_NEVER):
            top.any(at)
    read_executor(draft, top)
    top.end()


def _schedule(draft: Draft, top: Fields, name: str, terms: Terms) -> None:
    text, zone, parent = top.text("schedule").strip(), top.text("timezone"), top.text("parent_job")
    if parent:
        draft.parents.append(parent)
        draft.note("parent_job", detail=parent)
        if text:
            draft.note("schedule", case="child", detail=text)
        return
    if text.startswith("@at "):
        try:
            instant = read_instant(text.removeprefix("@at "))
        except ValueError:
            raise LeftOut("schedule", f"{text!r:.60} names no instant") from None
        draft.set("schedule", case="@at", schedule=once(instant), timezone="UTC")
        return
    ours = {"@manually": "@manual", "@minutely": "0 * * * * *"}.get(text, text)
    case = "@every" if ours.startswith("@every") else "~" if "~" in ours else ""
    draft.set("schedule", case=case, schedule=_hashed(ours, name), dialect="robfig")
    if not zone or text.startswith("@"):
        draft.document["timezone"] = terms.timezone
        if not text.startswith(("@every", "@manually", "TZ=", "CRON_TZ=")):
            draft.note("timezone", case="absent", detail=terms.timezone)
    elif zone in zone_names():
        draft.set("timezone", timezone=zone)
    else:
        raise LeftOut("timezone", f"there is no time zone {zone!r:.60}")


def _hashed(text: str, name: str) -> str:
    """The schedule with the numbers that dkron puts for each `~`: the sum of the name's characters, within the field's range."""
    if "~" not in text or "@" in text:
        return text
    total = sum(map(ord, name))
    parts, place = text.split(" "), 0
    for number, part in enumerate(parts):
        if part.startswith(("TZ=", "CRON_TZ=")):
            continue
        size, first = _HASHED.get(place, (60, 0))
        parts[number] = part.replace("~", str(total % size + first))
        place += 1
    return " ".join(parts)


def _people(draft: Draft, top: Fields) -> None:
    if shown := top.text("displayname"):
        draft.set("displayname", description=shown)
    if owner := top.text("owner"):
        draft.set("owner", owner=owner)
    if mail := top.text("owner_email"):
        draft.note("owner_email")
        draft.label("dkron/owner-email", mail)
    if metadata := top.pairs("metadata"):
        draft.note("metadata")
        for name, value in metadata.items():
            draft.label(name, value)
    if tags := top.pairs("tags"):
        draft.note("tags", detail=", ".join(tags))
        for name, value in tags.items():
            draft.label(f"dkron/tag-{re.sub(r'[^A-Za-z0-9._-]', '-', name)}", clipped(value, 255))


SYSTEM = System(name="dkron", title="dkron", rules=RULES, read=_read)
