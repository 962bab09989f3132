"""The entry point: finds the command, loads its module alone, and turns every failure into a message and an exit code."""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NoReturn

import click

from minutehand.cli.failures import Exit, Failure, tell

COMMANDS: Mapping[str, tuple[str, str]] = {
    "apply": ("apply", "Save jobs from files: all of them, or none."),
    "list": ("jobs", "List the jobs of a namespace."),
    "show": ("jobs", "Show a job: its next run, or why it is idle."),
    "pause": ("jobs", "Stop a job's schedule."),
    "resume": ("jobs", "Start a paused job's schedule again."),
    "drain": ("control", "Pause a job, and wait for its runs' end."),
    "delete": ("jobs", "Delete a job."),
    "trigger": ("runs", "Run a job now."),
    "runs": ("runs", "List a job's runs, or follow them."),
    "run": ("runs", "Show the whole record of a run."),
    "output": ("output", "Print what a run's target answered, whole."),
    "cancel": ("control", "End a run."),
    "redrive": ("control", "Have workers look at runs that are overdue, or run lost ones again."),
    "backfill": ("backfill", "Replay a range of a job's past."),
    "explain": ("explain", "Say what happened at an instant, or why nothing did."),
    "next": ("next", "Show when a schedule or a job is due next."),
    "crontab": ("crontab", "Bring crontabs in, and write them out."),
    "namespace": ("namespace", "Limit, pause and resume all jobs of a namespace together."),
    "calendar": ("calendar", "Save and show calendars: times at which jobs do not run."),
    "diff-schedule": ("diff", "Say what an edit of a schedule adds and removes."),
    "cost": ("cost", "Estimate what jobs cost a month."),
    "shards": ("shards", "Show over how many shards timers are spread."),
    "health": ("health", "Ask whether the API answers."),
}
"""Each command's module and what it does in a line. Here, so that `--help` need not load the modules."""


class App(click.Group):
    """The group of all commands. A command's function answers its exit code, or None for 0."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Load the command, or None when there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"minutehand.cli.commands.{COMMANDS[cmd_name][0]}")
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list of commands in the help, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])

    def main(  # type: ignore[override]  # it never returns, whatever standalone_mode says
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        **extra: Any,
    ) -> NoReturn:
        """Run a command line and exit with its code, whatever `standalone_mode` says."""
        arguments = list(sys.argv[1:] if args is None else args)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a name may hold what the terminal's encoding has not
                stream.reconfigure(errors="backslashreplace")
        code: object = Exit.DONE
        try:
            code = super().main(arguments, prog_name or "minutehand", **(extra | {"standalone_mode": False}))
            sys.stdout.flush()
        except click.Abort:
            print('{"title": "interrupted"}' if _wants_json(arguments) else "interrupted", file=sys.stderr)
            code = Exit.INTERRUPTED
        except click.ClickException as error:
            tell(error, as_json=_wants_json(arguments))
            code = error.code if isinstance(error, Failure) else error.exit_code
        except BrokenPipeError:
            # The reader has gone (`minutehand list | head`); what is still buffered would fail again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = Exit.FAILED
        sys.exit(int(code) if isinstance(code, int) else Exit.DONE)


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether the answer shall be JSON; asked of the bare words, because a usage error comes before anything is parsed."""
    pairs = pairwise([*arguments, ""])
    return any(
        word in {"--output=json", "-ojson"} or (word in {"-o", "--output"} and following == "json")
        for word, following in pairs
    )


@click.command("minutehand", cls=App, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
@click.version_option(package_name="minutehand", message="%(package)s %(version)s")
def app() -> None:
    """Minutehand: cron without a server.

    The API's address and token come from MINUTEHAND_URL and MINUTEHAND_TOKEN, else from the .minutehand/local.json that
    `make up` writes, in this folder or one above it.

    Exit codes: 0 done, 1 failed, 2 bad usage or invalid input, 3 not found, 4 conflict, 5 not allowed.
    """


def main() -> NoReturn:
    """Run the command line of this process."""
    app.main()
