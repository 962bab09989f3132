"""What a cold start takes to import, beside the libraries that any such function imports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from statistics import median

from benchmarks.charts.chart import Chart
from benchmarks.environment import FUNCTION
from benchmarks.table import Cell, Table, ratio, within

REPETITIONS = 15
PROFILES = 5
MOST = 1.15
SHOWN = 8
JUDGED = ("tick", "worker")
ENTRYPOINTS = (*JUDGED, "authorizer", "api", "drain", "sweep", "seed")

_CHART = Chart(
    name="imports",
    kind="bars",
    over=("what",),
    values=("elapsed ms", "processor ms"),
    x="program",
    y="time to import, ms",
)
_TIMED = """
from time import perf_counter, process_time
wall, processor = perf_counter(), process_time()
{program}
print(f"[{{perf_counter() - wall}}, {{process_time() - processor}}]")
"""
_BASELINE = """
import boto3
from aws_lambda_powertools.logging import Logger
logger = Logger()
client = boto3.client("dynamodb")
"""
_ENTRYPOINT = """
import minutehand.entrypoints.{name}
from minutehand.entrypoints import clients
clients.dynamodb()
"""
_PROFILED = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)$", re.MULTILINE)
_PROGRAMS = {"baseline": _BASELINE} | {name: _ENTRYPOINT.format(name=name) for name in ENTRYPOINTS}


def tables() -> list[Table]:
    """How long each takes, and what of it is ours."""
    return [_durations(), _shares()]


def _durations() -> Table:
    wall: dict[str, list[float]] = {name: [] for name in _PROGRAMS}
    processor: dict[str, list[float]] = {name: [] for name in _PROGRAMS}
    for program in _PROGRAMS.values():
        _run(_TIMED.format(program=program))  # once beforehand: bytecode, and the files in memory
    for turn in range(REPETITIONS):
        for name in _in_turn(turn):
            took = json.loads(_run(_TIMED.format(program=_PROGRAMS[name])).stdout)
            wall[name].append(took[0])
            processor[name].append(took[1])
    rows: list[tuple[Cell, ...]] = []
    holds = True
    for name in _PROGRAMS:
        elapsed = ratio(wall[name], wall["baseline"])
        holds &= name not in JUDGED or within(elapsed, MOST)
        rows.append(
            (
                "boto3, one client, Powertools Logger" if name == "baseline" else f"entrypoint {name}, the same client",
                median(wall[name]) * 1000,
                elapsed,
                median(processor[name]) * 1000,
                ratio(processor[name], processor["baseline"]),
            )
        )
    return Table(
        title="Import of the entrypoints",
        goal=f"elapsed time of the {' and the '.join(JUDGED)} ≤ {MOST} times that of boto3, one client and Powertools Logger",
        holds=holds,
        columns=("what", "elapsed ms", "ratio", "processor ms", "ratio"),
        chart=_CHART,
        rows=tuple(rows),
        notes=(
            (
                f"Medians of {REPETITIONS} fresh processes of each, in turn, bytecode warm; measured inside the process, so that the start of the "
                "interpreter is in none of them."
            ),
            (
                "The baseline imports boto3, imports and makes a Logger, and makes a DynamoDB client. The entrypoints make their clients at the "
                "first call, so the same DynamoDB client is made after the import, in their own way, for the comparison."
            ),
        ),
    )


def _in_turn(turn: int) -> list[str]:
    """The programs, begun at another one each time, so that none always follows the same."""
    names = [*_PROGRAMS]
    return names[turn % len(names) :] + names[: turn % len(names)]


def _shares() -> Table:
    """What entrypoints import beyond the baseline, by the interpreter's own account."""
    selves = {name: _self_times(program) for name, program in _PROGRAMS.items()}
    base = selves["baseline"]
    rows: list[tuple[Cell, ...]] = [("baseline", "all", len(base), sum(base.values()))]
    for name in ENTRYPOINTS:
        groups: dict[str, list[float]] = {}
        for module, took in selves[name].items():
            if module not in base:
                groups.setdefault(_group(module), []).append(took)
        parts = sorted(((sum(took), len(took), group) for group, took in groups.items()), reverse=True)
        rows.append((name, "all beyond the baseline", sum(n for _, n, _ in parts), sum(took for took, *_ in parts)))
        rows += [(name, group, modules, took) for took, modules, group in parts[:SHOWN]]
    return Table(
        title="What the entrypoints import beyond the baseline",
        columns=("program", "part", "modules", "ms of their own"),
        rows=tuple(rows),
        notes=(
            (
                f"From `-X importtime`, medians of {PROFILES} processes, which makes everything slower: for proportions, not for the goal. A part "
                f"is a package; the {SHOWN} largest are shown."
            ),
        ),
    )


def _self_times(program: str) -> dict[str, float]:
    """Milliseconds that each module took by itself, those of the interpreter's start among them."""
    taken: dict[str, list[float]] = {}
    for _ in range(PROFILES):
        told = _run(program, "-X", "importtime").stderr
        for took, module in _PROFILED.findall(told):
            taken.setdefault(module, []).append(int(took) / 1000)
    return {module: median(times) for module, times in taken.items()}


def _group(module: str) -> str:
    parts = module.split(".")
    if parts[0] in ("minutehand", "aws_lambda_powertools", "botocore"):
        return ".".join(parts[:2])
    return parts[0]


def _run(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=FUNCTION)  # noqa: S603 - this interpreter
    if done.returncode:
        raise RuntimeError(f"a program that was to be timed failed: {done.stderr.strip().splitlines()[-1]}")
    return done
