"""Where one local stack keeps what belongs to it."""

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, kw_only=True)
class Place:
    """The folders of one local stack. Two stacks with different ``state`` folders never meet.

    ``checkout`` holds ``template.yaml``; ``functions`` is what ``CodeUri`` is replaced with; ``state`` is private to
    this stack and may be deleted when it is down.
    """

    checkout: Path = CHECKOUT
    functions: Path = CHECKOUT / "functions"
    state: Path = CHECKOUT / ".minutehand"

    @property
    def record(self) -> Path:
        """What programs read to find this stack: see ``Record``."""
        return self.state / "local.json"

    @property
    def bundle(self) -> Path:
        """Where the functions are packed for an emulator in a container."""
        return self.state / "bundle"

    def pid_file(self, program: str) -> Path:
        """Where the process id of a program in the background is kept."""
        return self.state / f"{program}.pid"

    def log_file(self, program: str) -> Path:
        """Where a program in the background writes what it has to say."""
        return self.state / f"{program}.log"


@dataclass(frozen=True, kw_only=True)
class Record:
    """How to reach a local stack: what ``local.json`` holds, key by key."""

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

    def evolve(self, *, demo: str) -> "Record":
        """The same record, but for the mark of the demo jobs that were applied last."""
        return replace(self, demo=demo)

    def save(self, path: Path) -> None:
        """Write the record; only its owner may read it, for it holds a token."""
        path.touch(mode=0o600)
        path.chmod(0o600)
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "Record | None":
        """The record at ``path``, or None when there is none or another version of this program wrote it."""
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        names = {field.name for field in fields(cls)}
        if not isinstance(stored, dict) or not names <= stored.keys():
            return None
        return cls(**{name: stored[name] for name in names})
