"""Report of a dispatch: counters and problems."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(kw_only=True)
class DispatchReport:
    """Counters and problems of a dispatch, for logs and metrics.

    Attributes:
        timers: items of the due index that were handled.
        problems: a line for each failure; what failed stays due.
        stopped_early: whether time ran out; what was not handled stays due.
        handed_over: shards that other invocations dispatch.
    """

    timers: int = 0
    claimed: int = 0
    sent: int = 0
    advanced: int = 0
    skipped_ranges: int = 0
    problems: list[str] = field(default_factory=list)
    stopped_early: bool = False
    handed_over: int = 0

    def add(self, other: DispatchReport) -> None:
        """Add the counters and problems of another report."""
        self.timers += other.timers
        self.claimed += other.claimed
        self.sent += other.sent
        self.advanced += other.advanced
        self.skipped_ranges += other.skipped_ranges
        self.problems += other.problems
        self.stopped_early = self.stopped_early or other.stopped_early
        self.handed_over += other.handed_over
