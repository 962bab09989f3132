"""The Python 3.13 of this machine: the functions' runtime, which ``sam build`` needs to install their dependencies."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

NAME = "python3.13"


def find(environment: Mapping[str, str] | None = None) -> Path | None:
    """Find a working interpreter: the one named by PYTHON313, or else on PATH, or else pyenv's. None if there is none."""
    return next(
        (path for path in _candidates(os.environ if environment is None else environment) if _works(path)), None
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    if named := environment.get("PYTHON313"):
        yield Path(named)
        return
    if found := shutil.which(NAME, path=environment.get("PATH", "")):
        yield Path(found)
    home = Path(environment.get("PYENV_ROOT") or Path(environment.get("HOME", "/")) / ".pyenv")
    yield from sorted(home.glob(f"versions/3.13*/bin/{NAME}"), reverse=True)


def _works(path: Path) -> bool:
    """Whether this is Python 3.13. pyenv's ``python3.13`` on PATH may only print which versions it could run."""
    try:
        done = subprocess.run(
            [path, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=False
        )
    except OSError:
        return False
    return done.stdout.split() == ["3", "13"]


if __name__ == "__main__":
    if (python := find()) is None:
        sys.exit("error: no Python 3.13 on PATH or under pyenv; name one: PYTHON313=/path/to/python3.13")
    print(python)
