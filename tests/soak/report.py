"""The soak's result as text."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from tests.soak import bounds
from tests.soak.evidence import Evidence
from tests.soak.verdict import Verdict

MOST_SHOWN = 15
"""Violations of one rule that are printed; the others are counted."""


def report(evidence: Evidence, verdict: Verdict, seed: int) -> str:
    """Tables of what happened, the worst values beside their bounds, each rule's count, and the violations in words."""
    runs = [run for of_job in evidence.runs.values() for run in of_job]
    happened: list[tuple[str, object]] = [
        ("occurrences judged", verdict.judged["none lost"]),
        ("runs, by state", _counts(Counter(run["state"] for run in runs))),
        ("calls received", len(evidence.calls)),
        ("requests of people", _counts(Counter(act.did for act in evidence.acts))),
    ]
    kinds = sorted({fault.kind for fault in evidence.faults})
    for kind in kinds:
        faults = [fault for fault in evidence.faults if fault.kind == kind]
        seconds = sum((fault.end - fault.start).total_seconds() for fault in faults)
        happened.append((kind, f"{len(faults)} times, {seconds:.0f} s, {sum(fault.count for fault in faults)} hit"))
        happened += [(f"{kind}, refused", fault.problem) for fault in faults if fault.problem]
    worst: list[tuple[str, object]] = [
        (name, f"{value:.1f}  {where}") for name, (value, where) in sorted(verdict.worst.items())
    ]
    limits: list[tuple[str, object]] = [
        ("found while the stack lives, s after it was due", bounds.OVERDUE + bounds.FOUND + bounds.SLACK),
        ("found after an outage, s after its end", bounds.RETURN + bounds.SLACK),
    ]
    judged: list[tuple[str, object]] = [*sorted(verdict.judged.items())]
    sections = [
        ("What happened", happened),
        ("Worst values, in seconds or MB", worst),
        ("Memory and queue", _memory(evidence)),
        ("Bounds", limits),
        ("Cases judged by each rule", judged),
    ]
    parts = [f"{title}\n{_table(rows)}" for title, rows in sections]
    return "\n\n".join([*parts, _violations(verdict, seed)])


def _memory(evidence: Evidence) -> list[tuple[str, object]]:
    if not evidence.samples:
        return []
    first, last = evidence.samples[0], evidence.samples[-1]
    functions = sorted({name for sample in evidence.samples for name in sample.largest})
    rows: list[tuple[str, object]] = [("emulator, begin and end", f"{first.emulator:.0f} MB, {last.emulator:.0f} MB")]
    for name in functions:
        sizes = [sample.largest[name] for sample in evidence.samples if name in sample.largest]
        rows.append((name, f"{sizes[0]:.0f} MB, {sizes[-1]:.0f} MB"))
    rows.append(("processes of functions", f"{first.processes}, {last.processes}"))
    rows.append(("messages ready, most and at the end", f"{max(one.ready for one in evidence.samples)}, {last.ready}"))
    return rows


def _violations(verdict: Verdict, seed: int) -> str:
    if not verdict.violations:
        return f"No violation. Seed {seed}."
    lines = [f"{len(verdict.violations)} violations. Seed {seed} plays the same jobs, faults and requests again."]
    ordered = sorted(verdict.violations, key=lambda violation: violation.rule)
    for _, group in groupby(ordered, key=lambda violation: violation.rule):
        found = list(group)
        lines += [f"  {violation}" for violation in found[:MOST_SHOWN]]
        if len(found) > MOST_SHOWN:
            lines.append(f"  {found[0].rule}: {len(found) - MOST_SHOWN} more")
    return "\n".join(lines)


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counter.most_common()) or "none"


def _table(rows: list[tuple[str, object]]) -> str:
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(
        f"  {name:<{width}}  {value:g}" if isinstance(value, float) else f"  {name:<{width}}  {value}"
        for name, value in rows
    )
