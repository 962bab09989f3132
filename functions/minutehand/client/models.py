"""The API's documents, as types. Made by `make generate` from the API's declarations: do not edit.

They are plain dictionaries, exactly as the API answers them. Instants are RFC 3339 text in UTC
(`2026-11-20T09:00:00Z`), durations are text (`1h30m`), and `*_ms` are whole milliseconds. Within `/v1`, the API may add
fields, but removes none.
"""

from typing import Any, Final, NotRequired, TypedDict

FINISHED: Final = frozenset({"succeeded", "failed", "timed_out", "cancelled", "skipped", "lost"})
"""The states of a run that has ended."""


class Pause(TypedDict):
    """A pause that ends by itself."""

    until: str
    """The end of the pause, in RFC 3339; in the future. The job may run again from this instant."""


class Health(TypedDict):
    """The health of the API."""

    status: str
    """`ok`."""
    version: str
    """The version of the service."""


NamespacePause = TypedDict(
    "NamespacePause",
    {
        "from": str,
        "by": str,
        "to": str | None,
        "resumed_by": str | None,
    },
)
"""A pause of a namespace. `from`: When it began; `by`: Who paused it; `to`: When it ended or will end; null without an
end; `resumed_by`: Who ended it."""


class NamespaceStatus(TypedDict):
    """The status of a namespace; ignored when sent back."""

    paused: bool
    """Whether it is paused."""
    paused_until: str | None
    """When the pause ends by itself."""
    pauses: list[NamespacePause]
    """The newest 20 pauses, newest first."""
    revision: int
    """Number of changes to the namespace."""
    updated_at: str | None
    """When it was last changed."""
    updated_by: str | None
    """Who changed it last."""


class Namespace(TypedDict):
    """The settings of a namespace, for all of its jobs together. To pause it, use `pause` and `resume`."""

    namespace: str
    """Its name; the same as in the path, or left out."""
    max_concurrency: int | None
    """Attempts of its jobs' runs in progress at once; null for no limit."""
    status: NamespaceStatus
    """The status of the namespace; ignored when sent back."""


class SummaryStatus(TypedDict):
    """The status of a job in a list; ignored when sent back."""

    revision: int
    """Number of changes to the job."""
    updated_at: str
    """When it was last changed."""
    updated_by: str
    """Who changed it last."""
    next_run_at: str | None
    """When it runs next."""
    idle_because: str | None
    """Why it has no next run, or none before a pause ends."""
    runs_left: int | None
    """Occurrences left, with max_runs."""


class JobSummary(TypedDict):
    """A job in a list."""

    namespace: str
    """Its namespace; the same as in the path, or left out."""
    name: str
    """Its name; the same as in the path, or left out."""
    description: str
    """Free text, for people."""
    owner: str
    """A contact."""
    labels: dict[str, str]
    """Names and values of your own."""
    schedule: str | list[str]
    """When it runs."""
    timezone: str
    """The IANA time zone of the schedule."""
    paused: bool | Pause
    """Whether it is paused, or until when."""
    target_type: str
    """The type of its target."""
    status: SummaryStatus
    """The status of the job."""


class Dependency(TypedDict):
    """A parent: a job whose runs, when they end, start runs of this job."""

    job: str
    """The parent: `namespace/name`, or `name` in the same namespace. A parent in another namespace requires a
    token that may read it."""
    on: str
    """How its run must end: success; failure (failed, timed out, lost); end (any of these, or cancelled);
    skipped."""


class Backoff(TypedDict):
    """The wait before the next attempt."""

    initial: str
    """The wait after the first attempt."""
    factor: float
    """Factor by which each further wait grows."""
    max: str
    """The longest wait; at least initial."""
    jitter: float
    """The largest share by which a wait is shortened or lengthened; a hash of job, run and attempt chooses."""


class Retry(TypedDict):
    """Which failed attempts are followed by another. Attempts that take over from a dead worker do not count."""

    max_attempts: int
    """Attempts of a run at most, the first included and take-overs excluded; required if another field is given."""
    backoff: Backoff
    """The wait before the next attempt."""
    retry_on: list[str]
    """Outcomes that are retried: a status (503), a class (5xx), a type of error (ConnectionRefused), timed_out.
    By default, all."""
    give_up_on: list[str]
    """Outcomes that are never retried, whatever retry_on says."""


class JobStatus(TypedDict):
    """The status of a job; ignored when sent back."""

    revision: int
    """Number of changes to the job."""
    updated_at: str
    """When it was last changed."""
    updated_by: str
    """Who changed it last."""
    next_run_at: str | None
    """When it runs next."""
    idle_because: str | None
    """Why it has no next run, or none before a pause ends."""
    runs_left: int | None
    """Occurrences left, with max_runs."""
    description: str | None
    """The schedule in words."""
    timezone: str | None
    """The time zone of the schedule."""
    dialect: str | None
    """The rules for days and clock changes that apply."""
    children: list[str]
    """The jobs that depend on it, as `namespace/name`."""
    deleted_parents: list[str]
    """Its parents that were deleted, as `namespace/name`."""


class FieldError(TypedDict):
    """An error or a warning about one field."""

    path: str
    """The field, such as `target.url`; empty for the document as a whole."""
    message: str
    """What is wrong."""
    hint: NotRequired[str | None]
    """What would be right."""
    column: NotRequired[int | None]
    """0-based position in the field's text."""


class ComingRun(TypedDict):
    """A future run."""

    at: str
    """The occurrence."""
    local: str
    """The same instant in the schedule's time zone."""
    starts_at: str
    """When it starts: the occurrence plus jitter."""
    moved: bool
    """Whether a calendar moved an occurrence to this instant."""
    moved_from: str | None
    """The first occurrence that was moved to it."""
    note: str | None
    """The effect of a clock change on it."""


class BlockedRuns(TypedDict):
    """Occurrences in a row that one calendar blocks."""

    at: str
    """The first of them."""
    local: str
    """The same instant in the schedule's time zone."""
    until: str
    """When the block ends."""
    times: int | None
    """Number of occurrences; null for more than 1,000."""
    calendar: str
    """The calendar that blocks them."""
    moved_to: str | None
    """When the first of them runs instead."""


class SkippedTimes(TypedDict):
    """Scheduled times that a clock change skips."""

    at: str
    """The clock change."""
    local: str
    """The first of these times."""
    timezone: str
    """The time zone whose clocks change."""
    times: int
    """Number of these times."""
    note: str
    """What happens, in words."""


Edit = TypedDict(
    "Edit",
    {
        "from": str,
        "until": str,
        "added_per_day": float,
        "removed_per_day": float,
        "kept_per_day": float,
    },
)
"""Runs a day that an edit adds, removes and keeps. `from`: Start of the compared span; `until`: Its end;
`added_per_day`: Runs a day that the edit adds; `removed_per_day`: Runs a day that the edit removes; `kept_per_day`:
Runs a day that stay."""


class Preview(TypedDict):
    """The runs of a job once it is saved."""

    items: list[ComingRun]
    """The next runs, in order."""
    blocked: list[BlockedRuns]
    """Occurrences that calendars block."""
    skipped: list[SkippedTimes]
    """Times that clock changes skip."""
    diff: Edit | None
    """The effect of the edit; null for a new job, or without a change."""


Backfill = TypedDict(
    "Backfill",
    {
        "id": str,
        "job": str,
        "from": str,
        "to": str,
        "order": str,
        "concurrency": int,
        "ignore_overlap": bool,
        "state": str,
        "occurrences": int,
        "remaining": int,
        "active": list[str],
        "ended": dict[str, int],
        "created_at": str,
        "created_by": str,
        "finished_at": str | None,
        "reason": str | None,
    },
)
"""A replay of a past range of a job. `id`: Its id, with which the ids of its runs end; `job`: Its job, as
`namespace/name`; `from`: The first instant that may be replayed; `to`: The first instant that is not replayed;
`order`: Which occurrences come first; `concurrency`: Maximum runs active at once; `ignore_overlap`: Whether its
runs ignore the job's overlap policy; `state`: Its state; `occurrences`: Occurrences in the range; `remaining`:
Occurrences that have no run yet; `active`: Ids of the runs that are active; `ended`: How many runs ended in each
state; `created_at`: When it was started; `created_by`: Who started it; `finished_at`: When it ended; null while
runs may still be active; `reason`: Why it was cancelled."""


class Job(TypedDict):
    """A job: when it runs, what it does then, and what happens if that fails."""

    namespace: str
    """Its namespace; the same as in the path, or left out."""
    name: str
    """Its name; the same as in the path, or left out."""
    description: str
    """Free text, for people."""
    owner: str
    """A contact, in one line."""
    labels: dict[str, str]
    """Names and values of your own, for finding jobs. A name has up to 63 of A-Z, a-z, 0-9, `.`, `_`, `/`, `-`,
    beginning with a letter or digit; a value is one line of at most 255 characters."""
    schedule: str | list[str]
    """When it runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; @after
    10m, a fixed delay counted from the end of the run before; @manual; EventBridge's cron(…), rate(…) and
    at(…). A list joins several. At most 1,024 characters in all. Optional with depends_on. A fixed delay
    excludes calendars, max_runs, jitter, queue_one and queue_all."""
    timezone: str
    """The IANA time zone of the schedule."""
    dialect: str | None
    """The rules for days and clock changes. By default, the schedule's text decides: eventbridge for cron(…),
    rate(…) and at(…), vixie for everything else."""
    calendars: list[str]
    """Names of the namespace's calendars that block occurrences, each once. Answers sort them."""
    on_blocked: str
    """What happens to a blocked occurrence: it does not run (skip), or runs at the same time of the next open
    day within 92 days (next_day; for jobs that run at most 96 times a day)."""
    start_at: str | None
    """The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) count from
    it. Answers give it in UTC."""
    end_at: str | None
    """The last instant that the schedule may name, in RFC 3339 and whole seconds. Answers give it in UTC."""
    max_runs: int | None
    """Occurrences to dispatch before the job is finished. An occurrence also counts if its run is skipped for
    another run or for a pause of the namespace; a triggered run does not count."""
    jitter: str | None
    """Maximum start delay of each occurrence, chosen by a hash of job and instant, so it is always the same."""
    depends_on: list[Dependency]
    """The parents, whose runs start this job when they end; no cycles."""
    join: str
    """Whether a run needs runs of all parents to end (all), or of one (any)."""
    join_window: str | None
    """Length of the windows of nominal time in which parents' runs belong together: a duration that divides a
    day, or whole days. By default, runs of the same instant belong together."""
    paused: bool | Pause
    """Whether it is paused, or until when: `{"until": "2026-12-01T09:00:00Z"}`. If left out, it stays as it is,
    and a new job is not paused."""
    target: dict[str, Any]
    """What a run does."""
    payload: Any
    """Any JSON value, passed to the target."""
    misfire_grace: str
    """How late a tick may dispatch an occurrence that still counts as on time. A worker's lateness does not
    matter."""
    catch_up: str
    """Which missed occurrences still run: none (skip), the latest, or all."""
    catchup_window: str
    """Maximum age of a missed occurrence that still runs; at least misfire_grace."""
    max_catch_up: int
    """Most missed occurrences to dispatch in a minute; their starts spread evenly over it."""
    overlap: str
    """What happens when a run is due while an earlier one is active: it starts (allow), is skipped (skip), waits
    while later ones are skipped (queue_one), waits as do all later ones (queue_all), or cancels the earlier
    one (replace). A fixed delay treats allow as skip. A trigger may ignore the policy."""
    max_concurrency: int | None
    """Most attempts of its runs in progress at once; others wait."""
    timeout: str
    """Limit of one attempt, from its start to its answer; at most 14m unless the target may answer later. Above
    14m the call itself has 60s to accept the work."""
    run_timeout: str | None
    """Limit of the whole run, from the start of its first attempt; at least timeout."""
    retry: Retry
    """Which failed attempts are retried, and when."""
    takeovers: int
    """How often a run whose worker died is started again; with 0 it ends as lost."""
    retention: str
    """How long its runs are kept: at least as long as timeout, run_timeout and, without run_timeout, all
    attempts with the waits between them."""
    retention_count: int | None
    """How many of the newest runs to keep. Older ones are removed, with payload and output, about every 16 runs,
    or every 64th of this number of runs if that is more; never within 24 hours of their creation."""
    record_units: bool
    """Whether each run records its usage of AWS services, without further writes."""
    status: JobStatus
    """The status of the job; ignored when sent back."""
    warnings: NotRequired[list[FieldError]]
    """Warnings about the schedule, in the answer to a save; ignored when sent back."""
    preview: NotRequired[Preview]
    """The next runs, in the answer to a dry run; ignored when sent back."""
    backfill: NotRequired[Backfill | None]
    """The backfill that a resume started, in its answer; ignored when sent back."""


class NextRuns(TypedDict):
    """A job's next runs, and the meaning of its schedule."""

    description: str | None
    """The schedule in words."""
    timezone: str | None
    """The time zone of the schedule."""
    dialect: str | None
    """The rules for days and clock changes that apply."""
    items: list[ComingRun]
    """The next runs, in order."""
    blocked: list[BlockedRuns]
    """Occurrences that calendars block."""
    skipped: list[SkippedTimes]
    """Times that clock changes skip."""
    idle_because: str | None
    """Why it has no next run, or none before a pause ends."""


class Result(TypedDict):
    """A target's answer."""

    type: str
    """The type of the target, or `callback` for a later answer."""
    status: int | None
    """The HTTP status; null for a later answer."""
    body: str
    """The answer's text."""


class RunError(TypedDict):
    """Why an attempt failed."""

    type: str
    """The type of the error, in one word."""
    message: str
    """What went wrong."""
    stack: str | None
    """The stack trace."""


class Progress(TypedDict):
    """Progress that a target reported: a percentage, if known, and a line of text."""

    percent: int | None
    """0 to 100; null if the target does not know it."""
    text: str
    """One line for people."""


class RunKey(TypedDict):
    """A run's identity: the job and the run id, `20261120T090000Z` or `20261120T090003Z~trigger-<id>`."""

    job: str
    """The job, as `namespace/name`."""
    run_id: str
    """The id of the run."""


class Usage(TypedDict):
    """A run's usage of AWS services. Usage shared by a batch of runs is divided evenly among them."""

    write: float
    """DynamoDB write units."""
    read: float
    """DynamoDB read units."""
    calls: float
    """Calls to DynamoDB, by workers and the API."""
    messages: float
    """Requests to SQS."""
    worker_ms: int
    """Worker time in milliseconds, from the receipt of a batch to the report."""
    puts: int
    """Number of texts stored in S3."""
    stored_bytes: int
    """Bytes of the texts stored in S3, before compression."""


class Attempt(TypedDict):
    """An attempt of a run."""

    number: int
    """1 for the first."""
    worker: str | None
    """The log stream of the worker."""
    started_at: str
    """When it started."""
    finished_at: str | None
    """When it ended."""
    state: str
    """How it ended."""
    error: RunError | None
    """Why it failed."""


class RunOutput(TypedDict):
    """The size and path of the newest attempt's whole output."""

    bytes: int
    """Bytes of the text in UTF-8."""
    truncated: bool
    """Whether the run shows only a part of it."""
    cut: bool
    """Whether the target sent more than the 1 MiB that is read."""
    url: str
    """The path that answers the whole text."""


class Run(TypedDict):
    """The record of a run."""

    run_id: str
    """`20261120T090000Z`, the scheduled instant; `…~trigger-<id>` for a trigger or a replacement of a lost run,
    `…~backfill-<id>`, `…~child-<id>`."""
    job: str
    """The job, as `namespace/name`."""
    scheduled_for: str
    """The nominal instant."""
    starts_at: str
    """Earliest start: the nominal instant plus jitter; of a backfilled run, its creation."""
    state: str
    """Active: `queued`, `running`, `waiting` (its target answers later), `retrying`. Ended: `succeeded`,
    `failed`, `timed_out`, `cancelled`, `skipped`, `lost` (its worker died, and no take-overs are left or the
    job was deleted; or no worker could end it)."""
    attempt: int
    """Number of the newest attempt; 0 before the first."""
    claimed_at: str
    """When it was claimed."""
    started_at: str | None
    """When the newest attempt started."""
    finished_at: str | None
    """When the run ended."""
    lateness_ms: int | None
    """From `starts_at` to the first attempt's start, in milliseconds."""
    duration_ms: int | None
    """Length of the newest attempt, in milliseconds."""
    result: Result | None
    """What the target answered: `{"type", "status", "body"}`; of a later answer the type is `callback`, the
    status null and the body JSON."""
    error: RunError | None
    """Why the newest attempt failed: `{"type", "message", "stack"}`."""
    reason: str | None
    """Why it was skipped, in a sentence."""
    retry_at: str | None
    """Earliest start of the next attempt."""
    deadline_at: str | None
    """When a `waiting` attempt must be reported."""
    cancelled_by: str | None
    """The token that cancelled it, or `run <id>` of a run that replaces it."""
    blocked_by: str | None
    """Id of the run that kept it from starting."""
    progress: Progress | None
    """The target's last progress: `{"percent", "text"}`; percent may be null."""
    parents: list[RunKey]
    """The runs that started it, or the lost one it replaces: `{"job", "run_id"}` each."""
    units: Usage | None
    """Its usage so far, with record_units: `{"write", "read", "calls", "messages", "worker_ms", "puts",
    "stored_bytes"}`."""
    attempts: NotRequired[list[Attempt]]
    """Not in lists: all attempts, oldest first, `{"number", "worker", "started_at", "finished_at", "state",
    "error"}`. `worker` is its log stream; `state` how it ended, `running` if its worker died, and the run's
    own for the newest."""
    output: NotRequired[RunOutput | None]
    """Not in lists: the newest attempt's output, `{"bytes", "truncated", "cut", "url"}`. `truncated`: `result`
    has only part of it; `cut`: the target sent more than the 1 MiB that is read; `url`: the path to the
    whole."""


class PastRevision(TypedDict):
    """A change to a job."""

    number: int
    """The revision."""
    at: str
    """When it took effect."""
    did: str
    """What the change did."""
    by: str | None
    """Who made it; null if not recorded."""
    changed: list[str]
    """The fields that it changed."""


class TicksAround(TypedDict):
    """The ticks around an instant."""

    last: str | None
    """The minute of the last tick at or before it."""
    next: str | None
    """The minute of the first tick after it."""


class Finding(TypedDict):
    """What happened at the instants from `first` to `last`."""

    kind: str
    """What happened, for programs."""
    first: str
    """The first instant."""
    last: str
    """The last instant."""
    times: int | None
    """Number of occurrences; null for a span of time."""
    text: str
    """What happened, for people."""
    run: Run | None
    """The run, if it is about one run."""
    revision: PastRevision | None
    """The revision in effect at these instants, or that made the change."""
    until: str | None
    """When a pause ends."""
    ended_by: PastRevision | None
    """The change that ended a pause."""
    policy: str | None
    """The policy that skipped occurrences."""
    calendar: str | None
    """The calendar that blocks them."""
    moved_to: str | None
    """The instant to which a calendar moved the occurrence."""
    before: str | None
    """The nearest occurrence before."""
    after: str | None
    """The nearest occurrence after."""
    ticks: TicksAround | None
    """The nearest ticks."""


Explanation = TypedDict(
    "Explanation",
    {
        "job": str,
        "from": str,
        "to": str,
        "items": list[Finding],
        "beside": list[Finding],
        "next": str | None,
    },
)
"""What happened to a job from one instant up to another. `job`: The job, as `namespace/name`; `from`: The first
instant; `to`: The end, which is not included; `items`: What happened, in order; `beside`: Related runs of other
instants; `next`: Where to continue; null when this is all."""


class Output(TypedDict):
    """The output of an attempt."""

    run_id: str
    """The run."""
    job: str
    """Its job, as `namespace/name`."""
    attempt: int
    """The attempt."""
    bytes: int
    """Bytes of the text in UTF-8."""
    truncated: bool
    """Whether `text` is only a part, because the rest was not stored or has expired."""
    cut: bool
    """Whether the target sent more than the 1 MiB that is read."""
    text: str | None
    """The text; null where `url` links to it."""
    url: str | None
    """A link to the text, valid for some minutes."""


class CalendarEntries(TypedDict):
    """How many entries of each kind a calendar has."""

    dates: int
    """Ranges of days."""
    weekly: int
    """Weekly rules."""
    periods: int
    """Spans of time."""


class CalendarStatus(TypedDict):
    """The status of a calendar; ignored when sent back."""

    revision: int
    """Number of changes to the calendar."""
    updated_at: str
    """When it was last changed."""
    updated_by: str
    """Who changed it last."""
    jobs: int
    """How many jobs name it."""


class CalendarSummary(TypedDict):
    """A calendar in a list."""

    namespace: str
    """Its namespace; the same as in the path, or left out."""
    name: str
    """Its name; the same as in the path, or left out."""
    description: str
    """Free text, for people."""
    entries: CalendarEntries
    """How many entries it has."""
    status: CalendarStatus
    """The status of the calendar."""


class Calendar(TypedDict):
    """A calendar: times at which the jobs that name it do not run. Its entries are answered sorted and merged."""

    namespace: str
    """Its namespace; the same as in the path, or left out."""
    name: str
    """Its name; the same as in the path, or left out."""
    description: str
    """Free text, for people."""
    dates: list[str]
    """Days and ranges of days, both ends included, in each job's time zone. With `periods`, 5,000 at most."""
    weekly: list[str]
    """Days of the week, whole or in part, in each job's time zone."""
    periods: list[str]
    """Spans of time, the same for every job in any time zone; the end is excluded."""
    status: CalendarStatus
    """The status of the calendar; ignored when sent back."""


class Standing(TypedDict):
    """The state of a run whose target has reported."""

    state: str
    """The run's state."""
    cancel: bool
    """Whether the target should stop."""
    deadline: str | None
    """When the attempt must have been reported."""
    lease_until: str | None
    """When the target's next heartbeat or progress is due."""
    lease_ms: int | None
    """Time left until `lease_until`."""


class Shards(TypedDict):
    """The number of shards that hold the timers, and the progress of a change of it."""

    shards: int
    """The number of shards that timers are spread over."""
    read: int
    """Number of shards that a tick reads."""
    state: str
    """`awaited`: no tick reads the new number yet. `moving`: `left` shards are still to be searched. `emptying`:
    timers have moved, and the old shards are watched for late writes. `settled`: done."""
    left: int
    """Shards still to be searched."""
    empty_since: str | None
    """Since when the old shards have been found empty."""


BackfillExtent = TypedDict(
    "BackfillExtent",
    {
        "from": str,
        "to": str,
        "occurrences": int,
        "first": str,
        "last": str,
    },
)
"""The occurrences that a backfill would replay. `from`: The first instant that may be replayed; `to`: The first
instant that is not replayed; `occurrences`: Number of occurrences; `first`: The first of them; `last`: The last of
them."""
