"""The parts of `docs/scale.md` that are made: between markers, so that the prose around them is left alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.capacity import bites, limits, model, money
from benchmarks.capacity.ceilings import Ceiling, ceilings, first, to_the_second
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.stages import STAGES, STORED
from benchmarks.table import Table, show

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
_BLOCK = re.compile(r"(?P<begin><!-- made: (?P<name>[a-z-]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)

_DEFAULTS = Settings()
_SIMULATED = {
    "stages": "the settings of the paper",
    "doubts": "where something is otherwise",
    "shares": "lateness by `TickShare`",
}


def write(tables: Iterable[Table], *, page: Path = PAGE) -> None:
    """Make all parts anew; those of the simulation from its tables."""
    page.write_text(filled(page.read_text(encoding="utf-8"), parts() | simulated(tables)), encoding="utf-8")


def filled(text: str, made: Mapping[str, str]) -> str:
    """The page with these parts in their places.

    Raises:
        ValueError: when the page has no place for one of them.
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
    """What arithmetic alone makes."""
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
    """What the simulation's tables make, as far as they are given."""
    made = {}
    for table in tables:
        for name, title in _SIMULATED.items():
            if title in table.title:
                made[name] = _table(table.columns, [[show(cell) for cell in row] for row in table.rows])
    return made


def _units() -> str:
    where = (
        ("claim", "Runs", "the job's hash", model.CLAIM),
        ("", "index `by_time`", f"namespace, hour and one of {model.BY_TIME_BUCKETS}", model.CLAIM_IN_INDEX),
        ("advance", "Jobs", "the job's hash", model.ADVANCE),
        ("", "index `due`", "shard", model.ADVANCE_IN_INDEX),
        ("start", "Runs", "the job's hash", model.START),
        ("report", "Runs", "the job's hash", model.REPORT),
        ("**sum**", "", "", model.WRITTEN),
    )
    rows = [(step, table, key, str(units)) for step, table, key, units in where]
    return _table(("step", "table or index", "partition", "write units"), rows)


def _settings() -> str:
    def row(name: str, values: Sequence[str]) -> tuple[str, ...]:
        return name, *values

    of = [stage.settings for stage in STAGES]
    warm = ("jobs", "Jobs"), ("due", "index `due`"), ("runs", "Runs"), ("by_time", "index `by_time`")
    rows = [
        row("`DueShards`", [_kept(each.due_shards, _DEFAULTS.due_shards) for each in of]),
        row("`TickFanOut`", [_kept(each.tick_fan_out, _DEFAULTS.tick_fan_out) for each in of]),
        row("`TickMemory`, MB", [_kept(each.tick_memory, _DEFAULTS.tick_memory) for each in of]),
        row("`LookAheadSeconds`", [_kept(each.look_ahead, _DEFAULTS.look_ahead) for each in of]),
        row("`WorkerMaxConcurrency`", [_kept(each.worker_concurrency, _DEFAULTS.worker_concurrency) for each in of]),
        row("`WorkerMemory`, MB", [_kept(each.worker_memory, _DEFAULTS.worker_memory) for each in of]),
        row("namespaces, about evenly", [_kept(each.namespaces, _DEFAULTS.namespaces) for each in of]),
        *(
            row(
                f"warm throughput: {told}, WCU/s", [_kept(getattr(each, name), getattr(_DEFAULTS, name)) for each in of]
            )
            for name, told in warm
        ),
        row("warm throughput: Jobs, RCU/s", [_kept(each.jobs_reads, _DEFAULTS.jobs_reads) for each in of]),
        row("warm throughput: Runs, RCU/s", [_kept(each.runs_reads, _DEFAULTS.runs_reads) for each in of]),
        row("quota: writes of a table or index", [_kept(each.quota, _DEFAULTS.quota) for each in of]),
        row("quota: reads of a table", [_kept(each.read_quota, _DEFAULTS.read_quota) for each in of]),
        row("quota: concurrent functions", [_kept(each.account, _DEFAULTS.account) for each in of]),
    ]
    return _table(("", *(stage.name for stage in STAGES)), rows)


def _kept(value: int, default: int) -> str:
    return f"{value:,}" if value == default else f"**{value:,}**"


def _ceilings() -> str:
    of = [_with_seconds(stage.settings) for stage in STAGES]
    bite = [first(stage.settings).what for stage in STAGES]
    rows = []
    for lines in zip(*of, strict=True):
        figures = [_thousands(one.occurrences, bold=one.what == what) for one, what in zip(lines, bite, strict=True)]
        rows.append((lines[0].what, *figures, lines[0].more))
    return _table(("occurrences a minute, at most", *(stage.name for stage in STAGES), "lifted by"), rows)


def _with_seconds(settings: Settings) -> list[Ceiling]:
    """All ceilings, and after that of batches the one that holds for schedules to the second."""
    found = ceilings(settings)
    after = next(n for n, one in enumerate(found) if one.what == "batches in work") + 1
    return [*found[:after], to_the_second(settings), *found[after:]]


def _thousands(occurrences: float, *, bold: bool) -> str:
    told = f"{occurrences / 1e3:,.0f} k"
    return f"**{told}**" if bold else told


def _limits() -> str:
    rows = []
    for limit in limits.ALL:
        where, do = bites.of(limit)
        raised = f" ({limit.raised})" if limit.raised and limit.raised not in do else ""
        rows.append((limit.name, f"{limit.value:,.0f} {limit.unit}", limit.source, where, (do or "-") + raised))
    return _table(("limit", "value", "source", "where it bites", "what to do"), rows)


def _cost() -> str:
    of = [money.month(stage.settings, stage.each_minute) for stage in STAGES]
    rows = [
        (lines[0].what, *(f"{one.dollars:,.0f}" for one in lines), lines[-1].arithmetic)
        for lines in zip(*of, strict=True)
    ]
    totals = [sum(one.dollars for one in lines) for lines in of]
    rows.append(
        (
            "**sum**",
            *(f"**{total:,.0f}**" for total in totals),
            f"${totals[0] / (STAGES[0].each_minute * money.MINUTES) * 1e6:.2f} to ${totals[-1] / (STAGES[-1].each_minute * money.MINUTES) * 1e6:.2f} a million runs",
        )
    )
    return _table(("$ a month", *(stage.name for stage in STAGES), f"arithmetic, for {STAGES[-1].name}"), rows)


def _stored() -> str:
    rows = [(one.what, f"{one.dollars:,.0f}", one.arithmetic) for one in money.stored(STORED)]
    return _table((f"{STORED / 1e6:,.0f} M jobs", "$", "arithmetic"), rows)


def _assumed() -> str:
    ms = 1e3
    rows = (
        ("measured", "processor time of the tick", f"{model.TICK_CPU * ms:g} ms an occurrence"),
        ("measured", "processor time of a worker", f"{model.WORKER_CPU * ms:g} ms a run"),
        ("measured", "processor time of the sweep", f"{model.SWEEP_CPU * ms:g} ms for each run it looks at"),
        (
            "assumed",
            "a page of `due`; a batch of 25 statements; one item; a batch of ten messages",
            f"{model.QUERY * ms:g}, {model.STATEMENT_BATCH * ms:g}, {model.ITEM * ms:g}, {model.SEND * ms:g} ms",
        ),
        (
            "assumed",
            "their law",
            f"lognormal about these medians, sigma {model.SPREAD:g}: the 99th percentile is 3.2 times as much",
        ),
        (
            "assumed",
            "from a message's time until a worker has it",
            f"{model.DELIVERY * ms:g} ms, after up to {model.ROUNDING:g} s for delays in whole seconds",
        ),
        (
            "assumed",
            "a new environment of a function; a tick's call of another",
            f"{model.COLD_START:g} s; {model.HAND_OVER_LIMIT * ms:g} ms more",
        ),
        ("assumed", "pollers that find nothing are given up after", f"{model.POLLERS_KEPT:g} s"),
        ("assumed", "a target's answer", f"{model.CALL * ms:g} ms"),
    )
    return _table(("", "what", "value"), rows)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
