"""The API's documents, as types. Made by `make generate` from the API's declarations: do not edit.

Documents are plain dictionaries, exactly as the API answers them. Instants are RFC 3339 text in UTC
(`2026-11-20T09:00:00Z`), durations are text (`1h30m`), and fields `*_ms` are whole milliseconds. Within `/v1`, the API may add
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
    """That the API answers, and its version."""

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
"""A pause of a namespace. `from`: When the pause began; `by`: Name of the token that paused the namespace; `to`: When
the pause ended or will end; null without an end; `resumed_by`: Name of the token that resumed the namespace."""


class QuotaLimits(TypedDict):
    """What the operator of the deployment allows a namespace; null for what is not limited."""

    jobs: int | None
    """Maximum jobs; a save that would make another is refused. Null for no limit."""
    runs_per_minute: int | None
    """Maximum runs that begin in a clock minute (UTC): others wait, and triggers and backfills are refused.
    Retries do not count. Null for no limit."""
    concurrency: int | None
    """Maximum attempts in progress at once, over all jobs of the namespace: others wait. The lower of this and
    the namespace's `max_concurrency` applies. Null for no limit."""


class NamespaceStatus(TypedDict):
    """The status of a namespace; ignored in a document to save."""

    paused: bool
    """Whether the namespace is paused."""
    paused_until: str | None
    """When the pause ends by itself."""
    pauses: list[NamespacePause]
    """The newest 20 pauses, newest first."""
    quota: QuotaLimits | None
    """The namespace's quota; null if it has none."""
    shadow: bool
    """Whether the namespace is in shadow: its jobs call no target."""
    revision: int
    """How often the namespace was changed."""
    updated_at: str | None
    """When the namespace was last changed."""
    updated_by: str | None
    """Name of the token that last changed the namespace."""


class Namespace(TypedDict):
    """The settings of a namespace, which apply to all of its jobs together. Routes of their own pause it and put
    it in shadow."""

    namespace: str
    """The namespace's name: the same as in the path, or left out."""
    max_concurrency: int | None
    """Maximum attempts in progress at once, over all jobs of the namespace; null for no limit."""
    status: NamespaceStatus
    """The status of the namespace; ignored in a document to save."""


class SummaryStatus(TypedDict):
    """The status of a job in a list; ignored in a document to save."""

    revision: int
    """The job's revision: the number of its latest change."""
    updated_at: str
    """When the job was last changed."""
    updated_by: str
    """Name of the token that last changed the job."""
    next_run_at: str | None
    """When the job runs next."""
    idle_because: str | None
    """Why the job has no next run, or none before a pause ends."""
    paused_until: str | None
    """When the pause of the job or of its namespace ends by itself, the later of both; null without such a
    pause."""
    runs_left: int | None
    """Number of occurrences that `max_runs` still allows; null without it."""
    shadow_of: str | None
    """What puts the job in shadow, so that its runs call no target: its own `shadow`, that of its namespace, or
    that of the stack."""


class LastRun(TypedDict):
    """How a run of a job ended, in a list of jobs."""

    run_id: str
    """The run's id."""
    state: str
    """How the run ended."""
    scheduled_for: str
    """The run's nominal instant."""
    finished_at: str | None
    """When the run ended."""


class JobSummary(TypedDict):
    """A job in a list."""

    namespace: str
    """The namespace; the same as in the path, or left out."""
    name: str
    """The name in the namespace; the same as in the path, or left out."""
    description: str
    """Free text, for people."""
    owner: str
    """Whom to contact about the job."""
    labels: dict[str, str]
    """Names and values of your own."""
    schedule: str | list[str]
    """When the job runs."""
    timezone: str
    """The IANA time zone of the schedule."""
    paused: bool | Pause
    """Whether the job is paused, or until when."""
    target_type: str
    """The type of the job's target."""
    status: SummaryStatus
    """The status of the job."""
    last_run: NotRequired[LastRun | None]
    """Only with `last=true`: the newest ended run among those of the last two instants that the present schedule
    names, and the run that last took the job's overlap lock; null if none of these has ended or exists."""


class Result(TypedDict):
    """What a target answered to an attempt."""

    type: str
    """The type of the target, or `callback` for a later answer."""
    status: int | None
    """The status of the HTTP answer; null for a later answer."""
    body: str
    """The answer's text."""
    log: NotRequired[str]
    """The end of the log that the target wrote, if it answered with that (not in lists)."""


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
    """Percentage done, 0 to 100; null if the target does not know it."""
    text: str
    """One line about the progress, for people."""


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
    """Worker time in milliseconds, from the receipt of the messages to the report."""
    puts: int
    """Number of long answers stored in S3."""
    stored_bytes: int
    """Bytes of the long answers stored in S3, before compression."""


class Attempt(TypedDict):
    """An attempt of a run."""

    number: int
    """Number of the attempt: 1 for the first."""
    worker: str | None
    """The request id of the worker's Lambda invocation."""
    started_at: str
    """When the attempt started."""
    finished_at: str | None
    """When the attempt ended."""
    state: str
    """How the attempt ended."""
    error: RunError | None
    """Why the attempt failed."""
    lost_at: str | None
    """When the lease of the attempt's worker ended, if the worker died and another took over."""
    endpoints: NotRequired[list[str]]
    """Of a target with several endpoints, the URLs of those that the attempt tried, in order. Only the last one
    can have received the request."""


class RunOutput(TypedDict):
    """The size and path of the newest attempt's whole output."""

    bytes: int
    """Size of the output's text in UTF-8, in bytes."""
    truncated: bool
    """Whether the run's `result` has only a part of the output."""
    cut: bool
    """Whether the target sent more than the 1 MiB that a worker reads."""
    url: str
    """The API's path to the whole text."""


class RunNode(TypedDict):
    """One of the nodes of a run on several nodes."""

    node: str
    """Name of the node."""
    index: int
    """Its place among the nodes of the run, from 0."""
    run_id: str | None
    """Id of the node's own run; null before its turn has come."""
    state: str | None
    """State of the node's own run; null before its turn has come."""


class Part(TypedDict):
    """What a run on one of several nodes is a part of."""

    run_id: str
    """Id of the run on all of them."""
    attempt: int
    """Number of that run's attempt."""
    pool: str
    """The pool of the node."""
    node: str
    """The node on which this run is carried out."""
    index: int
    """Its place among the nodes, from 0."""
    total: int
    """How many nodes they are."""


class SlotHolder(TypedDict):
    """A run that holds a slot of a concurrency limit."""

    job: str
    """The job, as `namespace/name`."""
    run_id: str
    """The run's id."""
    since: str | None
    """Start of the attempt that took the slot."""


class LockWait(TypedDict):
    """The run of the same job for which a run waits, because the job's runs must not overlap."""

    run_id: str
    """The id of the run in the way."""
    since: str | None
    """Start of that run's newest attempt; null before its first."""
    before: int
    """Number of other runs of the job that wait and come before this one."""
    overlap: str
    """The policy that makes the run wait."""


class Run(TypedDict):
    """A run: one occurrence of a job, or one that was triggered, replayed or started by parents."""

    run_id: str
    """The scheduled instant, such as `20261120T090000Z`. It is followed by `~trigger-<id>` if the run was
    triggered or replaces a lost one, `~backfill-<id>` if a backfill started it, `~child-<id>` if parents did
    (`~child-of-<id>` for one triggered run alone), `~node-<id>` if it is the part of a run on one of several
    nodes."""
    job: str
    """The job, as `namespace/name`."""
    scheduled_for: str
    """The run's nominal instant, before jitter."""
    starts_at: str
    """Earliest start of the run: its nominal instant plus jitter; for a backfilled run, when it was created."""
    state: str
    """Active: `queued`, `running`, `waiting` (its target answers later), `retrying`. Ended: `succeeded`,
    `failed`, `timed_out`, `cancelled`, `skipped`, `lost` (its worker died or its agent fell silent, and no
    take-overs are left or the job was deleted; or no worker could end it)."""
    attempt: int
    """Number of the newest attempt; 0 before the first."""
    claimed_at: str
    """When the run was claimed, which creates its record."""
    started_at: str | None
    """When the newest attempt started."""
    finished_at: str | None
    """When the run ended."""
    lateness_ms: int | None
    """How late the run started: from `starts_at` to its first attempt, in milliseconds."""
    duration_ms: int | None
    """Length of the newest attempt, in milliseconds."""
    result: Result | None
    """What the target answered: `{"type", "status", "body"}`. If it answered later, through the API, the type is
    `callback`, the status null and the body JSON. A Lambda function's answer may also have `log`."""
    error: RunError | None
    """Why the newest attempt failed: `{"type", "message", "stack"}`."""
    reason: str | None
    """Why the run was skipped, in a sentence; for `start_within` also what the run last waited for: `it had not
    begun within 5m of 2026-11-20T09:00:00Z (start_within); it last waited for limit db, 3 of 3 in use`."""
    retry_at: str | None
    """Earliest start of the next attempt."""
    waits_for: str | None
    """The concurrency limit that the run waits for until `retry_at`: `limit db, 3 of 3 in use`; or the pool:
    `pool web, which has no live agent`; null if it waits for neither."""
    deadline_at: str | None
    """By when the target of a `waiting` run must report how the attempt ended."""
    lease_until: str | None
    """Of a `running` run: end of its worker's lease. If that has passed, the worker is gone, and another one
    takes the run over. Of a `waiting` run: when its target's next heartbeat is due, or else `deadline_at`."""
    cancelled_by: str | None
    """Name of the token that cancelled the run, or `run <id>` for the run that replaces it."""
    blocked_by: str | None
    """Id of the run of the job that kept this one from starting."""
    only_node: NotRequired[str]
    """The one node that may run it, of a run for one node."""
    progress: Progress | None
    """The progress that the target last reported: `{"percent", "text"}`; percent may be null."""
    parents: list[RunKey]
    """The parents' runs that started this run, or the lost run that it replaces, each as `{"job", "run_id"}`."""
    units: Usage | None
    """The run's usage so far, if the job sets record_units: `{"write", "read", "calls", "messages", "worker_ms",
    "puts", "stored_bytes"}`."""
    attempts: NotRequired[list[Attempt]]
    """All attempts of the run, oldest first (not in lists), `{"number", "worker", "started_at", "finished_at",
    "state", "error", "lost_at"}`. `worker` is the request id of its Lambda invocation. `state` is how it
    ended, or `running` if its worker died: then `lost_at` is the end of that worker's lease. An attempt that
    has not ended has the run's state. Of a target with several endpoints, it also has `endpoints`: those that
    it tried, in order."""
    output: NotRequired[RunOutput | None]
    """The newest attempt's output (not in lists), `{"bytes", "truncated", "cut", "url"}`. `truncated`: `result`
    has only part of it; `cut`: the target sent more than the 1 MiB that a worker reads; `url`: the path to
    the whole output."""
    nodes: NotRequired[list[RunNode]]
    """Only of a run on several nodes (`count` of a command), and not in lists: the nodes of its newest attempt,
    in the order in which they begin, each as `{"node", "index", "run_id", "state"}`."""
    part_of: NotRequired[Part]
    """Only of a run on one of several nodes: the run on all of them, and the place of this one among them,
    `{"run_id", "attempt", "pool", "node", "index", "total"}`."""
    held_by: NotRequired[list[SlotHolder]]
    """Only while the run waits for a slot, and not in lists: the runs that hold the slots of the limit in
    `waits_for` now, the longest first, each as `{"job", "run_id", "since"}`. `since` is the start of the
    attempt. Of a limit with more than 108 slots, 108 are read."""
    behind: NotRequired[LockWait]
    """Only while the run waits for another run of its job (`overlap`), and not in lists: `{"run_id", "since",
    "before", "overlap"}`. `run_id` is the run in the way, `since` the start of its newest attempt, `before`
    the number of other runs that wait and come before this one."""


class FieldError(TypedDict):
    """An error or a warning about one field."""

    path: str
    """The field, such as `target.url`; empty for the document as a whole."""
    pointer: NotRequired[str]
    """JSON Pointer (RFC 6901) to the field in the document, such as `/target/url`."""
    message: str
    """What is wrong."""
    hint: NotRequired[str | None]
    """What would be right."""
    column: NotRequired[int | None]
    """0-based position in the field's text."""


class Problem(TypedDict):
    """An error, in the form of RFC 9457 (`application/problem+json`)."""

    type: str
    """URI of the kind of problem, for programs."""
    title: str
    """The kind of problem, for people."""
    status: int
    """The HTTP status."""
    detail: str
    """What went wrong this time."""
    request_id: NotRequired[str]
    """Of a 5xx error: the request's id in the logs."""
    errors: NotRequired[list[FieldError]]
    """Every invalid field."""


class Dependency(TypedDict):
    """A parent: a job whose runs, when they end, start runs of this job."""

    job: str
    """The parent: `namespace/name`, or `name` in the same namespace. A parent in another namespace requires a
    token that may read it."""
    on: str
    """How the parent's run must end: success; failure (failed, timed out, lost); end (any of these, or
    cancelled); skipped."""


class NamedLimit(TypedDict):
    """A concurrency limit, shared by the jobs of a namespace that give its name."""

    name: str
    """The limit's name, such as that of a database."""
    max: int
    """Most attempts of these jobs together in progress at once. Give the same max in each of them; a job with a
    lower one may use only as many of the limit's slots."""


class Backoff(TypedDict):
    """The wait before the next attempt."""

    initial: str
    """The wait after the first attempt."""
    factor: float
    """How many times as long as the one before each further wait is, up to max."""
    max: str
    """The longest wait, also for a target that asks for a longer one (Retry-After); at least initial."""
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
    """The status of a job; ignored in a document to save."""

    revision: int
    """The job's revision: the number of its latest change."""
    updated_at: str
    """When the job was last changed."""
    updated_by: str
    """Name of the token that last changed the job."""
    next_run_at: str | None
    """When the job runs next."""
    idle_because: str | None
    """Why the job has no next run, or none before a pause ends."""
    paused_until: str | None
    """When the pause of the job or of its namespace ends by itself, the later of both; null without such a
    pause."""
    runs_left: int | None
    """Number of occurrences that `max_runs` still allows; null without it."""
    shadow_of: str | None
    """What puts the job in shadow, so that its runs call no target: its own `shadow`, that of its namespace, or
    that of the stack."""
    description: str | None
    """The schedule in words."""
    timezone: str | None
    """The time zone of the schedule."""
    dialect: str | None
    """The rules for days and clock changes that apply."""
    children: list[str]
    """The jobs that depend on this job, as `namespace/name`: those that the token may read."""
    deleted_parents: list[str]
    """The job's parents that were deleted, as `namespace/name`."""


class ComingRun(TypedDict):
    """A future run."""

    at: str
    """The instant of the occurrence."""
    local: str
    """The same instant in the schedule's time zone."""
    starts_at: str
    """When the run starts: the instant of the occurrence plus jitter."""
    moved: bool
    """Whether a calendar moved an occurrence to this instant."""
    moved_from: str | None
    """The first occurrence that a calendar moved to this instant."""
    note: str | None
    """The effect of a clock change on the run."""
    estimated: bool
    """Whether the instant is an estimate, as if the run before took no time; only of a fixed delay."""


class BlockedRuns(TypedDict):
    """Occurrences in a row that one calendar blocks."""

    at: str
    """The first blocked occurrence."""
    local: str
    """The same instant in the schedule's time zone."""
    until: str
    """When this calendar's block ends, or another calendar's begins."""
    times: int | None
    """Number of occurrences; null for more than 1,000."""
    calendar: str
    """The calendar that blocks the occurrences."""
    moved_to: str | None
    """The instant to which the first blocked occurrence is moved."""


class SkippedTimes(TypedDict):
    """Scheduled times that a clock change skips."""

    at: str
    """The instant of the clock change."""
    local: str
    """The first skipped time, by the local clock."""
    timezone: str
    """The time zone whose clocks change."""
    times: int
    """Number of skipped times."""
    note: str
    """What happens to the skipped times, in words."""


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
"""How many runs a day an edit of a schedule adds, removes and keeps. `from`: Start of the compared span; `until`: End
of the compared span; `added_per_day`: How many runs a day the edit adds; `removed_per_day`: How many runs a day the
edit removes; `kept_per_day`: How many runs a day the edit keeps."""


class Preview(TypedDict):
    """The runs that a job would have if the document of a dry run were saved."""

    items: list[ComingRun]
    """The next runs, in order."""
    blocked: list[BlockedRuns]
    """Occurrences that calendars block."""
    skipped: list[SkippedTimes]
    """Times that clock changes skip."""
    cut: bool
    """Whether further runs were left out, since so many occurrences are blocked or moved that finding them takes
    too long."""
    diff: Edit | None
    """How the edit changes the runs; null for a new job, without a change, or if the stored schedule cannot be
    read."""


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
"""A replay of the occurrences of a job in a past range. `id`: The backfill's id; the ids of its runs end with it;
`job`: The job that is replayed, as `namespace/name`; `from`: The first instant that may be replayed; `to`: End of
the range: the first instant that is not replayed; `order`: Which occurrences run first; `concurrency`: Maximum runs
of the backfill that are active at once; `ignore_overlap`: Whether the backfill's runs ignore the job's overlap
policy; `state`: The backfill's state; `occurrences`: Number of occurrences in the range; `remaining`: Number of
occurrences that have no run yet; `active`: Ids of the backfill's runs that are active; `ended`: How many of the
backfill's runs ended in each state; `created_at`: When the backfill was started; `created_by`: Name of the token
that started the backfill; `finished_at`: When the backfill ended; null while its runs may be active; `reason`: Why
the backfill was cancelled."""


class Job(TypedDict):
    """A job: when it runs, what it does then, and what happens if that fails."""

    namespace: str
    """The namespace; the same as in the path, or left out."""
    name: str
    """The name in the namespace; the same as in the path, or left out."""
    description: str
    """Free text about the job, for people."""
    owner: str
    """Whom to ask about the job, in one line."""
    labels: dict[str, str]
    """Names and values of your own, for finding jobs. A name has up to 63 of A-Z, a-z, 0-9, `.`, `_`, `/`, `-`,
    beginning with a letter or digit; a value is one line of at most 255 characters."""
    schedule: str | list[str]
    """When the job runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s;
    @after 10m, a fixed delay counted from the end of the run before; @manual; EventBridge's cron(…), rate(…)
    and at(…). A list joins several. At most 1,024 characters in all. Optional with depends_on. A fixed delay
    excludes calendars, max_runs, jitter, queue_one and queue_all."""
    timezone: str
    """The IANA time zone of the schedule."""
    dialect: str | None
    """The rules for days and clock changes. By default, the schedule's text decides: eventbridge for cron(…),
    rate(…) and at(…), vixie for everything else."""
    calendars: list[str]
    """Names of the namespace's calendars that block the job's occurrences, each once. Answers sort the names."""
    on_blocked: str
    """What happens to an occurrence that a calendar blocks: it does not run (skip), or runs at the same time of
    the next open day within 92 days (next_day; for jobs that run at most 96 times a day)."""
    start_at: str | None
    """The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) count from
    it. Answers give it in UTC."""
    end_at: str | None
    """The last instant that the schedule may name, in RFC 3339 and whole seconds. Answers give it in UTC."""
    max_runs: int | None
    """Occurrences to dispatch before the job is finished. An occurrence also counts if its run is skipped for
    another run, for start_within or for a pause of the namespace; a triggered run does not count."""
    jitter: str | None
    """Longest start delay of an occurrence. A hash of job and instant chooses each delay, which is thus always
    the same."""
    depends_on: list[Dependency]
    """The parents: jobs whose runs, when they end, start runs of this job. No job may be its own ancestor."""
    join: str
    """Whether this job runs when all of its parents have a run that ended as required (all), or one (any)."""
    join_window: str | None
    """Length of the join windows: the parents' runs scheduled in one window start one run of this job. A
    duration that divides a day, or whole days. By default, the parents' runs for the same instant belong
    together."""
    paused: bool | Pause
    """Whether the job is paused, or until when: `{"until": "2026-12-01T09:00:00Z"}`. If left out, a stored job
    keeps its pause, and a new job is not paused."""
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
    """Most missed occurrences to dispatch in a minute, besides those on time; their starts spread evenly over
    the minute."""
    overlap: str
    """What happens when a run is due while an earlier one is active: it starts (allow), is skipped (skip), waits
    while later ones are skipped (queue_one), waits as do all later ones (queue_all), or cancels the earlier
    one (replace). A fixed delay treats allow as skip. A trigger may ignore the policy."""
    start_within: str | None
    """How long a run may wait for its first attempt, counted from starts_at: a run that has not begun by then is
    skipped, whatever it waited for. Backfilled runs, retries and take-overs may start later."""
    max_concurrency: int | None
    """Most attempts of the job's runs in progress at once; further runs wait."""
    limits: list[NamedLimit]
    """Concurrency limits by name, each shared by the jobs of the namespace that give its name, such as those
    that use one database; further runs wait."""
    timeout: str
    """Limit of one attempt, from its start to its answer; at most 14m unless the target may answer later. If
    timeout is above 14m, the target has 60s to accept the work."""
    run_timeout: str | None
    """Limit of the whole run, from the start of its first attempt; at least timeout."""
    retry: Retry
    """Which failed attempts are retried, and when."""
    takeovers: int
    """How often a run is started again after its worker died, or its agent fell silent; with 0, such a run is
    lost."""
    retention: str
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
    status: JobStatus
    """The status of the job; ignored in a document to save."""
    warnings: NotRequired[list[FieldError]]
    """Warnings about the schedule and the limits, in the answer to a save; ignored in a document to save."""
    preview: NotRequired[Preview]
    """The next runs, in the answer to a dry run; ignored in a document to save."""
    backfill: NotRequired[Backfill | None]
    """The backfill that a resume started, in the resume's answer; ignored in a document to save."""


class BulkResult(TypedDict):
    """What became of one job of a bulk save."""

    namespace: str
    """The job's namespace."""
    name: str
    """The job's name; empty if it has none."""
    result: str
    """What was done, or would be in a dry run. `refused`: `problem` says why, and nothing was saved. `left`: the
    request had no time left; send the job again."""
    revision: int | None
    """The job's revision; null if it was refused or left."""
    warnings: list[FieldError]
    """What is valid, but probably not meant."""
    problem: NotRequired[Problem]
    """The answer that a single save would have had; its pointers are those of this job."""
    job: NotRequired[Job]
    """In a dry run, the job as it would be saved."""


class Bulk(TypedDict):
    """What became of the jobs of a bulk save."""

    items: list[BulkResult]
    """A result for each job, in the order of the request."""
    refused: int
    """How many jobs were refused."""
    left: int
    """How many jobs were left for another request."""


class DescribedSchedule(TypedDict):
    """A schedule in words."""

    description: str | None
    """The schedule in words."""
    timezone: str | None
    """The time zone of the schedule."""
    dialect: str | None
    """The rules for days and clock changes that apply."""
    warnings: list[FieldError]
    """What is valid, but probably not meant."""


class PreviewedSchedule(TypedDict):
    """The next runs of a schedule, and its meaning."""

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
    cut: bool
    """Whether further runs were left out, since so many occurrences are blocked or moved that finding them takes
    too long."""
    warnings: list[FieldError]
    """What is valid, but probably not meant."""


class Schedule(TypedDict):
    """The meaning of a schedule. Every field is null if the schedule cannot be read."""

    description: str | None
    """The schedule in words."""
    timezone: str | None
    """The time zone of the schedule."""
    dialect: str | None
    """The rules for days and clock changes that apply."""


ScheduleDiff = TypedDict(
    "ScheduleDiff",
    {
        "summary": str,
        "old": Schedule,
        "new": Schedule,
        "from": str,
        "until": str,
        "added_per_day": float,
        "removed_per_day": float,
        "kept_per_day": float,
        "added": int,
        "removed": int,
        "kept": int,
        "first_added": list[str],
        "first_removed": list[str],
        "cut": bool,
        "warnings": list[FieldError],
    },
)
"""What an edit of a schedule changes. `summary`: The difference in words, such as `59 more runs a day`; `old`: The
meaning of the schedule so far; `new`: The meaning of the schedule that would replace it; `from`: Start of the
compared span; `until`: End of the compared span; `added_per_day`: How many runs a day the edit adds;
`removed_per_day`: How many runs a day the edit removes; `kept_per_day`: How many runs a day the edit keeps;
`added`: How many runs the edit adds; `removed`: How many runs the edit removes; `kept`: How many runs the edit
keeps; `first_added`: The first instants that the edit adds; `first_removed`: The first instants that the edit
removes; `cut`: Whether the comparison ended early, at `until`, after 200,000 runs; `warnings`: Warnings about the
new schedule."""


class Exported(TypedDict):
    """One exported thing."""

    kind: str
    """What it is."""
    document: Any
    """The document that saves it: of a job or a calendar that of its `PUT`, of a namespace also with `paused`,
    as jobs have it. Secrets are references, as the job has them."""


class ImportResult(TypedDict):
    """What became of one thing of an import."""

    kind: str
    """What it is."""
    namespace: str
    """Its namespace."""
    name: str
    """Its name; empty for a namespace."""
    result: str
    """What was done. `over`: the job has no run any more, so it was not saved. `refused`: `problem` says why,
    and nothing was saved. `left`: the request had no time left; send it again."""
    revision: int | None
    """Its revision; null if it was not saved."""
    warnings: list[FieldError]
    """What is valid, but probably not meant."""
    problem: NotRequired[Problem]
    """Why it was not saved; its pointers are those of its document."""


class Imported(TypedDict):
    """What became of the things of an import."""

    items: list[ImportResult]
    """A result for each, in the order of the request."""
    refused: int
    """How many were refused."""
    left: int
    """How many were left for another request."""


class QuotaUse(TypedDict):
    """How much of a namespace's quota is used now."""

    jobs: int | None
    """Jobs that the namespace has; null if the quota does not limit them."""
    runs_this_minute: int | None
    """Runs that began in this clock minute, or may still begin in it; null if the quota does not limit them."""


class Quota(TypedDict):
    """The quota of a namespace: what the operator of the deployment allows it. Only an admin for all namespaces
    may set it."""

    namespace: str
    """The namespace's name: the same as in the path, or left out."""
    jobs: int | None
    """Maximum jobs; a save that would make another is refused. Null for no limit."""
    runs_per_minute: int | None
    """Maximum runs that begin in a clock minute (UTC): others wait, and triggers and backfills are refused.
    Retries do not count. Null for no limit."""
    concurrency: int | None
    """Maximum attempts in progress at once, over all jobs of the namespace: others wait. The lower of this and
    the namespace's `max_concurrency` applies. Null for no limit."""
    used: QuotaUse
    """How much of it is used now; ignored in a document to save."""


class Percentiles(TypedDict):
    """Percentiles of durations, in milliseconds; null without values."""

    p50: int | None
    """Half of the values are not greater."""
    p95: int | None
    """95 % of the values are not greater."""


class StatsBucket(TypedDict):
    """Numbers about the runs scheduled in one hour or day."""

    start: str
    """Start of the hour or day, in UTC."""
    runs: int
    """The number of runs."""
    outcomes: dict[str, int]
    """The number of runs in each state that a run has: `{"succeeded": 58, "failed": 2}`."""
    success_rate: float | None
    """The share of `succeeded` among the runs that succeeded, failed, timed out or were lost, 0 to 1; null
    without such runs."""
    duration_ms: Percentiles
    """Length of the newest attempts of runs that succeeded, failed or timed out: `{"p50", "p95"}`."""
    lateness_ms: Percentiles
    """From a run's `starts_at` to its first attempt, of runs that began."""


Stats = TypedDict(
    "Stats",
    {
        "from": str,
        "to": str,
        "complete": bool,
        "counted_from": str,
        "runs": int,
        "outcomes": dict[str, int],
        "success_rate": float | None,
        "duration_ms": Percentiles,
        "lateness_ms": Percentiles,
        "per": str,
        "buckets": list[StatsBucket],
    },
)
"""Statistics of the stored runs of a job or a namespace that are scheduled in an interval. `from`: Start of the
interval; `to`: End of the interval: the first instant that does not count; `complete`: Whether every stored run of
the interval counts. If not, only the newest do; `counted_from`: Every stored run of a later instant in the interval
counts; `runs`: The number of runs; `outcomes`: The number of runs in each state that a run has: `{"succeeded": 58,
"failed": 2}`; `success_rate`: The share of `succeeded` among the runs that succeeded, failed, timed out or were
lost, 0 to 1; null without such runs; `duration_ms`: Length of the newest attempts of runs that succeeded, failed or
timed out: `{"p50", "p95"}`; `lateness_ms`: From a run's `starts_at` to its first attempt, of runs that began;
`per`: Length of the `buckets`; `buckets`: The same numbers for each hour or day that has a run, oldest first."""


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
    cut: bool
    """Whether further runs were left out, since so many occurrences are blocked or moved that finding them takes
    too long."""
    idle_because: str | None
    """Why the job has no next run, or none before a pause ends."""
    shadow_of: str | None
    """What puts the job in shadow, so that these runs will call no target; null without that."""


class PastRevision(TypedDict):
    """A change to a job in the past, which made a new revision of it."""

    number: int
    """The revision: the number of the change."""
    at: str
    """When the change took effect."""
    did: str
    """What the change did."""
    by: str | None
    """Name of the token that made the change; null if not recorded."""
    changed: list[str]
    """Names of the job's fields that the change altered."""


class TicksAround(TypedDict):
    """The ticks around an instant."""

    last: str | None
    """The minute of the last tick at or before the instant."""
    next: str | None
    """The minute of the first tick after the instant."""


class Finding(TypedDict):
    """What happened at the instants from `first` to `last`."""

    kind: str
    """What happened, for programs."""
    first: str
    """The first instant."""
    last: str
    """The last instant."""
    times: int | None
    """Number of occurrences; null if the finding is about a span of time."""
    text: str
    """What happened, for people."""
    run: Run | None
    """The run, if the finding is about one run."""
    revision: PastRevision | None
    """The revision in effect at these instants, or the one that created, paused or deleted the job."""
    until: str | None
    """When a pause ends."""
    ended_by: PastRevision | None
    """The change that ended a pause."""
    policy: str | None
    """The policy that skipped the occurrences."""
    calendar: str | None
    """The calendar that blocks the occurrences."""
    moved_to: str | None
    """The instant to which a calendar moved the occurrence."""
    before: str | None
    """The nearest occurrence before these instants."""
    after: str | None
    """The nearest occurrence after these instants."""
    ticks: TicksAround | None
    """The ticks nearest to these instants."""


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
instant; `to`: The end, which is not included; `items`: What happened, in order; `beside`: Findings about related
runs of other instants; `next`: The `from` with which to request the following findings; null if there are none."""


class JobEndpoint(TypedDict):
    """An endpoint of a job."""

    url: str
    """Its URL."""
    weight: int | None
    """Its share of the calls; null if only Cloud Map knows it."""
    failures: int
    """Failures in a row."""
    ejected_until: str | None
    """Until when it is left out; null if it is not."""
    in_flight: int | None
    """Calls in flight; null if they are not counted (`choose: round_robin`)."""
    expires_at: str | None
    """Until when it is registered; null if it did not register itself."""


class JobEndpoints(TypedDict):
    """The endpoints of a job, and how they fare."""

    job: str
    """The job, as `namespace/name`."""
    source: str
    """Where they are found: `listed`, `cloud_map` or `registered`. With `cloud_map`, `items` has only those that
    failed lately or have calls in flight."""
    choose: str
    """Which endpoint gets a call."""
    calls: int
    """How many calls were shared so far."""
    items: list[JobEndpoint]
    """The endpoints, by URL."""


class Revision(TypedDict):
    """A job as it was under one revision."""

    number: int
    """The revision: the number of the change."""
    at: str
    """When the change took effect."""
    did: str
    """What the change did."""
    by: str | None
    """Name of the token that made the change; null if not recorded."""
    changed: list[str]
    """Names of the job's fields that the change altered."""
    job: Any
    """The job's document, as `PUT` takes it; null if the revision deleted the job, or was stored by a version of
    Minutehand that kept no definitions (`missing`)."""
    missing: bool
    """Whether the job's document was never kept."""


class Difference(TypedDict):
    """A place at which two documents differ."""

    path: str
    """The place, as a JSON Pointer (RFC 6901) such as `/retry/max_attempts`."""
    before: NotRequired[Any]
    """The value before; absent where there was none."""
    after: NotRequired[Any]
    """The value afterwards; absent where there is none."""


RevisionDiff = TypedDict(
    "RevisionDiff",
    {
        "job": str,
        "from": int,
        "to": int,
        "items": list[Difference],
    },
)
"""What differs between two revisions of a job. `job`: The job, as `namespace/name`; `from`: The older revision; 0 for
the time before the first; `to`: The newer revision; `items`: What differs, in the order of the document's fields."""


class Purged(TypedDict):
    """What a purge did to the runs of one page."""

    removed: list[str]
    """Ids of the runs that were removed with their payloads and outputs."""
    emptied: list[str]
    """Ids of the runs that are less than a day old: their outputs were removed. Purge again when they are older,
    to remove the rest."""
    active: list[str]
    """Ids of the runs that have not ended, and keep everything."""
    next: str | None
    """The parameter `cursor` that goes on with older runs; null if there are none."""


class Output(TypedDict):
    """The output of an attempt."""

    run_id: str
    """The run's id."""
    job: str
    """The run's job, as `namespace/name`."""
    attempt: int
    """Number of the attempt."""
    bytes: int
    """Size of the output's text in UTF-8, in bytes."""
    truncated: bool
    """Whether `text` is only a part, because the rest was not stored or has expired."""
    cut: bool
    """Whether the target sent more than the 1 MiB that a worker reads."""
    text: str | None
    """The output's text; null if `url` links to it."""
    url: str | None
    """A link to the output's text, valid for some minutes."""


class LogEntry(TypedDict):
    """A line of a log, or a piece of a long line."""

    at: str
    """When it was written, as an RFC 3339 instant in UTC."""
    stream: str
    """`output`: what was written, both streams of a command in their order; `note`: the agent's own remark that
    something is missing here."""
    text: str
    """What was written, with the newline that ended it, if any."""


class Log(TypedDict):
    """A piece of the log of an attempt."""

    run_id: str
    """The run's id."""
    job: str
    """The run's job, as `namespace/name`."""
    attempt: int
    """Number of the attempt; 0 before the first."""
    state: str
    """The run's state."""
    entries: list[LogEntry]
    """What was written, in order."""
    cursor: str
    """Send it to get what follows."""
    ended: bool
    """Whether nothing follows."""
    cut: bool
    """Whether something is missing: it was not sent, or has expired."""
    next_in: int
    """Seconds after which it is worth asking again; 0 for at once."""


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
"""The occurrences that a backfill would replay. `from`: The first instant that may be replayed; `to`: End of the
range: the first instant that is not replayed; `occurrences`: Number of occurrences in the range; `first`: The first
occurrence in the range; `last`: The last occurrence in the range."""


class CalendarEntries(TypedDict):
    """How many entries of each kind a calendar has."""

    dates: int
    """Number of days and ranges of days."""
    weekly: int
    """Number of weekly rules."""
    periods: int
    """Number of spans of time."""


class CalendarStatus(TypedDict):
    """The status of a calendar; ignored in a document to save."""

    revision: int
    """How often the calendar was changed, its creation included."""
    updated_at: str
    """When the calendar was last changed."""
    updated_by: str
    """Name of the token that last changed the calendar."""
    jobs: int
    """Number of jobs that use the calendar."""


class CalendarSummary(TypedDict):
    """A calendar in a list."""

    namespace: str
    """The namespace; the same as in the path, or left out."""
    name: str
    """The name in the namespace; the same as in the path, or left out."""
    description: str
    """Free text, for people."""
    entries: CalendarEntries
    """How many entries of each kind it has."""
    status: CalendarStatus
    """The status of the calendar."""


class Calendar(TypedDict):
    """A calendar: times at which the jobs that name it do not run. Answers have its entries sorted and merged."""

    namespace: str
    """The namespace; the same as in the path, or left out."""
    name: str
    """The name in the namespace; the same as in the path, or left out."""
    description: str
    """Free text, for people."""
    dates: list[str]
    """Days and ranges of days, both ends included, in each job's time zone. With `periods`, 5,000 at most."""
    weekly: list[str]
    """Days of the week, whole or in part, in each job's time zone."""
    periods: list[str]
    """Spans of time, the same for every job in any time zone; the end is excluded."""
    status: CalendarStatus
    """The status of the calendar; ignored in a document to save."""


class Service(TypedDict):
    """A service whose endpoints register themselves."""

    name: str
    """The service's name."""
    endpoints: int
    """Number of endpoints that are registered now."""


class Registration(TypedDict):
    """An endpoint that is registered."""

    name: str
    """The name under which it registered."""
    url: str
    """Its URL."""
    weight: int
    """Its share of the calls."""
    expires_at: str
    """Until when it is registered."""


class Node(TypedDict):
    """A node: an agent that serves a pool, or did lately."""

    pool: str
    """The pool."""
    node: str
    """The node's name in its pool."""
    host: str
    """Name of its host."""
    version: str
    """The agent's version."""
    tags: dict[str, str]
    """Its tags."""
    slots: int
    """How many commands it runs at once."""
    running: int
    """How many it ran when it was seen last."""
    registered_at: str
    """When its agent registered."""
    seen_at: str
    """When its agent was seen last."""
    live: bool
    """Whether it was seen within 150 seconds, and has not left."""
    asked: str
    """What an operator asked of it: to take work (run), to take none until it is asked to run again (pause), or
    to take none and end when nothing is running (drain)."""


class RegisteredNode(TypedDict):
    """A node that has registered, and the queues from which its agent receives."""

    node: Node
    """The node."""
    pool_queue_url: str
    """URL of the pool's queue."""
    inbox_url: str
    """URL of the node's own queue."""
    region: str
    """The region of both."""
    beat_every: int
    """Seconds between two beats."""


class Credentials(TypedDict):
    """Temporary credentials of AWS, for the two queues of a node alone."""

    access_key_id: str
    """The access key."""
    secret_access_key: str
    """Its secret."""
    session_token: str
    """The token that requests carry."""
    expires_at: str
    """Until when they are valid."""


class HandlerOrder(TypedDict):
    """The handler of an order. It may hold secrets."""

    name: str
    """Its name in the agent's app."""
    payload: Any
    """The run's payload: any JSON value."""
    parents: Any
    """How the parents' runs ended, as in the body of a child's call."""


class Order(TypedDict):
    """One attempt of a run, as the agent gets it that runs it. It holds secrets: it is sent, and neither stored
    nor logged."""

    job: str
    """The job, as `namespace/name`."""
    run_id: str
    """The run's id."""
    attempt: int
    """Number of the attempt."""
    attempts_left: int
    """How many attempts may follow if this one fails."""
    takeovers: int
    """How often another agent may take the run over if this one falls silent."""
    scheduled_for: str
    """The run's nominal instant."""
    token: str
    """The attempt's token, for its heartbeats and its report."""
    deadline: str
    """By when the attempt must be reported."""
    timeout: int
    """Seconds from the start of the attempt to its deadline."""
    heartbeat: int
    """Seconds after which the attempt is over if no heartbeat comes."""
    heartbeat_every: int
    """Seconds between heartbeats, so that two may be lost."""
    command: str | list[str] | None
    """A text for the shell, or a program with its arguments, to be run as it is; null for a handler."""
    handler: HandlerOrder | None
    """What to run of the agent's app; null for a command."""
    shell: str | None
    """Path of the shell that runs a text, with `-c`; null for a list."""
    directory: str | None
    """Where to run it; null for the home directory of its user."""
    environment: dict[str, str]
    """Its variables, filled in; those of the run itself (MINUTEHAND_…) are not among them."""
    user: str | None
    """Who runs it; null for the agent's own user."""
    stdin: str | None
    """What it reads from standard input; null for nothing."""
    node_index: int | None
    """Of a run on several nodes, the place of this one among them, from 0; null for any other run."""
    node_total: int | None
    """Of a run on several nodes, how many they are; null for any other run."""
    success_codes: list[int]
    """Exit codes that mean success."""
    skipped_codes: list[int]
    """Exit codes that mean that there was nothing to do."""


class Start(TypedDict):
    """What an agent does with one message."""

    job: str
    """The job, as `namespace/name`."""
    run_id: str
    """The run's id."""
    attempt: int
    """The attempt, as asked."""
    decision: str
    """Run the order and delete the message (run), delete the message (drop), or hide it for a time (hide)."""
    order: NotRequired[Order]
    """With `run`: what to run."""
    seconds: NotRequired[int]
    """With `hide`: for how long."""


class Starts(TypedDict):
    """What an agent does with each message."""

    items: list[Start]
    """An answer for each run, in the order of the request."""


class AttemptNamed(TypedDict):
    """An attempt of a run."""

    job: str
    """The job, as `namespace/name`."""
    run_id: str
    """The run's id."""
    attempt: int
    """Number of the attempt."""


class Beat(TypedDict):
    """What an agent learns when it beats."""

    registered: bool
    """Whether the node is this agent's. If not, it has to register again, which fails if another has the name."""
    unwanted: list[AttemptNamed]
    """Attempts to end without a report: they were cancelled, or are over."""
    asked: str
    """What an operator asks of the node."""
    beat_every: int
    """Seconds until the next beat."""


class Recorded(TypedDict):
    """What became of a report."""

    job: str
    """The job, as `namespace/name`."""
    run_id: str
    """The run's id."""
    attempt: int
    """Number of the attempt."""
    recorded: bool
    """Whether it was recorded."""
    problem: str | None
    """Why it was not, for good; null if it was."""


class RecordedReports(TypedDict):
    """What became of each report."""

    items: list[Recorded]
    """An answer for each report, in the order of the request."""


class Upload(TypedDict):
    """Where an agent uploads one of them."""

    job: str
    """The job, as `namespace/name`."""
    run_id: str
    """The run's id."""
    attempt: int
    """Number of the attempt."""
    url: str | None
    """Where to PUT exactly as many bytes as asked, within 5 minutes and without a token; null if it may not."""
    problem: str | None
    """Why it may not, for good; null if it may."""


class Uploads(TypedDict):
    """Where an agent uploads, and how often."""

    items: list[Upload]
    """An answer for each upload, in the order of the request."""
    every: int
    """Seconds between two parts of a log: few while somebody follows one of these."""


class Standing(TypedDict):
    """The state of a run, as the answer to a report of its target."""

    state: str
    """The run's state."""
    cancel: bool
    """Whether the run is to be cancelled, so that its target should stop."""
    deadline: str | None
    """By when the target must report how the attempt ended."""
    lease_until: str | None
    """When the target's next heartbeat or progress is due."""
    lease_ms: int | None
    """Time left until `lease_until`."""


class AuditRecord(TypedDict):
    """A change that somebody asked for."""

    at: str
    """When the change was made."""
    actor: str
    """Name of the token that asked for the change."""
    actor_id: str | None
    """Id of that token: several may have one name. Null for people and principals, and in records of earlier
    versions."""
    address: str | None
    """The IP address that the request came from, as API Gateway saw it."""
    client: str | None
    """What the client calls itself (`User-Agent`), at most 200 characters."""
    request_id: str | None
    """The request's id in the logs."""
    action: str
    """What the actor did."""
    namespace: str
    """The namespace."""
    job: str | None
    """Name of the job; null for a change of something else."""
    calendar: str | None
    """Name of the calendar; null for a change of something else."""
    revision: int | None
    """The revision that the change made; null where changes have no number."""
    about: dict[str, Any]
    """Further names and values, such as `run_id`, `backfill_id`, or `restored` (an earlier revision)."""
    changes: list[Difference]
    """What differs, without secrets; of a long value the beginning, as text that ends with `…`."""
    changes_left_out: int
    """How many further differences there are."""


class Overdue(TypedDict):
    """Timers that should have been dispatched a minute ago or earlier: of jobs, retries, deadlines and
    backfills."""

    timers: int
    """How many were found."""
    more: bool
    """Whether there may be more: a shard or a bucket has more than a request reads."""
    oldest: str | None
    """When the oldest of them was due."""


class Queue(TypedDict):
    """How many messages a queue holds, approximately."""

    name: str
    """The worker's name, followed by `_slow` for its slow lane or `_dead_letter` for its dead letters."""
    waiting: int
    """Messages that a worker can receive now."""
    delayed: int
    """Messages that were sent ahead of their instant."""
    in_flight: int
    """Messages that a worker has received, or that are hidden until a later instant."""


class Trouble(TypedDict):
    """A part that could not be read, and why."""

    part: str
    """The part, such as `queue http`."""
    problem: str
    """Why it could not be read."""


class Diagnosis(TypedDict):
    """The state of the deployment, for `minutehand doctor`."""

    now: str
    """The service's clock."""
    version: str
    """The version of the service."""
    tzdata: str
    """The release of the IANA time zone database that the service uses, such as `2026f`."""
    zone_rules: str
    """A digest of the rules of all time zones: equal digests compute equal instants."""
    renewed_for: str | None
    """The release of the time zone database for which the sweep moves, or has moved, all timers."""
    renewed: bool
    """Whether it has moved all of them."""
    last_tick: str | None
    """The minute of the last tick; null without one in the last eight days."""
    swept_until: str | None
    """Sweeps have looked at the runs scheduled before this instant."""
    shards: str | None
    """The state of the shards, as in their own document; null if it cannot be read."""
    overdue: Overdue | None
    """Overdue timers; null if they cannot be read."""
    queues: list[Queue]
    """The queues of the workers, by name."""
    troubles: list[Trouble]
    """Parts that could not be read."""


class Shards(TypedDict):
    """The number of shards that hold the timers, and the progress of a change of that number."""

    shards: int
    """The number of shards that timers are spread over."""
    read: int
    """Number of shards that a tick reads."""
    state: str
    """`awaited`: no tick reads the new number of shards yet. `moving`: `left` shards are still to be searched
    for timers to move. `emptying`: timers have moved, and the old shards are watched for late writes.
    `settled`: done."""
    left: int
    """Number of shards still to be searched for timers to move."""
    empty_since: str | None
    """Since when every search of the removed shards has found no timer; they are read no more once that lasts."""


class Grant(TypedDict):
    """A role in some namespaces."""

    role: str
    """What the caller may do in these namespaces."""
    namespaces: list[str]
    """Names of namespaces, or `*` for all."""


class Caller(TypedDict):
    """Who sends a request: a token, a person or a principal of AWS."""

    kind: str
    """`token`; `person`, with a JWT of the OIDC issuer; or `principal` of AWS IAM, which signed the request."""
    id: str | None
    """The token's id, such as `t-4k2m7xq5ab`; null for people and principals."""
    name: str
    """The name that is shown as the author of changes."""
    role: str
    """The highest of its roles."""
    namespaces: list[str]
    """Where it has this role: names of namespaces, or `*` for all."""
    grants: list[Grant]
    """Everything that it may do: each role, with its namespaces."""
    created_at: str | None
    """Of a token: when it was made; null if that was not recorded."""
    created_by: str | None
    """Of a token: who made it; null if that was not recorded."""
    expires_at: str | None
    """Of a token: from when on it is refused; null if it does not expire."""
    last_used_at: str | None
    """Of a token: when it was used, as noted once an hour at most; null if it never was."""


class Token(TypedDict):
    """A token, without its secret."""

    id: str
    """Its id, such as `t-4k2m7xq5ab`."""
    name: str
    """The token's name, shown as the author of changes."""
    role: str
    """What the token may do in its namespaces."""
    namespaces: list[str]
    """Names of namespaces, or `*` for all."""
    created_at: str | None
    """When the token was made; null if that was not recorded."""
    created_by: str | None
    """Name of the token that made it; null if that was not recorded."""
    expires_at: str | None
    """From when on the token is refused; null if it does not expire."""
    last_used_at: str | None
    """When the token was used, as noted once an hour at most; null if it never was."""


class CreatedToken(TypedDict):
    """A new token, with its secret: the only answer that has it."""

    id: str
    """Its id, such as `t-4k2m7xq5ab`."""
    name: str
    """The token's name, shown as the author of changes."""
    role: str
    """What the token may do in its namespaces."""
    namespaces: list[str]
    """Names of namespaces, or `*` for all."""
    created_at: str | None
    """When the token was made; null if that was not recorded."""
    created_by: str | None
    """Name of the token that made it; null if that was not recorded."""
    expires_at: str | None
    """From when on the token is refused; null if it does not expire."""
    last_used_at: str | None
    """When the token was used, as noted once an hour at most; null if it never was."""
    secret: str
    """The secret to send as `Authorization: Bearer SECRET`. It cannot be read again."""
