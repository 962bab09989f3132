"""What the checker has found: violations in words, how often each rule was asked, and the worst values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Violation:
    """A promise that was not kept."""

    rule: str
    job: str
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.job}: {self.text}" if self.job else f"{self.rule}: {self.text}"


@dataclass
class Verdict:
    """The result, filled in by the rules.

    Attributes:
        judged: how many cases each rule has judged.
        worst: the largest value of each measure, and where it was.
    """

    judged: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    worst: dict[str, tuple[float, str]] = field(default_factory=dict)

    def check(self, rule: str, job: str, text: str, *, holds: bool) -> None:
        """Count a case of a rule, and note a violation unless it holds."""
        self.judged[rule] += 1
        if not holds:
            self.violations.append(Violation(rule, job, text))

    def measure(self, name: str, value: float, where: str) -> None:
        """Keep the largest value of a measure."""
        if name not in self.worst or value > self.worst[name][0]:
            self.worst[name] = (value, where)
