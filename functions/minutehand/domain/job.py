"""A job: what people define."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, Protocol

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field, Pairs
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import ONE_TRY, CatchUp, Dependency, Join, OnBlocked, Overlap, Retry
from minutehand.domain.retention import DEFAULT_RETENTION

MAX_CATCH_UP = 100
"""Default of `max_catch_up`: enough for a job that is due every second."""
MANUAL = "@manual"
"""The default schedule: runs start only by parents or triggers."""
MOST_PARENTS = 16
MOST_TEXTS = 16
"""Maximum texts of a schedule. Equal to the limit of `minutehand.schedule`, which workers must not load."""
DIALECTS = ("eventbridge", "robfig", "vixie")
"""The dialects of `minutehand.schedule`."""
_AFTER = "@after"


class Target(Protocol):
    """The fields of a target that the rules read, whatever its type. Each type adds its own (`minutehand.targets`)."""

    @property
    def type(self) -> str:
        """The name of its type, such as `http`; runs carry it, and their messages go to the queue of its worker."""

    @property
    def may_answer_later(self) -> bool:
        """Whether the answer may come after the call has ended."""

    @property
    def heartbeat(self) -> timedelta | None:
        """The longest time between signs of life while an answer is awaited; None if the target sends none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A job: when it runs, what it does then, and what happens if that fails."""

    key: Annotated[JobKey, Field(inline=True)]
    description: Annotated[str, Field("Free text, for people.", most=1000, check=checks.paragraphs)] = ""
    owner: Annotated[str, Field("A contact, in one line.", most=128, check=checks.one_line)] = ""
    labels: Annotated[
        Pairs,
        Field(
            "Names and values of your own, for finding jobs. A name has up to 63 of A-Z, a-z, 0-9, `.`, `_`, `/`,"
            " `-`, beginning with a letter or digit; a value is one line of at most 255 characters.",
            most=32,
            check=checks.label_name,
            check_value=checks.label_value,
            pattern=f"^{checks.LABEL.pattern}$",
        ),
    ] = ()
    schedule: Annotated[
        str | tuple[str, ...],
        Field(
            "When it runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; "
            "@after 10m, a fixed delay counted from the end of the run before; @manual; EventBridge's cron(…), "
            "rate(…) and at(…). A list joins several. At most 1,024 characters in all. Optional with depends_on. "
            "A fixed delay excludes calendars, max_runs, jitter, queue_one and queue_all.",
            most=MOST_TEXTS,
            examples=(
                "*/5 * * * *",
                "0 30 9 * * MON-FRI",
                "@daily",
                "@every 90s",
                "@after 10m",
                ["0 9 * * MON-FRI", "0 12 * * SAT"],
            ),
        ),
    ] = MANUAL
    timezone: Annotated[str, Field("The IANA time zone of the schedule.", most=64, examples=("Europe/Paris",))] = "UTC"
    dialect: Annotated[
        str | None,
        Field(
            "The rules for days and clock changes. By default, the schedule's text decides: eventbridge for "
            "cron(…), rate(…) and at(…), vixie for everything else.",
            most=64,
            choices=DIALECTS,
        ),
    ] = None
    calendars: Annotated[
        tuple[str, ...],
        Field(
            "Calendars of the namespace, each once, that block occurrences; answered by name.",
            most=8,
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
            examples=(["holidays"],),
        ),
    ] = ()
    on_blocked: Annotated[
        OnBlocked,
        Field(
            "What happens to a blocked occurrence: it does not run (skip), or runs at the same time of the next "
            "open day within 92 days (next_day; for jobs that run at most 96 times a day)."
        ),
    ] = OnBlocked.SKIP
    start_at: Annotated[
        datetime | None,
        Field(
            "The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) "
            "count from it. Answered in UTC."
        ),
    ] = None
    end_at: Annotated[
        datetime | None,
        Field("The last instant that the schedule may name, in RFC 3339 and whole seconds. Answered in UTC."),
    ] = None
    max_runs: Annotated[
        int | None,
        Field(
            "Occurrences to dispatch before the job is finished. Those skipped for another run or a namespace's "
            "pause count; triggered runs do not.",
            least=1,
            most=1_000_000_000,
        ),
    ] = None
    jitter: Annotated[
        timedelta | None,
        Field(
            "Maximum start delay of each occurrence, chosen by a hash of job and instant, so it is always the same.",
            least="1s",
            most="24h",
        ),
    ] = None
    depends_on: Annotated[
        tuple[Dependency, ...],
        Field(
            "The parents, whose runs start this job when they end; no cycles.",
            most=MOST_PARENTS,
            examples=([{"job": "extract", "on": "success"}],),
        ),
    ] = ()
    join: Annotated[Join, Field("Whether it needs every parent's run (all) or one (any).")] = Join.ALL
    join_window: Annotated[
        timedelta | None,
        Field(
            "Nominal time over which parents' runs belong together: a duration that divides a day, or whole days."
            " By default, the same instant.",
            least="1s",
            most="31d",
            examples=("1d",),
        ),
    ] = None
    paused: Annotated[
        bool,
        Field(
            'Whether it is paused, or until when: `{"until": "2026-12-01T09:00:00Z"}`. Left out, it stays as it '
            "is; a new job runs.",
            or_until=True,
        ),
    ] = False
    paused_until: Annotated[datetime | None, Field("The end of the pause.", hidden=True)] = None
    target: Annotated[Target, Field("What a run does.", tag="type")]
    payload: Annotated[Any, Field("Any JSON value, passed to the target.")] = None
    misfire_grace: Annotated[
        timedelta,
        Field(
            "How late a tick may dispatch an occurrence that still counts as on time. A late worker does not matter.",
            least="1s",
            most="7d",
        ),
    ] = timedelta(minutes=5)
    catch_up: Annotated[CatchUp, Field("Which missed occurrences still run: none (skip), the latest, or all.")] = (
        CatchUp.LATEST
    )
    catchup_window: Annotated[
        timedelta,
        Field("Maximum age of a missed occurrence that still runs; at least misfire_grace.", least="1s", most="3650d"),
    ] = timedelta(hours=24)
    max_catch_up: Annotated[
        int,
        Field("Missed occurrences to dispatch each minute at most, spread evenly over it.", least=1, most=150),
    ] = MAX_CATCH_UP
    overlap: Annotated[
        Overlap,
        Field(
            "What happens when a run is due while an earlier one is active: it starts (allow), is skipped (skip),"
            " waits while others are skipped (queue_one), waits with all others (queue_all), or cancels the "
            "earlier one (replace). A fixed delay treats allow as skip. A trigger may ignore it."
        ),
    ] = Overlap.ALLOW
    max_concurrency: Annotated[
        int | None,
        Field("Attempts of its runs in progress at once; others wait.", least=1, most=100),
    ] = None
    timeout: Annotated[
        timedelta,
        Field(
            "Limit of one attempt, from its start to its answer; at most 14m unless the target may answer later. "
            "Above 14m the call itself has 60s to accept the work.",
            least="1s",
            most="7d",
        ),
    ] = timedelta(seconds=60)
    run_timeout: Annotated[
        timedelta | None,
        Field(
            "Limit of the whole run, from the start of its first attempt; at least timeout.",
            least="1s",
            most="90d",
        ),
    ] = None
    retry: Annotated[Retry, Field("Which failed attempts are retried, and when.")] = ONE_TRY
    takeovers: Annotated[
        int, Field("How often a run whose worker died is started again; 0 means at most once.", least=0, most=10)
    ] = 2
    retention: Annotated[
        timedelta,
        Field(
            "How long its runs are kept; at least timeout, run_timeout and, without run_timeout, all attempts "
            "with their waits.",
            least="1d",
            most="3650d",
        ),
    ] = DEFAULT_RETENTION
    retention_count: Annotated[
        int | None,
        Field(
            "Newest runs to keep. Older ones go, with payload and output, after about 16 further runs or a 64th "
            "of the number, whichever is more; never within 24 hours.",
            least=1,
            most=10_000,
        ),
    ] = None
    record_units: Annotated[bool, Field("Whether each run records its usage, at no extra write.")] = False
    unknown: Annotated[Mapping[str, Any], Field(apart=True, hidden=True)] = field(default_factory=dict, hash=False)

    @property
    def fixed_delay(self) -> bool:
        """Whether it has a fixed delay, by the word `@after`: workers must not load the schedule library to parse it."""
        texts = (self.schedule,) if isinstance(self.schedule, str) else self.schedule
        return any(_AFTER in text.split() for text in texts)

    def is_paused(self, now: datetime) -> bool:
        """Whether it is paused at `now`, until resumed or until a later instant."""
        return self.paused or (self.paused_until is not None and now < self.paused_until)
