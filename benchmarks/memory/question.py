"""The tick's memory, with as much due as there may be at midnight."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from benchmarks.charts.chart import Chart
from benchmarks.environment import FUNCTION
from benchmarks.memory.service import Due, serving
from benchmarks.scene import SHARDS
from benchmarks.table import Cell, Table, not_run

MOST = 256.0
"""Megabytes: 10^6 bytes, so a little less than what a Lambda of 256 MB has."""
ROUNDS = 3
TITLE = "Memory of a tick"
_CHART = Chart(
    name="memory",
    kind="bars",
    over=("due", "schedule"),
    values=("peak MB",),
    x="jobs due at once, schedule",
    y="most memory that was resident, MB",
    limit=MOST,
)
# A process as Lambda starts it, that ticks once. The kernel's own mark of this program's most resident memory is read: what `getrusage`
# tells begins at what the process that started this one had.
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
with open("/proc/self/status") as told:
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", told.read())[1]) * 1024
print(json.dumps({"answer": answer, "peak": peak, "seconds": time.monotonic() - began}))
"""
_ENVIRONMENT = FUNCTION | {"DUE_SHARDS": str(SHARDS), "TICK_FAN_OUT": "1"}


LONG = 900.0
"""Seconds: as long as it takes, so that all that is due passes through one process."""
SHORT = 35.0
"""Seconds: of a tick that is to stop early. It keeps some of them for what is under way."""


class Shape(NamedTuple):
    """What is due.

    Attributes:
        often: whether every second, and not once a day.
        seconds: how long the tick may take.
    """

    jobs: int
    often: bool = False
    seconds: float = LONG

    def due(self, now: datetime) -> Due:
        """The timers, due from the next second on or at the next minute: the tick's look-ahead reaches two minutes."""
        if self.often:
            return Due(self.jobs, "* * * * * *", now + timedelta(seconds=1))
        at = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
        return Due(self.jobs, f"{at.minute} {at.hour} * * *", at)


SHAPES = (Shape(0), Shape(1_000), Shape(10_000), Shape(100_000), Shape(10_000, often=True, seconds=SHORT))


class Ticked(NamedTuple):
    """A tick in a process of its own.

    Attributes:
        sent: messages.
        peak: megabytes that were resident at most.
        took: seconds.
    """

    sent: int
    peak: float
    took: float


def tables() -> list[Table]:
    """Measure."""
    if sys.platform != "linux":
        return [not_run(TITLE, "the most memory that a process had is read from /proc, which Linux alone has.")]
    ticked = {shape: [measure(shape) for _ in range(ROUNDS)] for shape in SHAPES}
    return [table(ticked)]


def table(ticked: Mapping[Shape, Sequence[Ticked]]) -> Table:
    """The table of these ticks."""
    rows: list[tuple[Cell, ...]] = []
    least = max(one.peak for one in next(iter(ticked.values())))
    for shape, ticks in ticked.items():
        largest = max(ticks, key=lambda one: one.peak)
        label = "every second" if shape.often else "once a day"
        rows.append((shape.jobs, label, largest.sent, largest.took, largest.peak, largest.peak - least))
    return Table(
        title=TITLE,
        goal=f"≤ {MOST:.0f} MB resident at any time, whatever is due",
        holds=all(one.peak <= MOST for ticks in ticked.values() for one in ticks),
        columns=("due", "schedule", "occurrences sent", "elapsed s", "peak MB", "more than with nothing due"),
        rows=tuple(rows),
        notes=(
            (
                f"The largest of {len(next(iter(ticked.values())))} fresh processes each, that import the function as Lambda does and let it tick once, all by itself: nothing is shared with further "
                "invocations. Read from the kernel (`VmHWM`): the interpreter, boto3 and all else is in it. A megabyte is 10^6 bytes."
            ),
            (
                "DynamoDB and SQS are a stand-in in another process that speaks their protocol: it makes due timers page by page, says that all writes went well and keeps nothing. The time is "
                "for information: what a network and a store take is not in it."
            ),
            (
                f"Once a day: all at the same minute, and the tick has as long as it takes. Every second: up to 120 occurrences of each job in the look-ahead, of which a tick that is given "
                f"{SHORT:.0f} s dispatches what it can, and stops."
            ),
        ),
        chart=_CHART,
    )


def measure(shape: Shape) -> Ticked:
    """Tick once over what is due in a shape.

    Raises:
        RuntimeError: when the process failed, met a problem, or left something although it had the time.
    """
    with serving(shape.due(datetime.now(UTC))) as url:
        command = [sys.executable, "-c", _PROGRAM, str(shape.seconds)]
        environment = _ENVIRONMENT | {"AWS_ENDPOINT_URL": url, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 - this interpreter
    if done.returncode:
        raise RuntimeError(f"the tick failed: {done.stderr.strip().splitlines()[-1]}")
    *log, last = done.stdout.splitlines()
    told, problems = json.loads(last), [line for line in log if '"level":"WARNING"' in line]
    answer = told["answer"]
    left = shape.seconds == LONG and not answer["timers"] == answer["claimed"] == answer["sent"] == shape.jobs
    if left or problems:
        raise RuntimeError(f"the tick over {shape} did not go as it should: {told}, {problems[:3]}")
    return Ticked(sent=answer["sent"], peak=told["peak"] / 1e6, took=told["seconds"])
