"""The generated parts of `docs/reference/scale.md`, between markers in its prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.capacity import limits, model, monthly_cost
from benchmarks.capacity.ceilings import Ceiling, ceilings, lowest, to_the_second
from benchmarks.capacity.limit_effects import EFFECTS
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.stages import STAGES, STORED
from benchmarks.table import Table, show

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "scale.md"
_BLOCK = re.compile(r"(?P<begin><!-- made: (?P<name>[a-z-]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)

_DEFAULTS = Settings()
_SIMULATED = {
    "stages": "the settings of the capacity page",
    "doubts": "other assumptions",
    "shares": "lateness by `TickShare`",
}


def write(tables: Iterable[Table], *, page: Path = PAGE) -> None:
    """Write all parts; those of the simulation come from its tables."""
    page.write_text(filled(page.read_text(encoding="utf-8"), parts() | simulated(tables)), encoding="utf-8")


def filled(text: str, made: Mapping[str, str]) -> str:
    """The page with these parts in their places.

    Raises:
        ValueError: when it lacks a place.
    """
    places = {found["name"] for found in _BLOCK.finditer(text)}
    if missing := made.keys() - places:
        raise ValueError(
            f"the page has no place for {', '.join(sorted(missing))}: a line <!-- made: NAME --> and a line <!-- end -->"
        )
    return _BLOCK.sub(
        lambda found: found["begin"] + made[found["name"]] + found["end"] if found["name"] in made else found[0], text
    )


def parts() -> dict[str, str]:
    """The parts that arithmetic makes."""
    return {
        "units": _units(),
        "settings": _settings(),
        "ceilings": _ceilings(),
        "limits": _limits(),
        "cost": _cost(),
        "stored": _stored(),
        "assumed": _assumed(),
    }


def simulated(tables: Iterable[Table]) -> dict[str, str]:
    """The parts that the given tables of the simulation make."""
    found = {}
    for table in tables:
        for name, title in _SIMULATED.items():
            if title in table.title:
                found[name] = _table(table.columns, [[show(cell) for cell in row] for row in table.rows])
    return found


def _units() -> str:
    where = (
        ("claim", "Runs", "the job's hash", model.CLAIM),
        ("", "Runs, an entry", "namespace and hour", model.ENTRY),
        ("advance", "Jobs", "the bucket of its timer", model.ADVANCE),
        ("start", "Runs", "the job's hash", model.START),
        ("report", "Runs", "the job's hash", model.REPORT),
        ("**sum**", "", "", model.WRITTEN),
    )
    rows = [(step, table, key, f"{units:.3g}") for step, table, key, units in where]
    return _table(("step", "table or index", "partition", "write units"), rows)


def _settings() -> str:
    """The settings that a stage changes; those that differ from the default are bold."""
    names = {
        "`TickFanOut`": "tick_fan_out",
        "`TickMemory`, MB": "tick_memory",
        "`WorkerMaxConcurrency`": "worker_concurrency",
        "warm throughput: Jobs, WCU/s": "jobs",
        "warm throughput: Runs, WCU/s": "runs",
    }
    rows = [
        (label, *(_value(getattr(stage.settings, name), getattr(_DEFAULTS, name)) for stage in STAGES))
        for label, name in names.items()
    ]
    return _table(("", *(stage.name for stage in STAGES)), rows)


def _value(value: int, default: int) -> str:
    return f"{value:,}" if value == default else f"**{value:,}**"


def _ceilings() -> str:
    of = [_with_seconds(stage.settings) for stage in STAGES]
    lowest_limits = [lowest(stage.settings).what for stage in STAGES]
    rows = []
    for lines in zip(*of, strict=True):
        numbers = [
            _thousands(one.occurrences, bold=one.what == what) for one, what in zip(lines, lowest_limits, strict=True)
        ]
        rows.append((lines[0].what, *numbers, lines[0].raised_by))
    return _table(("occurrences a minute, at most", *(stage.name for stage in STAGES), "raised by"), rows)


def _with_seconds(settings: Settings) -> list[Ceiling]:
    """All ceilings, with the one of schedules to the second after that of concurrent batches."""
    found = ceilings(settings)
    after = next(n for n, one in enumerate(found) if one.what == "concurrent batches") + 1
    return [*found[:after], to_the_second(settings), *found[after:]]


def _thousands(occurrences: float, *, bold: bool) -> str:
    text = f"{occurrences / 1e3:,.0f} k"
    return f"**{text}**" if bold else text


def _limits() -> str:
    rows = []
    sources = list(dict.fromkeys(limit.source for limit in limits.ALL))
    for limit in limits.ALL:
        where, do = EFFECTS[limit]
        raised = f" ({limit.raised})" if limit.raised and limit.raised not in do else ""
        rows.append(
            (
                limit.name,
                f"{limit.value:,.0f} {limit.unit}",
                str(sources.index(limit.source) + 1),
                where,
                (do or "-") + raised,
            )
        )
    listed = "".join(f"{number}. {source}\n" for number, source in enumerate(sources, 1))
    return f"{_table(('limit', 'value', 'source', 'effect here', 'what to do'), rows)}\nSources:\n\n{listed}"


def _cost() -> str:
    of = [monthly_cost.month(stage.settings, stage.each_minute) for stage in STAGES]
    rows = [
        (lines[0].what, *(f"{one.dollars:,.0f}" for one in lines), lines[-1].arithmetic)
        for lines in zip(*of, strict=True)
    ]
    totals = [sum(one.dollars for one in lines) for lines in of]
    rows.append(
        (
            "**sum**",
            *(f"**{total:,.0f}**" for total in totals),
            f"${totals[-1] / (STAGES[-1].each_minute * monthly_cost.MINUTES) * 1e6:.2f} a million runs",
        )
    )
    return _table(("$ a month", *(stage.name for stage in STAGES), f"arithmetic, for {STAGES[-1].name}"), rows)


def _stored() -> str:
    rows = [(one.what, f"{one.dollars:,.0f}", one.arithmetic) for one in monthly_cost.stored(STORED)]
    return _table((f"{STORED / 1e6:,.0f} M jobs", "$", "arithmetic"), rows)


def _assumed() -> str:
    ms = 1e3
    rows = (
        ("measured", "processor time of the tick", f"{model.TICK_CPU * ms:g} ms an occurrence"),
        ("measured", "processor time of a worker", f"{model.WORKER_CPU * ms:g} ms a run"),
        ("measured", "processor time of the sweep", f"{model.SWEEP_CPU * ms:g} ms for each run it checks"),
        (
            "assumed",
            "DynamoDB: a query of a few timers; a batch of 25 statements; one item. SQS: a batch of ten messages",
            f"{model.QUERY * ms:g}, {model.STATEMENT_BATCH * ms:g}, {model.ITEM * ms:g}, {model.SEND * ms:g} ms",
        ),
        ("assumed", "DynamoDB: more for each MB that a query of packed timers reads", f"{model.READING * ms:g} ms"),
        (
            "assumed",
            "distribution of the other latencies",
            f"lognormal about these medians, sigma {model.SPREAD:g}: the 99th percentile is 3.2 times as much",
        ),
        (
            "assumed",
            "from when a message is visible until a worker has it",
            f"{model.DELIVERY * ms:g} ms, after up to {model.ROUNDING:g} s for delays in whole seconds",
        ),
        (
            "assumed",
            "a new environment of a function; a tick's call of another tick",
            f"{model.COLD_START:g} s; {model.HANDING_OVER * ms:g} ms more",
        ),
        ("assumed", "Lambda's SQS pollers that find nothing stop after", f"{model.POLLERS_KEPT:g} s"),
        ("assumed", "a target's answer", f"{model.CALL * ms:g} ms"),
    )
    return _table(("", "what", "value"), rows)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
