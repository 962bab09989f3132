"""The effect of each of AWS's limits on a stack, and what to do about it: a table of the capacity page."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.capacity import limits, model, monthly_cost, sweep
from benchmarks.capacity.limits import Limit
from benchmarks.capacity.monthly_cost import X
from benchmarks.capacity.settings import Settings
from minutehand.domain.quota import REACH, SPREAD

_COUNTED = 2
"""Write units of the number of jobs, in the transaction of a save."""
_WRITES, _READS = limits.PARTITION_WRITES.value, limits.PARTITION_READS.value
_INDEXED = _WRITES / model.ADVANCE_IN_INDEX
_LOOKED_AT = model.LOOKS * model.TICK_SHARE / model.BUCKETS
_PACKED_READS = model.READ_PACKED / (Settings().look_time * model.THREADS)
_BYTES = limits.PARTITION_SIZE.value * 1e9
_READ_ALONE = model.READ_DEFINITION + model.READ_NAMESPACE + model.READ_PACKED
_READ_IN_BATCH = model.READ_DEFINITION + model.READ_NAMESPACE / model.BATCH + model.READ_PACKED
_CLAIMS = _WRITES / model.ENTRY
_NEW_ALONE = f"{limits.NEW_READS.value / _READ_ALONE * 60 / 1e3:,.0f} k"
_TABLE_ALONE = f"{limits.TABLE_READS.value / _READ_ALONE * 60 / 1e6:.1f} M"

EFFECTS: Mapping[Limit, tuple[str, str]] = {
    limits.PARTITION_WRITES: (
        (
            f"{_WRITES / model.ADVANCE:,.0f} advances a second for each of {model.BUCKETS} buckets of packed timers, {_INDEXED:,.0f} for each shard of `due` "
            f"({model.ADVANCE_IN_INDEX} units each); {_CLAIMS:,.0f} claims a second for each namespace (one partition of entries an hour, {model.NAMED} names each). Under a "
            f"quota of runs a minute each run writes its namespace's counter, {_WRITES * 60:,.0f} runs a minute; those that find no place write it again "
            f"every {REACH} minutes, within {SPREAD} seconds: {_WRITES * SPREAD:,.0f} waiting runs. Under a quota of jobs each new job writes another counter: "
            f"{_WRITES / _COUNTED:,.0f} a second for each namespace"
        ),
        "`DueShards` for jobs due less than every three hours; more namespaces; another stack",
    ),
    limits.PARTITION_READS: (
        (
            f"each batch reads its namespace's settings consistently: {_READS:,.0f} batches a second for each namespace, "
            f"{_READS * model.BATCH * 60 / 1e6:g} M runs a minute in full batches, {_READS * 60 / 1e3:g} k in batches of one; a tick reads "
            f"{model.THREADS} buckets at a time, each at some {_PACKED_READS:,.0f} units a second"
        ),
        "more namespaces",
    ),
    limits.PARTITION_SIZE: (
        (
            "DynamoDB splits the list of a namespace with more than "
            f"{_BYTES / (monthly_cost.LISTED + monthly_cost.PER_ITEM) / 1e6:.0f} M jobs, and a shard of `due` with more than "
            f"{_BYTES / (monthly_cost.TIMER + monthly_cost.PER_ITEM) / 1e6:.0f} M timers"
        ),
        "nothing",
    ),
    limits.NEW_WRITES: (
        (
            f"a new stack claims at most {limits.NEW_WRITES.value / (model.CLAIM + model.ENTRY):,.0f} and advances {limits.NEW_WRITES.value / model.ADVANCE:,.0f} a second, or {limits.NEW_WRITES.value / model.ADVANCE_IN_INDEX:,.0f} in the index; it claims, "
            f"starts and reports {limits.NEW_WRITES.value / model.OF_RUNS * 60 / 1e3:.0f} k runs a minute"
        ),
        "raise the warm throughput before the first busy minute",
    ),
    limits.NEW_READS: (
        (
            f"{_READ_IN_BATCH:.3g} units of Jobs a run in full batches, {_READ_ALONE:.3g} in batches of one, by its worker and its tick: "
            f"{limits.NEW_READS.value / _READ_IN_BATCH * 60 / 1e3:,.0f} k and {_NEW_ALONE} runs a minute"
        ),
        f"the same, from some {_NEW_ALONE} a minute on",
    ),
    limits.GROWTH: (
        "a load that more than doubles within half an hour may be throttled until the table has grown",
        "the same",
    ),
    limits.TABLE_WRITES: (
        (
            f"{model.OF_RUNS:.3g} units of Runs a run: {limits.TABLE_WRITES.value / model.OF_RUNS * 60 / 1e3:,.0f} k runs a minute; Jobs: "
            f"{limits.TABLE_WRITES.value / model.ADVANCE:,.0f} advances a second"
        ),
        "raise the quota from some 600 k a minute on",
    ),
    limits.TABLE_READS: (
        (
            f"Runs: one unit a run by its worker, and up to {sweep.read():,.0f} units a second by the sweep; Jobs: "
            f"{limits.TABLE_READS.value / _READ_IN_BATCH * 60 / 1e6:.1f} M runs a minute in full batches, {_TABLE_ALONE} in batches of one"
        ),
        f"raise the quota from some {_TABLE_ALONE} a minute on",
    ),
    limits.QUERY_SIZE: (
        (
            f"a tick reads a bucket in which few timers are due by queries of {_LOOKED_AT:,.0f} timers, {_LOOKED_AT * model.PACKED_BYTES / 2**20:.1f} MB"
        ),
        "nothing",
    ),
    limits.STATEMENTS: ("a tick claims a group of 50 timers by three calls, and advances it by two", "nothing"),
    limits.MESSAGES: ("a tick sends a group by five calls; a worker's batch has ten runs", "nothing"),
    limits.IN_FLIGHT: (
        (
            "messages that workers handle, and hidden ones of runs that wait: with calls of *d* seconds, "
            f"{limits.IN_FLIGHT.value / 1e3:g} k ÷ *d* runs start a second"
        ),
        "raise the quota where calls take minutes",
    ),
    limits.DELAY: (
        "`LookAheadSeconds` is at most 900; a retry or start more than 13 minutes ahead is a timer instead",
        "nothing",
    ),
    limits.POLLERS_AT_REST: (
        f"{limits.POLLERS_AT_REST.value * model.BATCH:g} concurrent runs in the first second of a busy minute",
        "`jitter` of the jobs; `WorkerPollers`",
    ),
    limits.POLLERS_GROWTH: ("5 more batches, or 50 concurrent runs, each further second of a busy minute", "the same"),
    limits.POLLERS_MOST: (
        "1,250 concurrent batches; the template allows `WorkerMaxConcurrency` 1,000",
        "`WorkerPollers`",
    ),
    limits.PROVISIONED_BATCHES: (
        f"`WorkerPollers` {X} {limits.PROVISIONED_BATCHES.value:g} concurrent batches: 1,000 with a hundred pollers",
        "`WorkerPollers`",
    ),
    limits.PROVISIONED_POLLS: (
        (
            f"`WorkerPollers` {X} {limits.PROVISIONED_POLLS.value * model.BATCH:g} runs a second in full batches: 10,000 with a hundred pollers, "
            "however fast the workers are"
        ),
        "`WorkerPollers`",
    ),
    limits.PROVISIONED_GROWTH: ("none: the template sets the same minimum and maximum of pollers", ""),
    limits.CONCURRENCY: (
        "workers, ticks, the API and all else in the account share these; new accounts have less",
        "raise it to `WorkerMaxConcurrency` + `SlowWorkerMaxConcurrency` + `TickFanOut` + what else runs; `TickReservedConcurrency`",
    ),
    limits.CONCURRENCY_GROWTH: (
        "only with `WorkerPollers`: 100 new environments a second, a thousand ten seconds after a rest",
        "nothing",
    ),
    limits.FULL_CPU: (
        (
            f"a tick of 512 MB has 0.29 of a processor and dispatches {Settings().tick_pace:,.0f} a second; memory beyond 1,769 MB "
            "is useless, because one interpreter uses one processor"
        ),
        "`TickMemory`, `WorkerMemory`; `TickFanOut`",
    ),
    limits.FUNCTION_TIME: (
        (
            f"a tick has {model.TICK_TIME:g} s and starts nothing in its last {model.TICK_RESERVE:g}. The sweep has 40 s: with 512 MB it checks "
            f"{sweep.swept() / 1e3:.0f} k runs a minute; the message of a stuck run beyond them returns after the queue's 90 minutes"
        ),
        "nothing, if runs succeed",
    ),
    limits.API_RATE: ("bounds the saving of jobs; the default of `ApiRateLimit` is 50", "`ApiRateLimit`"),
    limits.LOG_CALLS: (
        "Lambda ships log lines; a worker writes one a run, and its metrics. AWS does not publish how Lambda batches them",
        "`WorkerLogLevel: WARNING` from some 100 k a minute on",
    ),
}
