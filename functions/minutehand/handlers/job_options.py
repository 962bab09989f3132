"""The options of `@job`, as types. Made by `make generate` from the declared fields of a job: do not edit.

Durations are text (`1h30m`) or `timedelta`, instants RFC 3339 text or aware `datetime`, parents names or decorated functions.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, Required, TypedDict


class Pause(TypedDict, total=False):
    """A pause that ends by itself."""

    until: Required[str | datetime]
    """The end of the pause, in RFC 3339; in the future. The job may run again from this instant."""


class Dependency(TypedDict, total=False):
    """A parent: a job whose runs, when they end, start runs of this job."""

    job: Required[str | Callable[..., Any]]
    """The parent: `namespace/name`, or `name` in the same namespace. A parent in another namespace requires a
    token that may read it."""
    on: Literal["success", "failure", "end", "skipped"]
    """How the parent's run must end: success; failure (failed, timed out, lost); end (any of these, or
    cancelled); skipped."""


class NamedLimit(TypedDict, total=False):
    """A concurrency limit, shared by the jobs of a namespace that give its name."""

    name: Required[str]
    """The limit's name, such as that of a database."""
    max: Required[int]
    """Most attempts of these jobs together in progress at once. Give the same max in each of them; a job with a
    lower one may use only as many of the limit's slots."""


class Backoff(TypedDict, total=False):
    """The wait before the next attempt."""

    initial: str | timedelta
    """The wait after the first attempt."""
    factor: float
    """How many times as long as the one before each further wait is, up to max."""
    max: str | timedelta
    """The longest wait, also for a target that asks for a longer one (Retry-After); at least initial."""
    jitter: float
    """The largest share by which a wait is shortened or lengthened; a hash of job, run and attempt chooses."""


class Retry(TypedDict, total=False):
    """Which failed attempts are followed by another. Attempts that take over from a dead worker do not count."""

    max_attempts: int
    """Attempts of a run at most, the first included and take-overs excluded; required if another field is given."""
    backoff: Backoff
    """The wait before the next attempt."""
    retry_on: list[str] | tuple[str, ...]
    """Outcomes that are retried: a status (503), a class (5xx), a type of error (ConnectionRefused), timed_out.
    By default, all."""
    give_up_on: list[str] | tuple[str, ...]
    """Outcomes that are never retried, whatever retry_on says."""


class JobOptions(TypedDict, total=False):
    """The options of `@job`, and the defaults of an `App`."""

    description: str
    """Free text about the job, for people."""
    owner: str
    """Whom to ask about the job, in one line."""
    labels: Mapping[str, str]
    """Names and values of your own, for finding jobs. A name has up to 63 of A-Z, a-z, 0-9, `.`, `_`, `/`, `-`,
    beginning with a letter or digit; a value is one line of at most 255 characters."""
    schedule: str | list[str] | tuple[str, ...]
    """When the job runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s;
    @after 10m, a fixed delay counted from the end of the run before; @manual; EventBridge's cron(…), rate(…)
    and at(…). A list joins several. At most 1,024 characters in all. Optional with depends_on. A fixed delay
    excludes calendars, max_runs, jitter, queue_one and queue_all."""
    timezone: str
    """The IANA time zone of the schedule."""
    dialect: Literal["eventbridge", "robfig", "vixie"] | None
    """The rules for days and clock changes. By default, the schedule's text decides: eventbridge for cron(…),
    rate(…) and at(…), vixie for everything else."""
    calendars: list[str] | tuple[str, ...]
    """Names of the namespace's calendars that block the job's occurrences, each once. Answers sort the names."""
    on_blocked: Literal["skip", "next_day"]
    """What happens to an occurrence that a calendar blocks: it does not run (skip), or runs at the same time of
    the next open day within 92 days (next_day; for jobs that run at most 96 times a day)."""
    start_at: str | datetime | None
    """The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) count from
    it. Answers give it in UTC."""
    end_at: str | datetime | None
    """The last instant that the schedule may name, in RFC 3339 and whole seconds. Answers give it in UTC."""
    max_runs: int | None
    """Occurrences to dispatch before the job is finished. An occurrence also counts if its run is skipped for
    another run, for start_within or for a pause of the namespace; a triggered run does not count."""
    jitter: str | timedelta | None
    """Longest start delay of an occurrence. A hash of job and instant chooses each delay, which is thus always
    the same."""
    depends_on: list[Dependency | str | Callable[..., Any]] | tuple[Dependency | str | Callable[..., Any], ...]
    """The parents: jobs whose runs, when they end, start runs of this job. No job may be its own ancestor."""
    join: Literal["all", "any"]
    """Whether this job runs when all of its parents have a run that ended as required (all), or one (any)."""
    join_window: str | timedelta | None
    """Length of the join windows: the parents' runs scheduled in one window start one run of this job. A
    duration that divides a day, or whole days. By default, the parents' runs for the same instant belong
    together."""
    paused: bool | Pause
    """Whether the job is paused, or until when: `{"until": "2026-12-01T09:00:00Z"}`. If left out, a stored job
    keeps its pause, and a new job is not paused."""
    payload: Any
    """Any JSON value, passed to the target."""
    misfire_grace: str | timedelta
    """How late a tick may dispatch an occurrence that still counts as on time. A worker's lateness does not
    matter."""
    catch_up: Literal["skip", "latest", "all"]
    """Which missed occurrences still run: none (skip), the latest, or all."""
    catchup_window: str | timedelta
    """Maximum age of a missed occurrence that still runs; at least misfire_grace."""
    max_catch_up: int
    """Most missed occurrences to dispatch in a minute, besides those on time; their starts spread evenly over
    the minute."""
    overlap: Literal["allow", "skip", "queue_one", "queue_all", "replace"]
    """What happens when a run is due while an earlier one is active: it starts (allow), is skipped (skip), waits
    while later ones are skipped (queue_one), waits as do all later ones (queue_all), or cancels the earlier
    one (replace). A fixed delay treats allow as skip. A trigger may ignore the policy."""
    start_within: str | timedelta | None
    """How long a run may wait for its first attempt, counted from starts_at: a run that has not begun by then is
    skipped, whatever it waited for. Backfilled runs, retries and take-overs may start later."""
    max_concurrency: int | None
    """Most attempts of the job's runs in progress at once; further runs wait."""
    limits: list[NamedLimit] | tuple[NamedLimit, ...]
    """Concurrency limits by name, each shared by the jobs of the namespace that give its name, such as those
    that use one database; further runs wait."""
    timeout: str | timedelta
    """Limit of one attempt, from its start to its answer; at most 14m unless the target may answer later. If
    timeout is above 14m, the target has 60s to accept the work."""
    run_timeout: str | timedelta | None
    """Limit of the whole run, from the start of its first attempt; at least timeout."""
    retry: Retry
    """Which failed attempts are retried, and when."""
    takeovers: int
    """How often a run is started again after its worker died, or its agent fell silent; with 0, such a run is
    lost."""
    retention: str | timedelta
    """How long the job's runs are kept. At least timeout and run_timeout; without run_timeout, also at least all
    attempts with the waits between them."""
    retention_count: int | None
    """How many of the newest runs to keep. Older runs are removed, with payload and output, after about every 16
    runs (or a 64th of this number, if that is more), but never within 24 hours of their creation."""
    shadow: bool
    """Whether runs are planned, started and recorded as always, but call no target: to compare with another
    scheduler before this one takes over."""
    record_units: bool
    """Whether each run records its usage of AWS services. This costs no further writes."""
    heartbeat: str | timedelta | None
    """Longest time between heartbeats of a target that reports later; less than timeout. Not with mode sync."""
    pool: str
    """The pool of the job's namespace whose agents run the command, or the handler."""
    node: str | None
    """The one node of the pool that runs it. By default, any live node does. Not with `tags`."""
    tags: Mapping[str, str]
    """Tags that a node must have to run it, all of them. A live node that has them, and the fewest of its slots
    in use, gets the run."""
    count: str | None
    """On how many nodes each run is carried out: a number up to 500, or `all` for every live one. Each node gets
    a run of its own. By default 1: any live node. Not with `node`."""
    min_success: int | None
    """Of several nodes, how many must succeed for the run to succeed. By default, all of them."""
    max_parallel: int | None
    """Of several nodes, on how many the command runs at once; the others follow as these end. By default, on all
    of them."""
    environment: Mapping[str, str]
    """Variables of the command, stored and shown as given. The values are templates, which may name secrets.
    Names that begin with MINUTEHAND_ are the run's own."""
