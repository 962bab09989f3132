"""The cost model: the monthly usage of a job, and of an idle stack.

Every assumption is a constant with its source. Counts come from `make bench` (features.py); seconds on AWS are estimated, not
measured.
"""

from dataclasses import dataclass, replace

from minutehand.domain.packing import OFTEN, WEEK
from minutehand.tools.costs import features
from minutehand.tools.costs.batch_shares import ALONE, Share
from minutehand.tools.costs.definition import SOON, Definition
from minutehand.tools.costs.units import GB, MONTH, Unit, Usage

CALL_SECONDS = 0.3
"""Default duration of a call: an HTTP request to one's own service (as in docs/how-to/deploy.md)."""
WORKER_GB = 0.5
"""Memory of a worker, in GB: 512 MB, the default of WorkerMemory in template.yaml. Every other function has the same by default."""
PROCESSOR = WORKER_GB * 1024 / 1_769
"""The share of a processor that comes with that memory: a whole one at 1,769 MB (AWS Lambda Developer Guide)."""
BESIDE_CALL_SECONDS = 0.05
"""Seconds of a batch besides its calls of targets: three DynamoDB calls and one SQS call, about 10 ms each. Not measured on AWS."""
RUN_PROCESSOR_SECONDS = 0.0095
"""Processor seconds of each run of a batch, including the call, one run after the other (docs/reference/benchmarks.md, "Processor
time of the worker"). Lambda's processor is assumed to be as fast as that of the benchmarks' machine."""
RUN_SECONDS = RUN_PROCESSOR_SECONDS / PROCESSOR
"""Seconds that the processor work for a run takes in a worker, which has only a share of a processor."""
TICK_SECONDS = 0.1
"""Seconds of a tick or a sweep that finds nothing: sequential queries. Estimated, as in docs/how-to/deploy.md."""
CLAIM_SECONDS = 0.00065 / PROCESSOR
"""Seconds that an occurrence adds to a tick: 0.65 ms of a processor (docs/reference/benchmarks.md, "Processor time and pace of
dispatch")."""
CLAIMED_AHEAD = 90
"""Seconds before its instant at which an occurrence is claimed, on average: a look-ahead of 120 s, and a tick each minute."""
API_SECONDS = 0.1
"""Seconds of an API request: a few calls of DynamoDB. Estimated."""
SWEEP_READS = 1.25
"""Read units that sweeps use for a run, half a unit for each read of it. Sweeps read a run twice: a minute after its instant, and once
more an hour or two later (usecases/upkeep/sweep.py). The rest is the run's share of the index pages that name it."""
CHILD_SWEEP_READS = 6
"""Further read units of sweeps for a child's run: both looks at the parent's run read its definition, the child's and the child's run."""
IDLE_SWEEP_READS = 6.6
"""Read units of a sweep that finds nothing, with one namespace: 0.5 each for its progress, the list of namespaces, the four partitions of
watchlists and a bucket, and 2.6 for the namespace. Every five minutes one each for the shards and the renewal, and 0.5 for an unused
shard (usecases/upkeep/rests.py). The first sweep of a process reads 130 units more, which are not counted."""
IDLE_SWEEP_WRITES = 1 / 60
"""Write units of a sweep that finds nothing: it records its progress once an hour."""
NAMESPACE_SWEEP_READS = 2.6
"""Read units that each further namespace adds to a sweep. A sweep reads one hour of a namespace, which is four partitions of the
index `by_time` and one of entries, half a unit each. Once an hour it reads three hours (usecases/upkeep/sweep.py)."""
NAMESPACE_READS = 1
"""Read units of one read of the namespace's settings, which the runs of a worker's batch share (docs/reference/benchmarks.md)."""
SQS_OF_A_BATCH = 3
"""SQS calls for a worker's batch, whose messages are received, hidden and deleted (docs/reference/benchmarks.md, "Calls per
occurrence")."""
RUN_LOG_BYTES = 300
"""Bytes of the worker's log line for an attempt, at the level INFO: 265 with short names."""
BATCH_LOG_BYTES = 380
"""Bytes of a worker's metrics, which are one log line for a batch: 361 for one run of the stack `minutehand`."""
RUN_BYTES = 1_000
"""Stored bytes of a run: its record of up to 700 bytes with a short answer, its entry in the index `by_time`, and the 100 bytes
that DynamoDB adds to each item."""
TICK_LOG_BYTES = 220
"""Bytes of the metrics of a tick that claims runs, which are one log line."""
RUN_METRICS = 7
"""Number of metrics in an hour with runs: `RunsClaimed` of the tick; `Lateness`, `Duration` and `RunsSucceeded` of the worker, each of the
stack and of the type of target."""
END_METRICS = 2
"""Number of metrics more in an hour in which runs fail, or are tried again: of the stack and of the type of target."""
NEXT_OF_A_LONG_DELAY = features.LONG_DELAY._replace(writes=features.LONG_DELAY.writes - features.SELDOM.writes)
"""What a long fixed delay costs besides its advance."""
AWAITED_EXECUTION = features.Feature("waits for the end of an execution of Step Functions", 1, 1)
"""The item that names the attempt for the event of the end: written at each start, and read once (docs/reference/costs.md)."""
TICKS = MONTH.total_seconds() / 60
SWEEPS = MONTH.total_seconds() / 60
LANES, POLLERS, POLL_SECONDS = 2, 5, 20
"""Lambda receives from the queue of each lane with five pollers; each request waits up to 20 s for a message (docs/reference/costs.md)."""
FEWEST_POLLERS = 2
"""Pollers of an idle queue whose lane has no maximum concurrency (`WorkerMaxConcurrency=0`, docs/reference/costs.md)."""
SWEEP_CALLS = 1
"""Calls of SQS of each sweep, which counts the dead letters."""
LONG_ANSWER_BYTES, KEPT_BYTES = 256, 4_096
"""Maximum bytes of an answer that the run's record keeps, and that a separate item of the run keeps (docs/reference/costs.md)."""


@dataclass(frozen=True, kw_only=True)
class Noted:
    """Usage that a job's runs recorded (`record_units`, docs/reference/costs.md), summed over a month. Times are in seconds;
    `stored` is the bytes put into S3."""

    writes: float
    reads: float
    messages: float
    worker_seconds: float
    puts: float
    stored: float


@dataclass(frozen=True, kw_only=True)
class Month:
    """A job's runs in a month, by what started them, and what estimates need to know about them.

    noted: usage that the runs recorded, which replaces the usage computed from features.

    attempts: attempts after the first of a run; late: those of them that start later than a message can be delayed. failed: runs
    that did not succeed. seconds: average duration of a call, or until a late answer. later: whether the targets answer later,
    whatever the definition says. packed: whether the timer is packed; None if only the number of occurrences tells.
    """

    scheduled: float = 0.0
    together: float = 1.0
    children: float = 0.0
    triggered: float = 0.0
    backfilled: float = 0.0
    skipped: float = 0.0
    attempts: float = 0.0
    late: float = 0.0
    failed: float = 0.0
    seconds: float = CALL_SECONDS
    later: bool = False
    packed: bool | None = None
    noted: Noted | None = None

    @property
    def runs(self) -> float:
        """Number of runs that began."""
        return self.scheduled + self.children + self.triggered + self.backfilled


def usage(job: Definition, month: Month, *, share: Share = ALONE, answer: int = 0) -> Usage:
    """The monthly usage of a job. answer: bytes of a target's answer."""
    job = replace(job, later=job.later or month.later)
    if job.runs_left is not None:  # each occurrence is claimed, counted and sent by itself (dispatching/counting.py)
        month, share = replace(month, together=1.0), share._replace(sent=1.0, listed=1.0)
    runs, single = month.runs, month.children + month.triggered + month.backfilled
    batches = month.scheduled * share.worked + single + month.attempts
    writes, reads = _records(job, month, share)
    callbacks = _callback_requests(job, month) * runs
    call = min(month.seconds, CALL_SECONDS) if job.later else month.seconds
    messages = month.skipped + runs * (1 if job.later else 0)
    seconds = (
        batches * call
        + (batches + messages) * BESIDE_CALL_SECONDS
        + (runs + month.attempts + messages) * RUN_SECONDS
        + month.scheduled * (CLAIM_SECONDS + share.waits)
        + callbacks * API_SECONDS
    )
    kept = _kept(job, runs)
    stored = kept * (RUN_BYTES + (min(answer, KEPT_BYTES) if answer > LONG_ANSWER_BYTES else 0)) / GB
    puts, outside = (runs, kept * answer / GB) if answer > KEPT_BYTES else (0.0, 0.0)
    amounts = {
        Unit.DYNAMODB_WRITE: writes + _answer_writes(answer) * runs,
        Unit.DYNAMODB_READ: reads,
        Unit.DYNAMODB_STORAGE: stored,
        Unit.DYNAMODB_RECOVERY: stored,
        Unit.SQS_CALL: month.scheduled * share.sent
        + single
        + month.attempts
        + SQS_OF_A_BATCH * batches
        + (1 + SQS_OF_A_BATCH) * messages,
        Unit.LAMBDA_REQUEST: batches + messages + callbacks,
        Unit.LAMBDA_GB_SECOND: seconds * WORKER_GB,
        Unit.LOGS_INGESTED: ((runs + month.attempts) * RUN_LOG_BYTES + batches * BATCH_LOG_BYTES) / GB,
        Unit.API_REQUEST: 0.0 if job.by_event else callbacks,
        Unit.S3_PUT: puts,
        Unit.S3_STORAGE: outside,
    }
    if month.noted is not None:
        amounts |= _noted(job, month, month.noted, beside=month.scheduled * CLAIM_SECONDS + callbacks * API_SECONDS)
    return Usage({unit: amount for unit, amount in amounts.items() if amount})


def _noted(job: Definition, month: Month, noted: Noted, *, beside: float) -> dict[Unit, float]:
    """Recorded usage, plus what no run records: the sweep's reads, the removal for `retention_count`, and the seconds of other
    functions (`beside`)."""
    trimmed = features.TRIMMED if job.retention_count is not None else None
    return {
        Unit.DYNAMODB_WRITE: noted.writes + (month.runs * trimmed.writes if trimmed else 0),
        Unit.DYNAMODB_READ: noted.reads
        + _looks(month)
        + month.runs * (SWEEP_READS + (trimmed.reads if trimmed else 0)),
        Unit.SQS_CALL: noted.messages,
        Unit.LAMBDA_GB_SECOND: (noted.worker_seconds + beside) * WORKER_GB,
        Unit.S3_PUT: noted.puts,
        Unit.S3_STORAGE: noted.stored / month.runs * _kept(job, month.runs) / GB if month.runs else 0.0,
    }


def _kept(job: Definition, runs: float) -> float:
    """Average number of a job's runs that are stored at a time, if it has `runs` a month."""
    by_age = runs * job.retention / MONTH.total_seconds()
    return by_age if job.retention_count is None else min(by_age, job.retention_count)


def _records(job: Definition, month: Month, share: Share) -> tuple[float, float]:
    """A job's write and read units in a month, without those for its target's answers."""
    packed = _is_packed(month)
    seldom = 0 if packed else features.SELDOM.writes
    claim = features.CLAIM - features.LISTED + features.LISTED * share.listed
    advance = (features.ADVANCE + seldom) / month.together
    plain_reads = features.PLAIN.reads - NAMESPACE_READS + NAMESPACE_READS * share.worked
    writes = month.scheduled * (claim + advance + features.START + features.REPORT)
    reads = month.scheduled * plain_reads + _looks(month)
    writes += month.skipped * (claim + advance + features.SKIP)
    reads += month.skipped * features.SKIPPED.reads
    starts = month.runs + month.attempts  # each start takes the job's lock and slots again, in a transaction
    fixed_delay = job.schedule.delay is not None  # FIXED_DELAY includes the lock of a run's first start
    alone = int(job.slots > 0 and not (job.lock or fixed_delay))  # a slot that is the first permit of its transaction
    # Jitter delays starts evenly, so this share of the runs starts later than a message sent at the claim can be delayed.
    begin_late = max(0.0, 1 - (SOON - CLAIMED_AHEAD) / job.jitter) if job.jitter else 0.0
    made = (
        (month.children, features.CHILD),
        (month.triggered, features.TRIGGERED),
        (month.backfilled, features.BACKFILLED),
        (starts if job.lock else month.attempts if fixed_delay else 0, features.LOCK),
        (starts * alone, features.SLOT),
        (starts * (job.slots - alone), features.SLOT_BESIDES),
        (month.scheduled if fixed_delay else 0, features.FIXED_DELAY),
        (month.scheduled if fixed_delay and not packed else 0, NEXT_OF_A_LONG_DELAY),
        (month.scheduled if job.runs_left is not None else 0, features.MAX_RUNS),
        (starts if job.shares else 0, features.TURNS),
        (starts if job.shares == "fewest" else 0, features.FEWEST),
        (month.runs if job.later else 0, features.ANSWERED_MUCH_LATER if job.long else features.ANSWERED_LATER),
        (starts if job.execution else 0, AWAITED_EXECUTION),
        (month.runs * (_callback_requests(job, month) - 1) if job.later else 0, features.HEARTBEAT),
        (month.scheduled * begin_late if job.runs_left is None else 0, features.LATE_START),
        (month.attempts - month.late, features.RETRY),
        (month.late, features.LATE_RETRY),
        (month.failed, features.FAILED),
        (month.runs if job.retention_count is not None else 0, features.TRIMMED),
    )
    writes += sum(times * feature.writes for times, feature in made)
    reads += sum(times * feature.reads for times, feature in made)
    further = -(-job.size // 4_096) - 1  # each further 4 KB of a definition are one read unit more
    return writes, reads + month.runs * (SWEEP_READS + further) + month.children * CHILD_SWEEP_READS


def _is_packed(month: Month) -> bool:
    """Whether the timer of a job with so many occurrences is packed (domain/packing.py)."""
    if month.packed is not None:
        return month.packed
    return round((month.scheduled + month.skipped) * (WEEK / MONTH)) >= OFTEN


def _looks(month: Month) -> float:
    """Read units with which ticks, and a sixteenth of the sweeps, read a packed timer in a month."""
    return TICKS * features.LOOK_READS * 17 / 16 if _is_packed(month) else 0.0


def _callback_requests(job: Definition, month: Month) -> float:
    """API requests of a run's target: heartbeats and the report."""
    if not job.later:
        return 0.0
    return 1.0 + (month.seconds // job.heartbeat if job.heartbeat else 0)


def _answer_writes(answer: int) -> float:
    if answer > KEPT_BYTES:
        return features.LONG_ANSWER.writes
    return features.ANSWER.writes * -(-answer // 1_024) if answer > LONG_ANSWER_BYTES else 0.0


def metrics(batches: float, failed: float, retried: float = 0.0) -> Usage:
    """The usage of the metrics of runs: with `RunsFailed` if runs fail, and `RunsRetrying` if they are tried again. A metric is
    billed for the hours in which it has values: at most one for each batch, failed run, and attempt after the first. Workers' log lines
    belong to their runs (`usage`); ticks' are here."""
    hours = MONTH.total_seconds() / 3600
    ends = min(1.0, failed / hours) + min(1.0, retried / hours)
    amount = RUN_METRICS * min(1.0, batches / hours) + END_METRICS * ends
    return Usage({Unit.METRIC: amount, Unit.LOGS_INGESTED: min(TICKS, batches) * TICK_LOG_BYTES / GB} if amount else {})


def idle(*, namespaces: int = 1, pollers: int = POLLERS, workers: int = 1) -> Usage:
    """The monthly usage of an idle stack, whatever the number of its jobs. It writes neither metrics nor log lines. pollers: of each lane's queue. workers: 2 with the
    worker `aws`."""
    swept = IDLE_SWEEP_READS + NAMESPACE_SWEEP_READS * max(namespaces - 1, 0)
    return Usage(
        {
            Unit.DYNAMODB_WRITE: TICKS * features.IDLE_TICK_WRITES + SWEEPS * IDLE_SWEEP_WRITES,
            Unit.DYNAMODB_READ: TICKS * features.IDLE_TICK_READS + SWEEPS * swept,
            Unit.SQS_CALL: workers * LANES * pollers * MONTH.total_seconds() / POLL_SECONDS + SWEEPS * SWEEP_CALLS,
            Unit.LAMBDA_REQUEST: TICKS + SWEEPS,
            Unit.LAMBDA_GB_SECOND: (TICKS + SWEEPS) * TICK_SECONDS * WORKER_GB,
            Unit.ALARM: 1.0,
        }
    )
