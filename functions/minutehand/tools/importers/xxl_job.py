"""Jobs of XXL-JOB, from a dump of its table `xxl_job_info`."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from minutehand.tools.importers.clocks import clocks_change
from minutehand.tools.importers.drafts import Draft, Exported, LeftOut, Terms, duration, http_draft
from minutehand.tools.importers.fields import Fields
from minutehand.tools.importers.instants import end_text, phase, read_instant, start_text
from minutehand.tools.importers.naming import safe_name
from minutehand.tools.importers.quartz import translate
from minutehand.tools.importers.running import System, drafted
from minutehand.tools.importers.table_dumps import read_rows
from minutehand.tools.importers.xxl_job_rules import BLOCKS, GLUES, MISFIRES, RULES

_INFO, _GROUP = "xxl_job_info", "xxl_job_group"
_MOST_ATTEMPTS = 20
_FIRST_YEAR, _LAST_YEAR = 1971, 2197
_LONGEST_CALL, _LONGEST_ATTEMPT = 14 * 60, 7 * 86_400

COLUMNS: Mapping[str, Sequence[str]] = {
    _INFO: (
        *("id", "job_group", "job_desc", "add_time", "update_time", "author", "alarm_email", "schedule_type"),
        *("schedule_conf", "misfire_strategy", "executor_route_strategy", "executor_handler", "executor_param"),
        *("executor_block_strategy", "executor_timeout", "executor_fail_retry_count", "glue_type", "glue_source"),
        *("glue_remark", "glue_updatetime", "child_jobid", "trigger_status", "trigger_last_time", "trigger_next_time"),
    ),
    _GROUP: ("id", "app_name", "title", "address_type", "address_list", "update_time"),
}
"""The columns of a dump that names none, in the order of XXL-JOB 2.3 to 3.1."""


def read_dump(text: str) -> Iterator[tuple[int, Any]]:
    """The rows of a dump, each with its line and, under the key `table`, the table it is from. Raises ExportFault."""
    for line, table, row in read_rows(text, dict(COLUMNS)):
        yield line, {"table": table, "row": row}


def _read(exported: Sequence[Exported], terms: Terms) -> list[Draft]:
    rows = [row for each in exported for row in _rows(each)]
    groups = {
        str(content["row"].get("id")): str(content["row"].get("app_name") or "")
        for _, content in rows
        if content.get("table") == _GROUP
    }
    jobs = [(place, content["row"]) for place, content in rows if content.get("table") == _INFO]
    drafts = [_draft(place, row, groups, terms) for place, row in jobs]
    by_id = {draft.key: draft for draft in drafts}
    for draft, (_, row) in zip(drafts, jobs, strict=True):
        _children(draft, str(row.get("child_jobid") or ""), by_id)
    for draft in drafts:
        if draft.parents and draft.document.pop("paused", False):
            # A stopped job still runs after its parents; a paused one here would not.
            draft.document.pop("schedule", None)
            draft.note("trigger_status", case="child")
    return drafts


def _rows(document: Exported) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a document: one of a dump, or a list of them as JSON."""
    content = document.content
    if isinstance(content, Mapping) and isinstance(content.get("row"), Mapping):
        yield document.place, content
        return
    for number, row in enumerate(content if isinstance(content, list) else [content], start=1):
        place = f"{document.place} item {number}" if isinstance(content, list) else document.place
        yield place, {"table": _INFO, "row": row if isinstance(row, Mapping) else {}}


def _draft(place: str, row: Mapping[str, Any], groups: Mapping[str, str], terms: Terms) -> Draft:
    number = str(row.get("id") or place)
    title = str(row.get("job_desc") or row.get("name") or "")
    handler = str(row.get("executor_handler") or "")
    wanted = next((text for text in (title, handler) if text.isascii() and safe_name(text)), f"job-{number}")
    draft = Draft(rules=RULES, place=place, source=title or number, key=number, wanted=wanted, task=handler)
    return drafted(draft, lambda draft: _fill(draft, Fields(row, draft), title, groups, terms))


def _fill(draft: Draft, row: Fields, title: str, groups: Mapping[str, str], terms: Terms) -> None:
    draft.note("id", detail=row.text("id"))
    draft.label("xxl-job/id", draft.key)
    column = "job_desc" if "job_desc" in row else "name"
    if row.text(column):
        draft.set("job_desc", description=title)
    if group := row.text("job_group"):
        draft.note("job_group", detail=group)
        draft.label("xxl-job/group", groups.get(group) or group)
    if author := row.text("author"):
        draft.set("author", owner=author)
    if mail := row.text("alarm_email"):
        draft.note("alarm_email")
        draft.label("xxl-job/alarm-email", mail)
    _schedule(draft, row, terms)
    if not row.flag("trigger_status"):
        draft.set("trigger_status", paused=True)
    _choice(draft, row, "misfire_strategy", "catch_up", MISFIRES)
    _choice(draft, row, "executor_block_strategy", "overlap", BLOCKS)
    if str(draft.document["schedule"]).startswith("@after"):
        draft.document.pop("overlap", None)  # a fixed delay has one run at a time
    _choice(draft, row, "executor_route_strategy", "", {})
    _work(draft, row)
    row.any("child_jobid")
    row.end()


def _schedule(draft: Draft, row: Fields, terms: Terms) -> None:
    kind, text = row.text("schedule_type"), row.text("schedule_conf").strip()
    last = row.number("trigger_next_time") or row.number("trigger_last_time") or 0
    row.any("trigger_last_time")
    draft.document["timezone"] = terms.timezone
    if kind in {"", "NONE"}:
        draft.set("schedule_type: NONE", schedule="@manual")
    elif kind == "CRON":
        _cron(draft, text, terms)
    elif kind in {"FIX_RATE", "FIX_DELAY"}:
        if not (text.isascii() and text.isdigit() and 0 < int(text[:12]) <= 10**9 and len(text) <= 10):
            raise LeftOut("schedule_conf", f"{text!r:.40} is no number of seconds")
        every = "@every" if kind == "FIX_RATE" else "@after"
        draft.set(f"schedule_type: {kind}", schedule=f"{every} {int(text)}s")
        if kind == "FIX_RATE" and 86_400_000 < last < 7_258_118_400_000:
            at = datetime.fromtimestamp(last / 1000, UTC)
            draft.set("trigger_next_time", start_at=phase(at, timedelta(seconds=int(text))))
    else:
        raise LeftOut("schedule_type", f"{kind!r:.40} is no type of schedule in XXL-JOB")


def _cron(draft: Draft, text: str, terms: Terms) -> None:
    made = translate(text)
    draft.set("schedule_type: CRON", schedule=made.schedule, dialect="vixie")
    draft.note("timezone", detail=terms.timezone)
    if clocks_change(terms.timezone, terms.now):
        draft.note("schedule_type: CRON", case="clock changes")
    if made.nearest:
        draft.note("schedule_type: CRON", case="W, several times")
    if made.years is not None:
        first, last = (min(max(year, _FIRST_YEAR), _LAST_YEAR) for year in made.years)
        start, end = (read_instant(f"{year}-01-01T00:00:00", terms.timezone) for year in (first, last + 1))
        draft.set("schedule_conf: year", start_at=start_text(start), end_at=end_text(end - timedelta(seconds=1)))


def _choice(draft: Draft, row: Fields, column: str, field: str, choices: Mapping[str, str]) -> None:
    """Read a strategy by its name, for which there is a rule, into a field of the job, if it has one."""
    value = row.text(column)
    if not value:
        return
    try:
        draft.note(f"{column}: {value}")
    except KeyError:
        draft.unread(column, f"{value!r:.60} is not known")
        return
    if value in choices:
        draft.document[field] = choices[value]


def _work(draft: Draft, row: Fields) -> None:
    """What the executor ran, when it gave up, and how often it tried."""
    glue, source = row.text("glue_type") or "BEAN", row.text("glue_source")
    handler, parameter = row.text("executor_handler"), row.any("executor_param")
    draft.document |= http_draft({"handler": handler or draft.source, "param": parameter or ""})
    if glue == "BEAN":
        draft.note("executor_handler", detail=handler)
    elif glue in GLUES:
        draft.note("glue_type: GLUE_…", detail=f"{glue}, {len(source):,} characters")
    else:
        draft.unread("glue_type", f"{glue!r:.40} is not known")
    if parameter:
        draft.note("executor_param")
    seconds = row.number("executor_timeout") or 0
    if seconds <= 0:
        draft.set("executor_timeout", case="0", timeout=duration(_LONGEST_CALL))
    else:
        case = "over 14m" if seconds > _LONGEST_CALL else ""
        draft.set(
            "executor_timeout", case=case, detail=f"{seconds} s", timeout=duration(min(seconds, _LONGEST_ATTEMPT))
        )
    again = row.number("executor_fail_retry_count") or 0
    if again > 0:
        case = "over 19" if again >= _MOST_ATTEMPTS else ""
        backoff = {"initial": "1s", "factor": 1, "max": "1s"}
        retry = {"max_attempts": min(again + 1, _MOST_ATTEMPTS), "backoff": backoff}
        draft.set("executor_fail_retry_count", case=case, detail=str(again), retry=retry)


def _children(draft: Draft, text: str, by_id: Mapping[str, Draft]) -> None:
    for number in filter(None, (part.strip() for part in text.split(","))):
        child = by_id.get(number)
        if child is None:
            draft.unread("child_jobid", f"job {number:.20} is not in the dump")
        else:
            child.parents.append(draft.key)
            draft.note("child_jobid", detail=number)


SYSTEM = System(name="xxl-job", title="XXL-JOB", rules=RULES, read=_read)
