"""What the figures were taken on."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

from benchmarks.dispatch import peer, servers

_LIBRARIES = ("boto3", "botocore", "aws-lambda-powertools", "croniter", "cronsim", "apscheduler", "tzdata", "ministack")


def describe() -> dict[str, object]:
    """Processor, cores, memory, system, Python and libraries; nothing that tells one machine of a kind from another."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": {name: version(name) for name in _LIBRARIES} | _beside(),
        "revision": _revision(),
    }


def _beside() -> dict[str, str]:
    """The releases of what ours is measured beside, as far as it is installed; libraries that ours has too are of the same release."""
    found = {"PostgreSQL": servers.postgres_version(), "Redis server": servers.redis_version()}
    return peer.versions() | {name: release for name, release in found.items() if release}


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
    """The commit that was measured, with `+` when files differ from it; None outside a checkout."""
    git = shutil.which("git")
    if git is None:
        return None
    here = Path(__file__).parent
    told = [
        subprocess.run([git, "-C", here, *asked], capture_output=True, text=True, check=False)  # noqa: S603 - words of our own
        for asked in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "--", "../functions", "../infra"])
    ]
    if any(answer.returncode for answer in told):
        return None
    return told[0].stdout.strip() + ("+" if told[1].stdout.strip() else "")
