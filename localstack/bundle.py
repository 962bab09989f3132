"""The bundle for emulators in containers: our code and its dependencies, for the container's Python and processor.

``make up`` needs no bundle: it runs the functions in this Python environment, where every dependency is installed.
"""

import platform
import shutil
import subprocess
from pathlib import Path

from infra.bundle import trim

from localstack.errors import LocalStackError
from localstack.workspace import Workspace

PYTHON = "3.13"
"""Python version of the container's functions, the same as in template.yaml and in MiniStack's image."""
LIBC = "manylinux_2_28"
"""Older than the libc of Lambda's python3.13 (Amazon Linux 2023, glibc 2.34) and of Debian's images."""


def make_bundle(workspace: Workspace, folder: Path) -> None:
    """Replace the folder with a new bundle. Raises ``LocalStackError`` with the installer's output; the old bundle stays then."""
    staged = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(workspace.checkout / "functions", staged, ignore=shutil.ignore_patterns("__pycache__"))
    trim(staged)
    done = subprocess.run(install_command(workspace, staged), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LocalStackError(f"The dependencies could not be installed:\n{done.stderr.strip()}")
    shutil.rmtree(folder, ignore_errors=True)
    staged.rename(folder)


def install_command(workspace: Workspace, folder: Path, machine: str = "") -> list[str]:
    """The command that installs the packages locked in ``functions/requirements.txt``, as wheels for a container's platform."""
    arm = (machine or platform.machine()).lower() in {"arm64", "aarch64"}
    return [
        str(workspace.checkout / ".venv" / "bin" / "uv"),
        "pip",
        "install",
        "--quiet",
        f"--target={folder}",
        f"--python-version={PYTHON}",
        f"--python-platform={'aarch64' if arm else 'x86_64'}-{LIBC}",
        "--only-binary=:all:",
        "--require-hashes",
        "--no-deps",
        f"--requirement={workspace.checkout / 'functions' / 'requirements.txt'}",
    ]
