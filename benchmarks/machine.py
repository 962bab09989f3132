"""The machine and the programs of a measurement, and the environment of measured functions."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import baselines, databases

FUNCTION_ENVIRONMENT = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "POWERTOOLS_SERVICE_NAME": "benchmark",
    "POWERTOOLS_METRICS_NAMESPACE": "Minutehand",
    "JOBS_TABLE": "JobsTable",
    "RUNS_TABLE": "RunsTable",
    "HTTP_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/000000000000/http",
    "WORKER": "http",
}
"""For a function that is measured in a process of its own; no account or profile of this machine."""
_LIBRARIES = ("boto3", "botocore", "aws-lambda-powertools", "croniter", "cronsim", "apscheduler", "tzdata", "ministack")


def describe() -> dict[str, Any]:
    """Processor, cores, memory, system, Python, libraries and revision; nothing that identifies this machine."""
    servers = {"PostgreSQL": databases.postgres_version(), "Redis server": databases.redis_version()}
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": {name: version(name) for name in _LIBRARIES}
        | baselines.versions()
        | {name: release for name, release in servers.items() if release},
        "revision": _revision(),
    }


def hardware(machine: Mapping[str, Any]) -> str:
    """The machine of a description in one line."""
    return f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}, {machine['python']}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _memory() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (ValueError, OSError):
        return None


def _revision() -> str | None:
    """The measured commit, with `+` when the functions or templates differ from it; None outside a checkout."""
    git = shutil.which("git")
    if git is None:
        return None
    head, changes = (
        subprocess.run([git, "-C", Path(__file__).parent, *words], capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
        for words in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "--", "../functions", "../infra"])
    )
    if head.returncode or changes.returncode:
        return None
    return head.stdout.strip() + ("+" if changes.stdout.strip() else "")
