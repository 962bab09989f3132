"""The question `memory`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from benchmarks.machine import FUNCTION_ENVIRONMENT
from benchmarks.memory.fake_aws import DueTimers, serving
from benchmarks.table import Cell, Table, not_run
from benchmarks.workload import SHARDS

MOST = 256.0
"""Megabytes of 10^6 bytes, a little less than a Lambda of 256 MB has."""
ROUNDS = 3
TITLE = "Memory of a tick"
# A process that ticks once, as Lambda starts it. It reads the kernel's peak of its resident memory: the one of `getrusage` starts at
# the peak of the parent process.
_PROGRAM = """
import json, re, sys, time
from minutehand.entrypoints.tick import handler
began, seconds = time.monotonic(), float(sys.argv[1])
class Context:
    aws_request_id = "benchmark"
    invoked_function_arn = "arn:aws:lambda:us-east-1:000000000000:function:tick"
    def get_remaining_time_in_millis(self):
        return int((began + seconds - time.monotonic()) * 1000)
answer = handler({}, Context())
with open("/proc/self/status") as status:
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1]) * 1024
print(json.dumps({"answer": answer, "peak": peak, "seconds": time.monotonic() - began}))
"""
_ENVIRONMENT = FUNCTION_ENVIRONMENT | {"DUE_SHARDS": str(SHARDS), "TICK_FAN_OUT": "1"}


LONG = 900.0
"""Seconds: enough for one process to dispatch everything."""
SHORT = 35.0
"""Seconds: the tick stops early, and keeps some of them for what it has begun."""


class Shape(NamedTuple):
    """What is due.

    Attributes:
        every_second: instead of once a day.
        seconds: the time limit of the tick.
    """

    jobs: int
    every_second: bool = False
    seconds: float = LONG

    def due(self, now: datetime) -> DueTimers:
        """The timers, due from the next second or at the next minute; the tick looks two minutes ahead."""
        if self.every_second:
            return DueTimers(self.jobs, "* * * * * *", now + timedelta(seconds=1))
        at = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
        return DueTimers(self.jobs, f"{at.minute} {at.hour} * * *", at)


SHAPES = (Shape(0), Shape(1_000), Shape(10_000), Shape(100_000), Shape(10_000, every_second=True, seconds=SHORT))


class Tick(NamedTuple):
    """A tick in a process of its own: messages sent, peak resident megabytes, seconds."""

    sent: int
    peak: float
    took: float


def tables(shapes: Sequence[Shape] = SHAPES, *, rounds: int = ROUNDS) -> list[Table]:
    """All tables of the question."""
    if sys.platform != "linux":
        return [not_run(TITLE, "the peak of a process's memory is read from /proc, which only Linux has")]
    return [_table({shape: [_measure(shape) for _ in range(rounds)] for shape in shapes})]


def _table(ticked: Mapping[Shape, Sequence[Tick]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    least = max(one.peak for one in next(iter(ticked.values())))
    for shape, ticks in ticked.items():
        largest = max(ticks, key=lambda one: one.peak)
        label = "every second" if shape.every_second else "once a day"
        rows.append((shape.jobs, label, largest.sent, largest.took, largest.peak, largest.peak - least))
    return Table(
        title=TITLE,
        goal=f"≤ {MOST:.0f} MB resident at any time, whatever is due",
        holds=all(one.peak <= MOST for ticks in ticked.values() for one in ticks),
        columns=("due", "schedule", "occurrences sent", "elapsed s", "peak MB", "more than with nothing due"),
        rows=tuple(rows),
        notes=(
            (
                f"The largest of {len(next(iter(ticked.values())))} new processes each, which import the function as Lambda does and tick once without a share for "
                "other invocations. Memory is the kernel's `VmHWM`, interpreter and boto3 included. A megabyte is 10^6 bytes."
            ),
            (
                "A fake DynamoDB and SQS in another process makes the timers page by page, confirms all writes and stores nothing. The elapsed time "
                "includes no network and no store."
            ),
            (
                "Jobs due once a day are due at the same minute, and the tick has no time limit. "
                "Jobs due every second have up to 120 occurrences each in the look-ahead; the tick dispatches "
                f"what it can in {SHORT:.0f} s, and stops."
            ),
        ),
    )


def _measure(shape: Shape) -> Tick:
    """A tick over a shape.

    Raises:
        RuntimeError: when it failed, logged a warning, or left something in spite of its time.
    """
    with serving(shape.due(datetime.now(UTC))) as url:
        command = [sys.executable, "-c", _PROGRAM, str(shape.seconds)]
        environment = _ENVIRONMENT | {"AWS_ENDPOINT_URL": url, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 - this interpreter
    if done.returncode:
        raise RuntimeError(f"the tick failed: {done.stderr.strip().splitlines()[-1]}")
    *log, last = done.stdout.splitlines()
    report, warnings = json.loads(last), [line for line in log if '"level":"WARNING"' in line]
    answer = report["answer"]
    left = shape.seconds == LONG and not answer["timers"] == answer["claimed"] == answer["sent"] == shape.jobs
    if left or warnings:
        raise RuntimeError(f"the tick over {shape} failed: {report}, {warnings[:3]}")
    return Tick(sent=answer["sent"], peak=report["peak"] / 1e6, took=report["seconds"])
