"""The stage of a worked example: the local stack, services and databases around it, and the commands that its user types."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from localstack.workspace import StackInfo

T = TypeVar("T")

FOLDER = Path(__file__).parent
SHOWN = [path.parent.name for path in sorted(FOLDER.glob("*/demo.py"))]
"""The names of all examples that can be shown."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What an example's `play(stage)` acts on.

    Attributes:
        stack: the local stack.
        folder: the example's own folder, where its commands run.
        database: the URL of a private PostgreSQL, if the example has `NEEDS_POSTGRES`; else empty.
    """

    stack: StackInfo
    folder: Path
    database: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the example's processes."""
        made = os.environ | {"MINUTEHAND_URL": self.stack.url, "MINUTEHAND_TOKEN": self.stack.token}
        return made | ({"DATABASE_URL": self.database} if self.database else {})

    def minutehand(self, *words: str, given: str | None = None, shown: bool = True) -> str:
        """Show and run a command of `minutehand`; returns what it prints. Ends the example if the command fails.

        Args:
            given: the text on its standard input.
        """
        if shown:
            say(f"\n$ minutehand {shlex.join(words)}")
        program = Path(sys.executable).with_name("minutehand")
        done = subprocess.run(  # noqa: S603 - our own
            [program, *words],
            cwd=self.folder,
            env=self.environment,
            input=given,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if shown:
            say(done.stdout.rstrip())
        if done.returncode:
            raise SystemExit(f"minutehand {words[0]} ended with status {done.returncode}")
        return done.stdout

    def apply(self, file: str, replaced: Mapping[str, str]) -> None:
        """Save the jobs of a file, some of whose texts are replaced, such as the address of a service."""
        say(f"\n$ minutehand apply -f {file}")
        text = (self.folder / file).read_text(encoding="utf-8")
        for before, after in replaced.items():
            text = text.replace(before, after)
        say(self.minutehand("apply", "-f", "-", given=text, shown=False).rstrip())

    @contextmanager
    def service(self, *words: str, shown: bool = True) -> Iterator["Service"]:
        """A Python program of the example, which says `listening at URL` when it is ready, in a process of its own."""
        if shown:
            say(f"\n$ python {shlex.join(words)} &")
        command = [sys.executable, *words]
        with subprocess.Popen(  # noqa: S603 - our own
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None  # noqa: S101 - a pipe
                line = process.stdout.readline()
                if not line.startswith("listening at "):
                    raise SystemExit(f"{shlex.join(words)} did not start")
                if shown:
                    say(line.rstrip())
                yield Service(process, line.removeprefix("listening at ").strip())
            finally:
                process.terminate()

    @contextmanager
    def jobs(self, *names: str) -> Iterator[None]:
        """Delete the jobs of the example at its end: most of them call what ends with it."""
        try:
            yield
        finally:
            for name in names:
                self.minutehand("delete", name, "--yes", shown=False)
            say(f"\ndeleted the jobs {', '.join(names)} of this example")


@dataclass(frozen=True)
class Service:
    """A running program of an example, and its address."""

    process: subprocess.Popen[str]
    url: str

    def show_until(self, text: str) -> None:
        """Show what the program prints, until a line contains a text. Ends the example if the program ends before."""
        assert self.process.stdout is not None  # noqa: S101 - a pipe
        for line in self.process.stdout:
            say(line.rstrip())
            if text in line:
                return
        raise SystemExit(f"the service ended before it printed {text!r}")


def wait_until(look: Callable[[], T | None], *, seconds: float, what: str) -> T:
    """What `look` finds, asked again until it is something. Ends the example if that takes too long."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise SystemExit(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)
    return found


def say(line: str) -> None:
    """Print a line at once, in order with what other processes print."""
    print(line, flush=True)


def load(name: str) -> ModuleType:
    """The module `demo` of an example: `play(stage)`, and what it needs of the stage."""
    return import_module(f"examples.{name}.demo")
