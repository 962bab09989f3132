"""What comes next after an instant, by ours and by other libraries: first whether the answers agree, then the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import geometric_mean
from typing import NamedTuple

from benchmarks import peers
from benchmarks.expressions import USUAL, ZONES, CannotError
from benchmarks.rounds import ROUNDS, Contender, durations
from benchmarks.table import Cell, Table

INSTANTS = 200
GOALS = {"croniter, made each time": 20.0, "cronsim, next alone": 4.0}
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_SPAN = timedelta(days=3653)

Maker = Callable[[str, str, Sequence[datetime]], Contender]


class Case(NamedTuple):
    """A schedule in a zone: seconds for each answer of ours, and by library the ratio to that; None with a reason where it has none."""

    text: str
    zone: str
    ours: float
    ratios: dict[str, float | None]
    remarks: list[str]


def instants(number: int = INSTANTS, *, seed: int = 1) -> list[datetime]:
    """Whole seconds of ten years, the same for the same seed."""
    dice = Random(seed)  # noqa: S311 - instants, not secrets
    return [_FIRST + timedelta(seconds=dice.randrange(int(_SPAN.total_seconds()))) for _ in range(number)]


def table() -> Table:
    """Every usual schedule in every zone."""
    asked = instants()
    cases = [compared(one.text, zone, asked, peers.PEERS) for zone in ZONES for one in USUAL]
    means = {zone: _means([case for case in cases if zone in (case.zone, "both")]) for zone in (*ZONES, "both")}
    rows: list[tuple[Cell, ...]] = [
        (f"`{case.text}`", case.zone, case.ours * 1e6, *(case.ratios[name] for name in peers.PEERS)) for case in cases
    ]
    rows += [("geometric mean", zone, None, *(means[zone][name] for name in peers.PEERS)) for zone in means]
    reached = [(means["both"][name], least) for name, least in GOALS.items()]
    return Table(
        title="What comes next: time of other libraries, as a multiple of ours",
        goal=f"{' and '.join(f'≥ {least:.0f} times {name}' for name, least in GOALS.items())}, by the geometric mean of all rows",
        holds=None
        if any(mean is None for mean, _ in reached)
        else all(mean is not None and mean >= least for mean, least in reached),
        columns=("schedule", "zone", "ours, µs", *peers.PEERS),
        rows=tuple(rows),
        notes=(
            (
                f"The first instant after each of {len(asked)}, drawn from ten years, the same for all. Medians of {ROUNDS} rounds of processor time, in which "
                "each has its turn."
            ),
            (
                "Ours is compiled once, as a timer has it, and asked in UTC; the others are asked in the schedule's zone, as they want it. A CronSim "
                "begins at the instant that it is made with; `next alone` leaves out the making, as for a caller who steps, and is the harder goal."
            ),
            *(remark for case in cases for remark in case.remarks),
        ),
    )


def compared(text: str, zone: str, asked: Sequence[datetime], makers: Mapping[str, Maker]) -> Case:
    """One schedule. A library that cannot say it, or fails on it, has no ratio; one that answers otherwise is named."""
    ours = peers.ours(text, zone, asked)
    answers = _answers(ours)
    contenders, remarks = {peers.OURS: ours}, []
    for name, make in makers.items():
        try:
            contender = make(text, zone, asked)
            remark = difference(asked, answers, _answers(contender))
        except Exception as trouble:  # noqa: BLE001 - whatever a library makes of it is told in place of a figure
            told = str(trouble) if isinstance(trouble, CannotError) else f"{type(trouble).__name__}: {trouble}"
            remarks.append(f"{name} has no figure for `{text}` in {zone}: {told}.")
            continue
        contenders[name] = contender
        if remark:
            remarks.append(f"{name} answers `{text}` in {zone} otherwise {remark}.")
    taken = durations(contenders)
    mine = taken[peers.OURS]
    return Case(text, zone, mine, {name: taken[name] / mine if name in taken else None for name in makers}, remarks)


def difference(asked: Sequence[datetime], ours: Sequence[object], theirs: Sequence[object]) -> str:
    """How often two lists of answers differ, and where first; empty when they agree."""
    differing = [n for n in range(len(asked)) if ours[n] != theirs[n]]
    if not differing:
        return ""
    n = differing[0]
    return f"{len(differing)} times in {len(asked)}, first after {_show(asked[n])}: {_show(theirs[n])}, where ours is {_show(ours[n])}"


def _answers(contender: Contender) -> list[object]:
    found = [contender.ask(question) for question in contender.prepare()]
    return [one.astimezone(UTC) if isinstance(one, datetime) else one for one in found]


def _means(cases: Sequence[Case]) -> dict[str, float | None]:
    """By library, the geometric mean of the ratios that there are."""
    known = {name: [r for case in cases if (r := case.ratios[name]) is not None] for name in peers.PEERS}
    return {name: geometric_mean(ratios) if ratios else None for name, ratios in known.items()}


def _show(instant: object) -> str:
    return f"{instant:%Y-%m-%dT%H:%M:%SZ}" if isinstance(instant, datetime) else str(instant)
