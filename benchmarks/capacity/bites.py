"""Where each of AWS's limits meets us, and what is to be done: the paper's table of limits."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.capacity import limits, model, money, sweep
from benchmarks.capacity.limits import Limit

_WRITES, _READS = limits.PARTITION_WRITES.value, limits.PARTITION_READS.value
_ADVANCES = _WRITES / model.ADVANCE_IN_INDEX
_BYTES = limits.PARTITION_SIZE.value * 1e9
_ALONE = model.READ_DEFINITION + model.READ_NAMESPACE
_OF_JOBS = model.READ_DEFINITION + model.READ_NAMESPACE / model.BATCH
_CLAIMS = _WRITES / model.CLAIM_IN_INDEX * model.BY_TIME_BUCKETS

WHERE: Mapping[Limit, tuple[str, str]] = {
    limits.PARTITION_WRITES: (
        (
            f"{_ADVANCES:,.0f} advances a second for each shard of `due`, each being {model.ADVANCE_IN_INDEX} units there; {_CLAIMS:,.0f} claims a second for "
            f"each namespace, which has {model.BY_TIME_BUCKETS} partitions of `by_time` an hour"
        ),
        "`DueShards`; more namespaces",
    ),
    limits.PARTITION_READS: (
        (
            f"a namespace's settings are read consistently once a batch: {_READS:,.0f} batches a second for each namespace, which is "
            f"{_READS * model.BATCH * 60 / 1e6:g} M runs a minute in full batches and {_READS * 60 / 1e3:g} k where nothing comes together"
        ),
        "more namespaces",
    ),
    limits.PARTITION_SIZE: (
        (
            f"the list of a namespace with more than {_BYTES / (money.LISTED + money.PER_ITEM) / 1e6:.0f} M jobs; a shard of `due` with more than "
            f"{_BYTES / (money.TIMER + money.PER_ITEM) / 1e6:.0f} M timers"
        ),
        "nothing",
    ),
    limits.NEW_WRITES: (
        (
            f"a new stack claims at most {limits.NEW_WRITES.value:,.0f} and advances {limits.NEW_WRITES.value / model.ADVANCE_IN_INDEX:,.0f} a second, and claims, "
            f"starts and reports {limits.NEW_WRITES.value / model.OF_RUNS * 60 / 1e3:g} k a minute"
        ),
        "raise the warm throughput before the first hot minute",
    ),
    limits.NEW_READS: (
        (
            f"a worker reads {_OF_JOBS:g} units a run of Jobs in full batches, {_ALONE} where nothing comes together: "
            f"{limits.NEW_READS.value / _OF_JOBS * 60 / 1e3:,.0f} k and {limits.NEW_READS.value / _ALONE * 60 / 1e3:,.0f} k a minute"
        ),
        f"the same, from some {limits.NEW_READS.value / _ALONE * 60 / 1e3:,.0f} k a minute on",
    ),
    limits.GROWTH: (
        "a load that more than doubles within half an hour may be throttled until the table has grown",
        "the same",
    ),
    limits.TABLE_WRITES: (
        (
            f"Runs takes {model.OF_RUNS} units a run, and so {limits.TABLE_WRITES.value / model.OF_RUNS * 60 / 1e3:,.0f} k a minute; `due` "
            f"{limits.TABLE_WRITES.value / model.ADVANCE_IN_INDEX:,.0f} advances a second"
        ),
        "ask for more from some 500 k a minute on",
    ),
    limits.TABLE_READS: (
        (
            f"Runs: one unit a run by its worker, and {sweep.read():,.0f} units a second at most by the sweep, which has no time for more; Jobs: "
            f"{limits.TABLE_READS.value / _OF_JOBS * 60 / 1e6:.1f} M runs a minute in full batches, {limits.TABLE_READS.value / _ALONE * 60 / 1e6:.1f} M where "
            "nothing comes together"
        ),
        f"ask for more from some {limits.TABLE_READS.value / _ALONE * 60 / 1e6:.1f} M a minute on",
    ),
    limits.STATEMENTS: ("two calls for each group of 50 timers, to claim and to advance", "nothing"),
    limits.MESSAGES: ("five calls for each group; a worker has ten runs in hand", "nothing"),
    limits.IN_FLIGHT: (
        (
            "messages in workers' hands, and runs that wait hidden: with calls of *d* seconds, "
            f"{limits.IN_FLIGHT.value / 1e3:g} k ÷ *d* runs begin a second"
        ),
        "ask for more where calls take minutes",
    ),
    limits.DELAY: (
        "`LookAheadSeconds` is at most 900; what is due later than 13 minutes ahead is a timer instead",
        "nothing",
    ),
    limits.POLLERS_AT_REST: (
        f"the first second of a hot minute: {limits.POLLERS_AT_REST.value * model.BATCH:g} runs at once",
        "`jitter` of the jobs; `WorkerPollers`",
    ),
    limits.POLLERS_GROWTH: ("the rest of a hot minute: 5 more batches each second, 50 runs side by side", "the same"),
    limits.POLLERS_MOST: (
        "1,250 batches at once; the template allows `WorkerMaxConcurrency` 1,000",
        "`WorkerPollers`",
    ),
    limits.PROVISIONED_BATCHES: (
        f"`WorkerPollers` {money.X} {limits.PROVISIONED_BATCHES.value:g} batches at once: 1,000 of a hundred pollers",
        "`WorkerPollers`",
    ),
    limits.PROVISIONED_POLLS: (
        (
            f"`WorkerPollers` {money.X} {limits.PROVISIONED_POLLS.value * model.BATCH:g} runs a second, in full batches: 10,000 of a hundred pollers, "
            "whatever their workers could do"
        ),
        "`WorkerPollers`",
    ),
    limits.PROVISIONED_GROWTH: ("not used: the template has as many pollers at the least as at the most", ""),
    limits.CONCURRENCY: (
        "workers, ticks, the API and all else of the account together; new accounts have less",
        "ask for `WorkerMaxConcurrency` + `TickFanOut` + what the rest needs; `TickReservedConcurrency`",
    ),
    limits.CONCURRENCY_GROWTH: (
        "only with `WorkerPollers`: 100 new environments a second, so that a thousand are there ten seconds after a rest",
        "nothing",
    ),
    limits.FULL_CPU: (
        (
            f"a tick of 512 MB has 0.29 of a processor and dispatches {512 / limits.FULL_CPU.value / model.TICK_CPU:,.0f} a second; more than 1,769 MB "
            "are of no use, since one interpreter uses one processor"
        ),
        "`TickMemory`, `WorkerMemory`; `TickFanOut`",
    ),
    limits.FUNCTION_TIME: (
        (
            f"a tick has {model.TICK_TIME:g} s, and begins nothing in its last {model.TICK_RESERVE:g}. The sweep has 300: with 512 MB it looks at "
            f"{sweep.swept() / 1e3:.0f} k runs a minute; should one beyond them be stuck, its message comes back after the queue's 90 minutes"
        ),
        "nothing, for runs that go well",
    ),
    limits.API_RATE: ("saving jobs: `ApiRateLimit` is 50 unless told otherwise", "`ApiRateLimit`"),
    limits.LOG_CALLS: (
        "Lambda's own shipping of log lines; a worker writes one a run and its metrics. How Lambda batches them is not published",
        "`WorkerLogLevel: WARNING` from some 100 k a minute on",
    ),
}


def of(limit: Limit) -> tuple[str, str]:
    """Where it bites, and what to do."""
    return WHERE[limit]
