"""The independent checker: it knows the declared jobs, the acts and faults, the receiver's log and the API's answers, and no code of the product."""

from __future__ import annotations

from tests.soak.evidence import Evidence
from tests.soak.rules import attempts, growth, occurrences, policies, recovery
from tests.soak.verdict import Verdict

MENDED_BY_TIME = {
    "none lost",
    "nothing active for ever",
    "children run once",
    "backfills complete",
    "triggers run once",
}
"""Rules of which a violation may only mean that the evidence was collected too soon."""


def judge(evidence: Evidence) -> Verdict:
    """Apply every rule."""
    verdict = Verdict()
    for rules in (occurrences, attempts, recovery, policies, growth):
        rules.judge(evidence, verdict)
    return verdict
