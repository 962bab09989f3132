"""Writer of crontabs: jobs as lines that `read_crontab` restores, and why others cannot be exported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minutehand.tools.crontab.commands import NotALine, line_schedule, said_by
from minutehand.tools.crontab.documents import SOURCE
from minutehand.tools.crontab.lines import DESCRIPTORS, REBOOT, Entry, is_crontab_field, join_command, write_setting
from minutehand.tools.crontab.reading import read_crontab

SYSTEM_MARK = "# A system crontab of Minutehand's: a column with the user comes before the command."
"""The first line of a crontab with a user column, so that it is recognised."""

_ABOUT_ZONES = "# Each time zone has a CRON_TZ line, as cronie reads it; Debian's cron 3.0pl1 ignores it and uses the system's time zone."
# Fields that decide when a job runs, and that a crontab line cannot express.
_BEYOND = ("calendars", "start_at", "end_at", "max_runs", "jitter", "depends_on")


@dataclass(frozen=True, kw_only=True)
class Written:
    """`text`: the crontab. `left_out`: full names of the jobs that it has only as comments, with the reasons."""

    text: str
    left_out: Mapping[str, str]


def write_crontab(jobs: Sequence[Mapping[str, Any]], *, system: bool | None = None) -> Written:
    """Write jobs as a crontab. system: with a user column; None: if any job has a user."""
    with_user = any(_user(job) is not None for job in jobs) if system is None else system
    blocks = [f"{SYSTEM_MARK}\n{_ABOUT_ZONES}" if with_user else _ABOUT_ZONES]
    left_out: dict[str, str] = {}
    environment: dict[str, str] = {}
    zone = None
    for job in sorted(jobs, key=_order):
        why = export_obstacle(job, system=with_user) or _why_not_below(environment, job)
        if why is not None:
            left_out[f"{job['namespace']}/{job['name']}"] = why
            continue
        settings = []
        if job["timezone"] != zone:
            zone = job["timezone"]
            settings.append(write_setting("CRON_TZ", zone))
        changed = {name: value for name, value in _environment(job).items() if environment.get(name) != value}
        environment |= changed
        settings += [write_setting(name, value) for name, value in sorted(changed.items())]
        if settings:
            blocks.append("\n".join(settings))
        comments = [f"# {line}".rstrip() for line in (job.get("description") or "").splitlines()]
        blocks.append("\n".join([*comments, _entry_line(job, system=with_user)]))
    if left_out:
        reasons = [f"# {name} is not here: {why}".replace("\n", " ") for name, why in left_out.items()]
        blocks.append("\n".join(reasons))
    return Written(text="\n\n".join(blocks) + "\n", left_out=left_out)


def _why_not_below(environment: Mapping[str, str], job: Mapping[str, Any]) -> str | None:
    extra = sorted(environment.keys() - _environment(job).keys())
    if not extra:
        return None
    its = (job.get("labels") or {}).get(SOURCE)
    alone = f"; --source {its} exports it alone" if its else ""
    return f"{', '.join(extra)}, set further up, is not in its environment, and a crontab cannot unset variables{alone}"


def export_obstacle(job: Mapping[str, Any], *, system: bool) -> str | None:
    """Why a job cannot be exported; None if it can."""
    try:
        said_by(job)
        schedule = line_schedule(job)
    except NotALine as reason:
        return str(reason)
    if system and _user(job) is None:
        return "it has no user"
    if job.get("paused"):
        return "it is paused"
    if job.get("dialect", "vixie") != "vixie":
        return f"its dialect is {job['dialect']}, a crontab's is vixie"
    if not isinstance(schedule, str):
        return "it has more than one schedule"
    beyond = [name for name in _BEYOND if job.get(name)]
    if beyond:
        return f"a crontab has no {', '.join(beyond)}"
    words = schedule.split()
    all_fields = all(map(is_crontab_field, words))
    if schedule not in (*DESCRIPTORS, REBOOT) and not (len(words) == 5 and all_fields):
        has_seconds = len(words) == 6 and all_fields
        return (
            f"{schedule} has seconds, a crontab has none" if has_seconds else f"{schedule} is not valid in crontab(5)"
        )
    return _why_not_line(job, system=system)


def _why_not_line(job: Mapping[str, Any], *, system: bool) -> str | None:
    """Parse the written line; a difference means that a line cannot express the job."""
    settings = [write_setting("CRON_TZ", job["timezone"])]
    settings += [write_setting(name, value) for name, value in _environment(job).items()]
    read = read_crontab("\n".join([*settings, _entry_line(job, system=system)]), system=system, at_start=True)
    said = said_by(job)
    expected = Entry(
        schedule=_schedule(job), user=said.user if system else None, command=said.command, stdin=said.stdin
    )
    found = [(line.entry, line.environment, line.timezone) for line in read.lines]
    if read.problems or found != [(expected, _environment(job), job["timezone"])]:
        return "its command, input or environment cannot be written as lines of a crontab"
    return None


def _entry_line(job: Mapping[str, Any], *, system: bool) -> str:
    said = said_by(job)
    user = [str(said.user)] if system else []
    return " ".join([_schedule(job), *user, join_command(said.command, said.stdin)])


def _schedule(job: Mapping[str, Any]) -> str:
    return " ".join(line_schedule(job).split())


def _environment(job: Mapping[str, Any]) -> Mapping[str, str]:
    try:
        return said_by(job).environment
    except NotALine:
        return {}


def _user(job: Mapping[str, Any]) -> str | None:
    try:
        return said_by(job).user
    except NotALine:
        return None


def _order(job: Mapping[str, Any]) -> tuple[Any, ...]:
    """Sort key: jobs with fewer variables first, since a crontab cannot unset any; then jobs with equal variables together."""
    environment = _environment(job)
    source = (job.get("labels") or {}).get(SOURCE, "")
    return len(environment), sorted(environment.items()), str(job.get("timezone")), source, job["name"]
