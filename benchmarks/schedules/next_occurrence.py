"""The next occurrence after an instant: whether other libraries agree, and how long each takes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import geometric_mean
from typing import NamedTuple

from benchmarks.schedules import libraries
from benchmarks.schedules.expressions import USUAL, ZONES, UnsupportedError
from benchmarks.table import Cell, Table
from benchmarks.timing import ROUNDS, Contender, durations

INSTANTS = 200
GOALS = {"croniter, made each time": 20.0, "cronsim, next alone": 4.0}
_OURS = "ours"
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_SPAN = timedelta(days=3653)


class Case(NamedTuple):
    """A schedule in a zone: our seconds per answer, and each library's as a multiple; None with a remark where it has none."""

    text: str
    zone: str
    ours: float
    ratios: dict[str, float | None]
    remarks: list[str]


def table() -> Table:
    """All usual schedules in all zones."""
    dice = Random(1)  # noqa: S311 - reproducible instants
    instants = [_FIRST + timedelta(seconds=dice.randrange(int(_SPAN.total_seconds()))) for _ in range(INSTANTS)]
    cases = [_case(one.text, zone, instants) for zone in ZONES for one in USUAL]
    means = {zone: _means([case for case in cases if zone in (case.zone, "both")]) for zone in (*ZONES, "both")}
    rows: list[tuple[Cell, ...]] = [
        (f"`{case.text}`", case.zone, case.ours * 1e6, *case.ratios.values()) for case in cases
    ]
    rows += [("geometric mean", zone, None, *mean.values()) for zone, mean in means.items()]
    reached = [(means["both"][name], least) for name, least in GOALS.items()]
    return Table(
        title="Next occurrence: other libraries' time as a multiple of Minutehand's",
        goal=f"{' and '.join(f'≥ {least:.0f} times {name}' for name, least in GOALS.items())}, by the geometric mean of all rows",
        holds=None
        if any(mean is None for mean, _ in reached)
        else all(mean is not None and mean >= least for mean, least in reached),
        columns=("schedule", "zone", "ours, µs", *libraries.OTHERS),
        rows=tuple(rows),
        notes=(
            f"The next occurrence after each of {INSTANTS} instants in ten years. Medians of {ROUNDS} rounds of processor time, in turn.",
            (
                "Ours is compiled once, as for a timer, and asked in UTC; the others are asked in the schedule's zone. A CronSim "
                "takes its instant when it is made; `next alone` omits that time, as for a caller who steps, and is the harder goal."
            ),
            *(remark for case in cases for remark in case.remarks),
        ),
    )


def difference(instants: Sequence[datetime], ours: Sequence[object], theirs: Sequence[object]) -> str:
    """How often two lists of answers differ, and where first; empty when they agree."""
    differing = [n for n in range(len(instants)) if ours[n] != theirs[n]]
    if not differing:
        return ""
    n = differing[0]
    return f"{len(differing)} of {len(instants)} times, first after {_iso(instants[n])}: {_iso(theirs[n])}, ours is {_iso(ours[n])}"


def _case(text: str, zone: str, instants: Sequence[datetime]) -> Case:
    ours = libraries.minutehand(text, zone, instants)
    answers = _answers(ours)
    contenders, remarks = {_OURS: ours}, []
    for name, make in libraries.OTHERS.items():
        try:
            contender = make(text, zone, instants)
            remark = difference(instants, answers, _answers(contender))
        except Exception as error:  # noqa: BLE001 - a library's failure is reported instead of a number
            reason = str(error) if isinstance(error, UnsupportedError) else f"{type(error).__name__}: {error}"
            remarks.append(f"{name} has no number for `{text}` in {zone}: {reason}.")
            continue
        contenders[name] = contender
        if remark:
            remarks.append(f"{name} differs for `{text}` in {zone}: {remark}.")
    taken = durations(contenders)
    ratios = {name: taken[name] / taken[_OURS] if name in taken else None for name in libraries.OTHERS}
    return Case(text, zone, taken[_OURS], ratios, remarks)


def _answers(contender: Contender) -> list[object]:
    found = [contender.ask(instant) for instant in contender.prepare()]
    return [one.astimezone(UTC) if isinstance(one, datetime) else one for one in found]


def _means(cases: Sequence[Case]) -> dict[str, float | None]:
    """The geometric mean of each library's ratios."""
    known = {name: [r for case in cases if (r := case.ratios[name]) is not None] for name in libraries.OTHERS}
    return {name: geometric_mean(ratios) if ratios else None for name, ratios in known.items()}


def _iso(instant: object) -> str:
    return f"{instant:%Y-%m-%dT%H:%M:%SZ}" if isinstance(instant, datetime) else str(instant)
