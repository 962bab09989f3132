"""`python -m examples NAME`: start the local stack, and show a worked example."""

import argparse
import sys
from contextlib import ExitStack

from localstack.clients import forget_settings_of_user
from localstack.console import print_step
from localstack.errors import LocalStackError
from localstack.lifecycle import up
from localstack.ports import parse_port
from localstack.postgres import postgres
from localstack.workspace import Workspace

from examples.stage import FOLDER, SHOWN, Stage, load


def main() -> int:
    """Show one example, or list them all; returns the exit status."""
    parser = argparse.ArgumentParser(prog="make example", description="Show a worked example on the local stack.")
    parser.add_argument("name", nargs="?", choices=SHOWN, metavar="NAME", help=", ".join(SHOWN))
    parser.add_argument("--port", help="port of the emulator (default: the last one, or else the next free one)")
    given = parser.parse_args()
    if given.name is None:
        for name in SHOWN:
            print(f"make example NAME={name:<18} {load(name).__doc__}")
        return 0
    forget_settings_of_user()
    try:
        _show(given.name, parse_port(given.port) if given.port is not None else None)
    except LocalStackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _show(name: str, port: int | None) -> None:
    demo, workspace = load(name), Workspace()
    with ExitStack() as opened:
        database = opened.enter_context(postgres()) if getattr(demo, "NEEDS_POSTGRES", False) else ""
        with workspace.locked():
            stack = up(workspace, print_step, port=port, parameters=getattr(demo, "PARAMETERS", {}))
        demo.play(Stage(stack=stack, folder=FOLDER / name, database=database))


if __name__ == "__main__":
    sys.exit(main())
