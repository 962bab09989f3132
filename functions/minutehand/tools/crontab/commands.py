"""What a line of a crontab runs, as a job has it: in the target of a job that an agent runs, or in the payload of one that calls a URL."""

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

from minutehand.tools.crontab.lines import REBOOT, Entry

TYPE = "command"
"""The type of targets that agents run."""
TIMEOUT = "1d"
"""Timeout of an imported command, unless the template has another: cron has none, and a job's default would end most backups."""
MANUAL = "@manual"
"""The schedule of a job without times of its own."""
FROM_THE_LINE = ("command", "stdin", "user", "environment")
"""Fields of a payload that come from the line."""

_SHELL = "/bin/sh"  # what cron uses, and a target without `shell`
_NOT_IN_ENVIRONMENT = ("SHELL", "LOGNAME")  # cron sets LOGNAME itself, whatever the crontab says
_OPEN, _ESCAPED = "{{", "{{{{"  # values of a target's environment are templates


class Said(NamedTuple):
    """What a line runs: the command's text, its standard input and user, if any, and its variables."""

    command: str
    stdin: str | None
    user: str | None
    environment: Mapping[str, str]


class NotALine(Exception):
    """A job runs nothing that a line of a crontab could say. The message is the reason."""


def is_run_by_agents(target: Mapping[str, Any]) -> bool:
    """Whether agents run the jobs with this target."""
    return target.get("type") == TYPE


def target_of(
    entry: Entry, environment: Mapping[str, str], user: str | None, target: Mapping[str, Any]
) -> dict[str, Any]:
    """The target of a line's command, from that of a template.

    cron(8) and crontab(5): SHELL runs the command, which begins in the directory HOME; all variables but LOGNAME are the crontab's.
    """
    made = {**target, "command": entry.command}
    if entry.schedule == REBOOT:
        made["at_start"] = True
    if user is not None:
        made["user"] = user
    if "SHELL" in environment:
        made["shell"] = environment["SHELL"]
    if "HOME" in environment:
        made["directory"] = environment["HOME"]
    passed = {name: value for name, value in environment.items() if name not in _NOT_IN_ENVIRONMENT}
    variables = {**(target.get("environment") or {}), **{name: _literal(value) for name, value in passed.items()}}
    return made | ({"environment": variables} if variables else {})


def schedule_of(entry: Entry) -> str:
    """The schedule of the job of a line: none for one that runs when the machine starts."""
    return MANUAL if entry.schedule == REBOOT else entry.schedule


def line_schedule(job: Mapping[str, Any]) -> Any:
    """What stands in the place of a schedule in the line of a job.

    Raises:
        NotALine: if a line cannot say when it runs.
    """
    schedule = job.get("schedule")
    if not (job.get("target") or {}).get("at_start"):
        return schedule
    if schedule != MANUAL:
        raise NotALine("it runs at the start of the machine and at times, a line does one of the two")
    return REBOOT


def payload_of(entry: Entry, environment: Mapping[str, str], user: str | None) -> dict[str, Any]:
    """What the payload of a job that calls a URL says of a line."""
    return {"command": entry.command, "stdin": entry.stdin, "user": user, "environment": dict(environment)}


def command_of(job: Mapping[str, Any]) -> str:
    """The command of an imported job as one text; empty if it has none."""
    try:
        return said_by(job).command
    except NotALine:
        return ""


def said_by(job: Mapping[str, Any]) -> Said:
    """What a job runs.

    Raises:
        NotALine: if no line of a crontab can say that.
    """
    target, payload = job.get("target") or {}, job.get("payload")
    if is_run_by_agents(target):
        return _said_by_target(target, payload)
    if not isinstance(payload, Mapping) or not isinstance(payload.get("command"), str):
        raise NotALine("its payload has no command")
    given, user = payload.get("environment"), payload.get("user")
    return Said(
        command=payload["command"],
        stdin=payload.get("stdin"),
        user=user if isinstance(user, str) else None,
        environment={str(name): str(value) for name, value in given.items()} if isinstance(given, Mapping) else {},
    )


def _said_by_target(target: Mapping[str, Any], payload: Any) -> Said:
    stdin = None if target.get("stdin") == "none" else payload
    if not isinstance(stdin, str | None):
        raise NotALine("its input is JSON, a crontab has text")
    variables: dict[str, str] = {}
    for name, value in (target.get("environment") or {}).items():
        if _OPEN in value.replace(_ESCAPED, ""):
            raise NotALine(f"the variable {name} is filled in at each run, a crontab has fixed values")
        variables[name] = value.replace(_ESCAPED, _OPEN)
    if target.get("directory") != variables.get("HOME"):
        raise NotALine("its directory is not its variable HOME, and cron begins there")
    shell = target.get("shell", _SHELL)
    if shell != _SHELL:
        variables["SHELL"] = shell
    command = target.get("command")
    if command is None:
        raise NotALine("it runs a Python handler, a line runs a command")
    return Said(
        command=command if isinstance(command, str) else shlex.join(command),
        stdin=stdin,
        user=target.get("user"),
        environment=variables,
    )


def _literal(value: str) -> str:
    """A text as a template that stands for just this text."""
    return value.replace(_OPEN, _ESCAPED)
