"""Import time of the entrypoints, the part of a cold start that the code decides, beside a minimal function's."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from statistics import median

from benchmarks.machine import FUNCTION_ENVIRONMENT
from benchmarks.table import Cell, Table, ratio, within
from benchmarks.timing import rotated

REPETITIONS = 15
PROFILES = 5
MOST = 1.15
SHOWN = 8
JUDGED = ("tick", "worker")
ENTRYPOINTS = (*JUDGED, "authorizer", "api", "drain", "sweep", "seed")

TIMED = """
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
    """All tables of the question."""
    return [_durations(), _shares()]


def _durations() -> Table:
    wall: dict[str, list[float]] = {name: [] for name in _PROGRAMS}
    processor: dict[str, list[float]] = {name: [] for name in _PROGRAMS}
    for program in _PROGRAMS.values():
        run_program(TIMED.format(program=program))  # warms bytecode and the file cache
    for turn in range(REPETITIONS):
        for name in rotated([*_PROGRAMS], turn):
            took = json.loads(run_program(TIMED.format(program=_PROGRAMS[name])).stdout)
            wall[name].append(took[0])
            processor[name].append(took[1])
    rows: list[tuple[Cell, ...]] = []
    holds = True
    for name in _PROGRAMS:
        elapsed = ratio(wall[name], wall["baseline"])
        holds &= name not in JUDGED or within(elapsed, MOST)
        rows.append(
            (
                "boto3, one client, Powertools Logger" if name == "baseline" else f"entrypoint {name}",
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
        rows=tuple(rows),
        notes=(
            (
                f"Medians of {REPETITIONS} new processes each, in turn, with warm bytecode, measured inside the process: the start of the "
                "interpreter is not included."
            ),
            (
                "The baseline imports boto3 and Powertools, and makes a Logger and a DynamoDB client. The entrypoints make their clients at the "
                "first call; the benchmark makes the DynamoDB client for them, in their own way."
            ),
        ),
    )


def _shares() -> Table:
    """Modules that the entrypoints import beyond the baseline, by `-X importtime`."""
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
                f"Medians of {PROFILES} processes with `-X importtime`, which slows imports down: read them as proportions. A part "
                f"is a package; the {SHOWN} largest are shown."
            ),
        ),
    )


def _self_times(program: str) -> dict[str, float]:
    """Milliseconds of each module alone, including those of the interpreter's start."""
    taken: dict[str, list[float]] = {}
    for _ in range(PROFILES):
        report = run_program(program, "-X", "importtime").stderr
        for took, module in _PROFILED.findall(report):
            taken.setdefault(module, []).append(int(took) / 1000)
    return {module: median(times) for module, times in taken.items()}


def _group(module: str) -> str:
    parts = module.split(".")
    if parts[0] in ("minutehand", "aws_lambda_powertools", "botocore"):
        return ".".join(parts[:2])
    return parts[0]


def run_program(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process. Raises RuntimeError if it fails."""
    command = [sys.executable, *options, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=FUNCTION_ENVIRONMENT)  # noqa: S603 - this interpreter
    if done.returncode:
        raise RuntimeError(f"a timed program failed: {done.stderr.strip().splitlines()[-1]}")
    return done
