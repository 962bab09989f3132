"""A job: the definition that people write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, Protocol

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field, Pairs
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import ONE_TRY, CatchUp, Dependency, Join, NamedLimit, OnBlocked, Overlap, Retry
from minutehand.domain.retention import DEFAULT_RETENTION

MAX_CATCH_UP = 100
"""Default of `max_catch_up`, in occurrences a minute: enough for a job that is due every second."""
MANUAL = "@manual"
"""The default schedule, without instants: runs start when parents' runs end, or on request."""
MOST_PARENTS = 16
MOST_LIMITS = 5
MOST_TEXTS = 16
"""Most texts that one schedule joins. Repeats the limit of `minutehand.schedule`, since workers must not load that package."""
DIALECTS = ("eventbridge", "robfig", "vixie")
"""Names of the dialects of `minutehand.schedule`: rules for clock changes and for two day fields."""
_AFTER = "@after"


class Target(Protocol):
    """The fields that every type of target has, and that the domain reads. Each type adds its own (`minutehand.targets`)."""

    @property
    def type(self) -> str:
        """The name of the target's type, such as `http`. Runs carry it; their messages go to the queue of that type's worker."""

    @property
    def may_answer_later(self) -> bool:
        """Whether the answer may come after the call has ended."""

    @property
    def heartbeat(self) -> timedelta | None:
        """The longest time between heartbeats while an answer is awaited; None if the target sends no heartbeats."""

    @property
    def taken_over_when_silent(self) -> bool:
        """Whether a missed heartbeat means that what ran the attempt has died, so that another takes over; otherwise the attempt has failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A job: when it runs, what it does then, and what happens if that fails."""

    key: Annotated[JobKey, Field(inline=True)]
    description: Annotated[str, Field("Free text about the job, for people.", most=1000, check=checks.paragraphs)] = ""
    owner: Annotated[str, Field("Whom to ask about the job, in one line.", most=128, check=checks.one_line)] = ""
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
            "When the job runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; "
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
            "Names of the namespace's calendars that block the job's occurrences, each once. Answers sort the names.",
            most=8,
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
            examples=(["holidays"],),
        ),
    ] = ()
    on_blocked: Annotated[
        OnBlocked,
        Field(
            "What happens to an occurrence that a calendar blocks: it does not run (skip), or runs at the same time of the "
            "next open day within 92 days (next_day; for jobs that run at most 96 times a day)."
        ),
    ] = OnBlocked.SKIP
    start_at: Annotated[
        datetime | None,
        Field(
            "The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) "
            "count from it. Answers give it in UTC."
        ),
    ] = None
    end_at: Annotated[
        datetime | None,
        Field("The last instant that the schedule may name, in RFC 3339 and whole seconds. Answers give it in UTC."),
    ] = None
    max_runs: Annotated[
        int | None,
        Field(
            "Occurrences to dispatch before the job is finished. An occurrence also counts if its run is skipped for "
            "another run, for start_within or for a pause of the namespace; a triggered run does not count.",
            least=1,
            most=1_000_000_000,
        ),
    ] = None
    jitter: Annotated[
        timedelta | None,
        Field(
            "Longest start delay of an occurrence. A hash of job and instant chooses each delay, which is thus always the same.",
            least="1s",
            most="24h",
        ),
    ] = None
    depends_on: Annotated[
        tuple[Dependency, ...],
        Field(
            "The parents: jobs whose runs, when they end, start runs of this job. No job may be its own ancestor.",
            most=MOST_PARENTS,
            examples=([{"job": "extract", "on": "success"}],),
        ),
    ] = ()
    join: Annotated[
        Join,
        Field("Whether this job runs when all of its parents have a run that ended as required (all), or one (any)."),
    ] = Join.ALL
    join_window: Annotated[
        timedelta | None,
        Field(
            "Length of the join windows: the parents' runs scheduled in one window start one run of this job. A duration "
            "that divides a day, or whole days. By default, the parents' runs for the same instant belong together.",
            least="1s",
            most="31d",
            examples=("1d",),
        ),
    ] = None
    paused: Annotated[
        bool,
        Field(
            'Whether the job is paused, or until when: `{"until": "2026-12-01T09:00:00Z"}`. If left out, a stored job keeps '
            "its pause, and a new job is not paused.",
            or_until=True,
        ),
    ] = False
    paused_until: Annotated[datetime | None, Field("The end of the job's pause.", hidden=True)] = None
    target: Annotated[Target, Field("What a run does.", tag="type")]
    payload: Annotated[Any, Field("Any JSON value, passed to the target.")] = None
    misfire_grace: Annotated[
        timedelta,
        Field(
            "How late a tick may dispatch an occurrence that still counts as on time. A worker's lateness does not matter.",
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
        Field(
            "Most missed occurrences to dispatch in a minute, besides those on time; their starts spread evenly over the minute.",
            least=1,
            most=150,
        ),
    ] = MAX_CATCH_UP
    overlap: Annotated[
        Overlap,
        Field(
            "What happens when a run is due while an earlier one is active: it starts (allow), is skipped (skip),"
            " waits while later ones are skipped (queue_one), waits as do all later ones (queue_all), or cancels the "
            "earlier one (replace). A fixed delay treats allow as skip. A trigger may ignore the policy."
        ),
    ] = Overlap.ALLOW
    start_within: Annotated[
        timedelta | None,
        Field(
            "How long a run may wait for its first attempt, counted from starts_at: a run that has not begun by then is skipped, "
            "whatever it waited for. Backfilled runs, retries and take-overs may start later.",
            least="10s",
            most="7d",
            needs="start_within",
        ),
    ] = None
    max_concurrency: Annotated[
        int | None,
        Field("Most attempts of the job's runs in progress at once; further runs wait.", least=1, most=100),
    ] = None
    limits: Annotated[
        tuple[NamedLimit, ...],
        Field(
            "Concurrency limits by name, each shared by the jobs of the namespace that give its name, such as those that use "
            "one database; further runs wait.",
            most=MOST_LIMITS,
            examples=([{"name": "db", "max": 3}],),
            needs="limits",
        ),
    ] = ()
    timeout: Annotated[
        timedelta,
        Field(
            "Limit of one attempt, from its start to its answer; at most 14m unless the target may answer later. "
            "If timeout is above 14m, the target has 60s to accept the work.",
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
        int,
        Field(
            "How often a run is started again after its worker died, or its agent fell silent; with 0, such a run is lost.",
            least=0,
            most=10,
        ),
    ] = 2
    retention: Annotated[
        timedelta,
        Field(
            "How long the job's runs are kept. At least timeout and run_timeout; without run_timeout, also at least all "
            "attempts with the waits between them.",
            least="1d",
            most="3650d",
        ),
    ] = DEFAULT_RETENTION
    retention_count: Annotated[
        int | None,
        Field(
            "How many of the newest runs to keep. Older runs are removed, with payload and output, after about every "
            "16 runs (or a 64th of this number, if that is more), but never within 24 hours of their creation.",
            least=1,
            most=10_000,
        ),
    ] = None
    shadow: Annotated[
        bool,
        Field(
            "Whether runs are planned, started and recorded as always, but call no target: to compare with another scheduler before "
            "this one takes over.",
            needs="shadow",
        ),
    ] = False
    record_units: Annotated[
        bool, Field("Whether each run records its usage of AWS services. This costs no further writes.")
    ] = False
    unknown: Annotated[Mapping[str, Any], Field(apart=True, hidden=True)] = field(default_factory=dict, hash=False)

    @property
    def fixed_delay(self) -> bool:
        """Whether the schedule is a fixed delay. Recognized by `@after`, so that workers need not load the schedule library."""
        texts = (self.schedule,) if isinstance(self.schedule, str) else self.schedule
        return any(_AFTER in text.split() for text in texts)

    def is_paused(self, now: datetime) -> bool:
        """Whether the job is paused at `now`, until resumed or until a later instant."""
        return self.paused or (self.paused_until is not None and now < self.paused_until)
