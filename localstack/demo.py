"""The demo jobs of ``examples/demo``, saved through the project's own client."""

import hashlib
from pathlib import Path

import yaml

from minutehand.client import Client

PLACEHOLDER = "${ECHO_URL}"


def digest(folder: Path, echo_url: str) -> str:
    """A hash of the files and of the address they call; if it changed, the jobs must be saved again."""
    content = "\0".join(path.read_text(encoding="utf-8") for path in _files(folder))
    return hashlib.sha256(f"{content}\0{echo_url}".encode()).hexdigest()


def apply(folder: Path, echo_url: str, client: Client) -> list[str]:
    """Save every job of the folder, with ``echo_url`` as the address to call; returns their names as ``namespace/name``."""
    names = []
    for path in _files(folder):
        document = yaml.safe_load(path.read_text(encoding="utf-8").replace(PLACEHOLDER, echo_url))
        client.apply_job(document)
        names.append(f"{document['namespace']}/{document['name']}")
    return names


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))
