"""Folders and files of one local stack."""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from localstack.errors import LocalStackError

CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """The folders of one local stack. Stacks with different ``state`` folders share nothing.

    Attributes:
        checkout: the folder of ``template.yaml``.
        functions: the code that replaces ``CodeUri``.
        state: private to this stack; may be deleted while the stack is stopped.
    """

    checkout: Path = CHECKOUT
    functions: Path = CHECKOUT / "functions"
    state: Path = CHECKOUT / ".minutehand"

    @property
    def info_file(self) -> Path:
        """The file by which other programs find this stack: see ``StackInfo``."""
        return self.state / "local.json"

    @property
    def bundle(self) -> Path:
        """The folder with the bundle of functions for emulators in containers."""
        return self.state / "bundle"

    def pid_file(self, program: str) -> Path:
        """The file with the process id of a background program."""
        return self.state / f"{program}.pid"

    def log_file(self, program: str) -> Path:
        """The file with the output of a background program."""
        return self.state / f"{program}.log"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold a lock, so that no second ``make up`` or ``make down`` of this checkout runs at the same time."""
        self.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.state / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LocalStackError(
                    "Another 'make up' or 'make down' of this checkout is running. Wait for it."
                ) from None
            yield


@dataclass(frozen=True, kw_only=True)
class StackInfo:
    """How to reach a local stack: the fields of ``local.json``."""

    url: str
    token: str
    endpoint_url: str
    region: str
    stack: str
    jobs_table: str
    runs_table: str
    port: int
    echo_port: int
    echo_url: str
    demo: str
    outputs: dict[str, str]

    def with_demo(self, digest: str) -> "StackInfo":
        """A copy with the digest of the demo jobs that were saved last."""
        return replace(self, demo=digest)

    def save(self, path: Path) -> None:
        """Write the file, readable by its owner alone, since it holds a token."""
        path.touch(mode=0o600)
        path.chmod(0o600)
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "StackInfo | None":
        """Read the file; None if it is missing, unreadable or lacks a field."""
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        names = {field.name for field in fields(cls)}
        if not isinstance(stored, dict) or not names <= stored.keys():
            return None
        return cls(**{name: stored[name] for name in names})
