"""The SAM CLI, in its own venv: build and deploy."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.bundle import trim
from infra.deploy.choices import Choices
from infra.deploy.errors import DeployError
from infra.deploy.python313 import find

BUILT = Path(".aws-sam") / "build"
"""Where in a checkout the SAM CLI puts what it builds."""


def build(checkout: Path, parameters: Mapping[str, str], *, container: bool = False) -> None:
    """Build the bundle for the architecture in ``parameters``; raises ``DeployError``."""
    environment = _environment()
    if not container:
        python = find()
        if python is None:
            raise DeployError(
                "No Python 3.13 is found, which the functions run on and are built with.",
                how=[
                    "Install it, or name it: make deploy PYTHON313=/path/to/python3.13",
                    "Or let Docker build: make deploy CONTAINER=1"
                    + ("" if shutil.which("docker") else " (Docker is not found here either)"),
                ],
            )
        environment["PATH"] = f"{python.parent}{os.pathsep}{environment.get('PATH', '')}"
    overrides = _overrides(parameters)
    if _run(checkout, ["build", *(["--use-container"] if container else []), *overrides], environment):
        raise DeployError(
            "The bundle could not be built; the lines above say why.", how=["Correct it and: make deploy"]
        )
    for folder in (checkout / BUILT).iterdir():
        trim(folder)  # the SAM CLI copies all of CodeUri, and has no list of what to leave out


def deploy(checkout: Path, choices: Choices, *, ask: bool) -> bool:
    """Deploy what was built, shown as a change set first and confirmed when ``ask``; returns whether that went well."""
    return not _run(
        checkout,
        [
            "deploy",
            *("--stack-name", choices.stack, "--region", choices.region),
            *(["--profile", choices.profile] if choices.profile else []),
            "--confirm-changeset" if ask else "--no-confirm-changeset",
            *_overrides(choices.parameters),
            *(["--tags", *_words(choices.tags)] if choices.tags else []),
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
