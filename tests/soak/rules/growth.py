"""No growth of memory or backlog: the last quarter of the samples against the second."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tests.soak import bounds
from tests.soak.evidence import Evidence, Sample
from tests.soak.verdict import Verdict

ENOUGH = 8
"""Samples below which nothing can be said of growth."""


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Judge the emulator, the largest process of each function, the number of processes, and the messages ready for a worker."""
    samples = evidence.samples
    if len(samples) < ENOUGH:
        verdict.check("no growth", "", f"only {len(samples)} samples were taken", holds=False)
        return
    second, last = samples[len(samples) // 4 : len(samples) // 2], samples[-(len(samples) // 4) :]
    stored = bounds.STORED_PER_RUN * (last[-1].calls - second[0].calls)
    _judge(verdict, "the emulator's memory in MB", [one.emulator for one in second], [one.emulator for one in last],
           bounds.EMULATOR_GROWTH + stored)  # fmt: skip
    for function in sorted({name for sample in samples for name in sample.largest}):
        before, after = _sizes(second, function), _sizes(last, function)
        if before and after:
            _judge(verdict, f"memory of {function} in MB", before, after, bounds.WORKER_GROWTH)
    ready = [sample.ready for sample in second]
    _judge(verdict, "messages ready for a worker", ready, [sample.ready for sample in last[-3:]], bounds.BACKLOG)


def _sizes(samples: Sequence[Sample], function: str) -> list[float]:
    return [sample.largest[function] for sample in samples if function in sample.largest]


def _judge(verdict: Verdict, what: str, before: Sequence[float], after: Sequence[float], allowed: float) -> None:
    grown = median(after) - median(before)
    text = f"{what}: {median(before):.0f} in the second quarter, {median(after):.0f} in the last; {allowed:.0f} more are allowed"
    verdict.check("no growth", "", text, holds=grown <= allowed)
    verdict.measure(f"growth, {what}", grown, f"of {median(before):.0f}")
