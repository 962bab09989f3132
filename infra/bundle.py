"""The bundle of the Lambda functions: everything in functions/ except the packages that run on people's own machines."""

import shutil
from pathlib import Path

LEFT_OUT = ("cli", "client", "handlers", "tools")
"""Packages of ``minutehand`` that no function imports; the import rules in pyproject.toml say the same."""


def in_bundle(path: Path) -> bool:
    """Whether the bundle carries a file; ``path`` is relative to functions/."""
    package, *rest = path.parts
    return not (package == "minutehand" and rest and rest[0] in LEFT_OUT) and "__pycache__" not in path.parts


def trim(folder: Path) -> None:
    """Remove from a copy of functions/ every file that does not belong into the bundle."""
    for package in LEFT_OUT:
        if (left_out := folder / "minutehand" / package).is_dir():
            shutil.rmtree(left_out)
