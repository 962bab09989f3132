"""What a dispatch did."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(kw_only=True)
class Tally:
    """What a dispatch did, for logs and metrics."""

    timers: int = 0
    claimed: int = 0
    sent: int = 0
    advanced: int = 0
    skipped_ranges: int = 0
    problems: list[str] = field(default_factory=list)
    stopped_early: bool = False
