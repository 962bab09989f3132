"""The API's JSON, as types: what is answered is handed on as it came, so these are plain dictionaries.

Instants are RFC 3339 text in UTC (`2026-11-20T09:00:00Z`), durations text (`1h30m`), `*_ms` whole milliseconds. A later API
may add fields; none of those named here goes away within `/v1`.
"""

from typing import Any, Final, Generic, Literal, NotRequired, TypedDict, TypeVar

from minutehand.client.ahead_shapes import Preview
from minutehand.client.backfill_shapes import Backfill

T = TypeVar("T")

FINISHED: Final = frozenset({"succeeded", "failed", "timed_out", "cancelled", "skipped", "lost"})
"""The states in which a run rests; in all others it is still on its way."""


class SummaryStatus(TypedDict):
    """What the service knows about a job in a list; read-only, and ignored when sent back. `idle_because` says why it has no next run,
    or none before a pause has ended; `runs_left` is null without `max_runs`."""

    revision: int
    updated_at: str
    updated_by: str
    next_run_at: str | None
    idle_because: str | None
    runs_left: int | None


class JobStatus(SummaryStatus):
    """The same of a whole job: also what its schedule means in words, by which clocks and rules it goes, which jobs depend on it, and
    those of its own parents that were deleted, all as `namespace/name`."""

    description: str | None
    timezone: str | None
    dialect: str | None
    children: list[str]
    deleted_parents: list[str]


class Pause(TypedDict):
    """A pause that ends by itself."""

    until: str


class Backoff(TypedDict):
    """How long to wait before the next attempt: `initial`, each further time `factor` times as long, at most `max`; `jitter` spreads it
    by up to that share on either side."""

    initial: str
    factor: float
    max: str
    jitter: float


class Retry(TypedDict):
    """Which attempts that did not succeed are followed by another; the first one counts. An empty `retry_on` means all."""

    max_attempts: int
    backoff: Backoff
    retry_on: list[str]
    give_up_on: list[str]


class Dependency(TypedDict):
    """One parent of a job, `namespace/name`, and as what its run must have ended: `success`, `failure`, `end` or `skipped`."""

    job: str
    on: str


class Job(TypedDict):
    """A whole job, every field filled in. `schedule` is a text, or several joined; a `dialect` of null goes by the text; `backfill` is
    what replays that which a pause kept from running, as `Client.resume` answers it."""

    namespace: str
    name: str
    description: str
    owner: str
    labels: dict[str, str]
    schedule: str | list[str]
    timezone: str
    dialect: str | None
    calendars: list[str]
    on_blocked: str
    start_at: str | None
    end_at: str | None
    max_runs: int | None
    jitter: str | None
    depends_on: list[Dependency]
    join: str
    join_window: str | None
    paused: bool | Pause
    target: dict[str, Any]
    payload: Any
    misfire_grace: str
    catch_up: str
    catchup_window: str
    max_catch_up: int
    overlap: str
    max_concurrency: int | None
    timeout: str
    run_timeout: str | None
    retry: Retry
    takeovers: int
    retention: str
    retention_count: int | None
    record_units: bool
    status: JobStatus
    backfill: NotRequired[Backfill | None]


class JobSummary(TypedDict):
    """What a list shows of a job."""

    namespace: str
    name: str
    description: str
    owner: str
    labels: dict[str, str]
    schedule: str | list[str]
    timezone: str
    paused: bool | Pause
    target_type: str
    status: SummaryStatus


class RunError(TypedDict):
    """Why an attempt failed; `stack` is the stack trace, where there is one."""

    type: str
    message: str
    stack: str | None


class Attempt(TypedDict):
    """One try of a run; `worker` says where the log lines of the worker are that made it."""

    number: int
    worker: str | None
    started_at: str
    finished_at: str | None
    state: str
    error: RunError | None


class RunOutput(TypedDict):
    """How long the text is that the newest attempt left, in `bytes` of UTF-8: `truncated` when the run shows only a part of it, `cut` when the
    target sent more than is read; `url` is the path that answers the whole."""

    bytes: int
    truncated: bool
    cut: bool
    url: str


class Output(TypedDict):
    """What an attempt left: `text` is all of it but where it is `truncated`, because the rest could not be kept or is gone."""

    run_id: str
    job: str
    attempt: int
    bytes: int
    truncated: bool
    cut: bool
    text: str
    url: str | None


class Progress(TypedDict):
    """How far a target says it has come: 0 to 100, where it knows, and a line of text."""

    percent: int | None
    text: str


class ParentRun(TypedDict):
    """A run whose end started another."""

    job: str
    run_id: str


class Usage(TypedDict):
    """What a run has used: DynamoDB's `write` and `read` units and `calls`, requests to SQS (`messages`), milliseconds of a worker, and texts
    `put` into S3 with their bytes. What a batch of runs shares is shared out, so there are fractions."""

    write: float
    read: float
    calls: float
    messages: float
    worker_ms: int
    puts: int
    stored_bytes: int


class Run(TypedDict):
    """The record of one occurrence; it does not start before `starts_at`. `result` depends on the target's type; `reason` says why a run was
    skipped, `blocked_by` names the run that was in its way, `cancelled_by` who asked for its end. `retry_at` is when the next attempt
    starts, `deadline_at` by when a target must have answered that does so later, `units` what it has used, if its job asks for that. Lists leave out `attempts` and `output`."""

    run_id: str
    job: str
    scheduled_for: str
    starts_at: str
    state: str
    attempt: int
    claimed_at: str | None
    started_at: str | None
    finished_at: str | None
    lateness_ms: int | None
    duration_ms: int | None
    result: dict[str, Any] | None
    error: RunError | None
    reason: str | None
    retry_at: str | None
    deadline_at: str | None
    cancelled_by: str | None
    blocked_by: str | None
    progress: Progress | None
    parents: list[ParentRun]
    units: Usage | None
    attempts: NotRequired[list[Attempt]]
    output: NotRequired[RunOutput | None]


class Standing(TypedDict):
    """How a run stands whose target has said something of it: `cancel` says whether to stop; the attempt must have been reported by
    `deadline`, where that is known, and its target be heard of by `lease_until`, which is `lease_ms` milliseconds away."""

    state: str
    cancel: bool
    deadline: str | None
    lease_until: str | None
    lease_ms: int | None


class Health(TypedDict):
    """That the API answers, and which version it is."""

    status: str
    version: str


class Page(TypedDict, Generic[T]):
    """Part of a list; `next` is the cursor of the following part, null at the end."""

    items: list[T]
    next: str | None


class FieldError(TypedDict):
    """What is said of one field, wrong or only surprising: `path` as in `target.url`; `column` is the 0-based character of the field's text."""

    path: str
    message: str
    hint: NotRequired[str | None]
    column: NotRequired[int | None]


class Applied(TypedDict):
    """What `Client.apply_job` did (or, with `dry_run`, would do), the job as the service has it, and what its schedule may surprise
    with; of a dry run also what it would run."""

    result: Literal["created", "updated", "unchanged"]
    job: Job
    warnings: list[FieldError]
    preview: NotRequired[Preview]


class Problem(TypedDict, total=False):
    """An error in RFC 9457's form."""

    type: str
    title: str
    status: int
    detail: str
    hint: str
    errors: list[FieldError]
