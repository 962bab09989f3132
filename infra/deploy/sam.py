"""Build and deploy with the SAM CLI of ``.venv-sam``."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.bundle import trim
from infra.deploy.errors import DeployError
from infra.deploy.python313 import find
from infra.deploy.settings import Settings

BUILT = Path(".aws-sam") / "build"
"""The SAM CLI's output, in a checkout."""


def build(checkout: Path, parameters: Mapping[str, str], *, container: bool = False) -> None:
    """Build the bundle for the architecture in ``parameters``; raises ``DeployError``."""
    environment = _environment()
    if not container:
        python = find()
        if python is None:
            raise DeployError(
                "No Python 3.13 is found, the runtime of the functions.",
                hints=[
                    "Install it, or name it: make deploy PYTHON313=/path/to/python3.13",
                    "Or build in Docker: make deploy CONTAINER=1"
                    + ("" if shutil.which("docker") else " (Docker is not found either)"),
                ],
            )
        environment["PATH"] = f"{python.parent}{os.pathsep}{environment.get('PATH', '')}"
    overrides = _overrides(parameters)
    if _run(checkout, ["build", *(["--use-container"] if container else []), *overrides], environment):
        raise DeployError(
            "The bundle could not be built; see the lines above.", hints=["Correct it and run: make deploy"]
        )
    for folder in (checkout / BUILT).iterdir():
        trim(folder)  # the SAM CLI copies all of CodeUri, and has no list of what to leave out


def deploy(checkout: Path, settings: Settings, *, ask: bool) -> bool:
    """Deploy the build through a change set, confirmed by the user if ``ask``; returns whether it succeeded."""
    return not _run(
        checkout,
        [
            "deploy",
            *("--stack-name", settings.stack, "--region", settings.region),
            *(["--profile", settings.profile] if settings.profile else []),
            "--confirm-changeset" if ask else "--no-confirm-changeset",
            *_overrides(settings.parameters),
            *(["--tags", *_words(settings.tags)] if settings.tags else []),
        ],
        _environment(),
    )


def _run(checkout: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    sam = checkout / ".venv-sam" / "bin" / "sam"
    return subprocess.run([sam, *arguments], cwd=checkout, env=environment, check=False).returncode


def _environment() -> dict[str, str]:
    return dict(os.environ) | {"SAM_CLI_TELEMETRY": "0"}


def _overrides(parameters: Mapping[str, str]) -> list[str]:
    return ["--parameter-overrides", *_words(parameters)] if parameters else []


def _words(pairs: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in pairs.items()]
