"""The demo jobs of ``examples/demo``, applied through the project's own client."""

import hashlib
from pathlib import Path

import yaml

from minutehand.client import Client

PLACEHOLDER = "${ECHO_URL}"


def digest(folder: Path, echo_url: str) -> str:
    """A value that changes when the files or the address they call do; it says whether they need to be applied again."""
    content = "\0".join(path.read_text(encoding="utf-8") for path in _files(folder))
    return hashlib.sha256(f"{content}\0{echo_url}".encode()).hexdigest()


def apply(folder: Path, echo_url: str, client: Client) -> list[str]:
    """Save every job of the folder, calling ``echo_url``; returns their names as ``namespace/name``."""
    names = []
    for path in _files(folder):
        document = yaml.safe_load(path.read_text(encoding="utf-8").replace(PLACEHOLDER, echo_url))
        client.apply_job(document)
        names.append(f"{document['namespace']}/{document['name']}")
    return names


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))
