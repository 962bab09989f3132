"""Import plans: documents to save, and jobs whose lines are gone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minutehand.tools.crontab.documents import Template, document_of, line_id_of
from minutehand.tools.crontab.labels import LINE, SOURCE
from minutehand.tools.crontab.matching import Present, Wanted, match
from minutehand.tools.crontab.naming import name_of
from minutehand.tools.crontab.reading import Line


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A line of a crontab with its place, source, time zone and user."""

    place: str
    source: str
    line: Line
    timezone: str
    user: str | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """`documents`: the job of each line, in order. `gone`: names of jobs without a line."""

    documents: Sequence[dict[str, Any]]
    gone: Sequence[str]


def plan_import(
    lines: Sequence[Placed],
    jobs: Sequence[Mapping[str, Any]],
    *,
    ours: Sequence[Mapping[str, Any]],
    template: Template,
    namespace: str,
    reuse: bool,
) -> Plan:
    """Match the lines with the namespace's jobs, of which `ours` came from the same crontabs (see `match`).

    Raises TemplateFault.
    """
    wanted = [
        Wanted(
            source=each.source,
            line=line_id_of(each.line, each.user),
            base=name_of(each.line.entry.command),
            schedule=each.line.entry.schedule,
            timezone=each.timezone,
        )
        for each in lines
    ]
    present = [
        Present(
            name=job["name"],
            source=job["labels"][SOURCE],
            line=job["labels"].get(LINE, ""),
            schedule=str(job.get("schedule", "")),
            timezone=str(job.get("timezone", "")),
        )
        for job in ours
    ]
    matching = match(wanted, present, {job["name"] for job in jobs}, reuse=reuse)
    documents = [
        document_of(
            each.line,
            name=name,
            source=each.source,
            namespace=namespace,
            timezone=each.timezone,
            user=each.user,
            template=template,
        )
        for each, name in zip(lines, matching.names, strict=True)
    ]
    return Plan(documents=documents, gone=[job.name for job in matching.gone])
