"""A scene whose calls are counted, ticked and worked at by the real use cases."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from benchmarks.meter import Meter, Usage
from benchmarks.scene import LOOK_AHEAD, MINUTE, NINE, SECOND, SHARDS, Scene
from benchmarks.worker import work
from minutehand.usecases.tick import tick

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, kw_only=True)
class Metered:
    """A scene whose clients are watched."""

    scene: Scene
    meter: Meter
    sqs: SQSClient

    def tick(self) -> int:
        """Tick once; how many messages it sent."""
        tally = tick(self.scene.world, shards=SHARDS, time_left=lambda: timedelta(minutes=1))
        if tally.problems or tally.claimed != tally.sent:
            raise RuntimeError(f"the tick did not go as it should: {tally}")
        return tally.sent

    def take(self) -> Usage:
        """What was used since the last time.

        Raises:
            RuntimeError: when a call or a statement failed; nobody competes here, so none may.
        """
        if self.meter.failures:
            raise RuntimeError(f"calls failed: {self.meter.failures[:3]}")
        return self.meter.take()


def worked(metered: Metered, *, occurrences: int, ticks: int) -> list[Usage]:
    """What each of some ticks, a minute apart, and the work that follows it use."""
    usages = []
    for minute in range(ticks):
        metered.scene.clock.now = NINE + minute * MINUTE
        sent = metered.tick()
        if sent != occurrences:
            raise RuntimeError(f"{sent} occurrences were sent instead of {occurrences}")
        metered.scene.clock.now += LOOK_AHEAD + SECOND
        work(metered.scene, metered.sqs, messages=sent)
        usages.append(metered.take())
    return usages
