"""The entry point: loads the module of one command, and turns failures into messages and exit codes."""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import click

from minutehand.cli.context_option import context_option
from minutehand.cli.failures import Exit, Failure, write_failure

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: Mapping[str, tuple[str, str]] = {
    "apply": ("apply", "Save jobs from files: all of them, or none."),
    "diff": ("apply", "Show what `apply` would change."),
    "sync": ("sync", "Save the jobs that a Python package declares."),
    "run-handler": ("run_handler", "Run a Python handler once in this process."),
    "list": ("jobs", "List the jobs of a namespace, or of all; `jobs` does the same."),
    "show": ("jobs", "Show a job and its next run, or why it is idle."),
    "edit": ("edit", "Edit a job in your editor."),
    "pause": ("pause", "Pause a job's schedule, or those of all jobs with a label."),
    "resume": ("pause", "Resume paused schedules."),
    "drain": ("drain", "Pause a job, and wait for its runs to end."),
    "delete": ("jobs", "Delete a job."),
    "trigger": ("trigger", "Run a job now."),
    "rerun": ("trigger", "Run a job again as in a run that failed."),
    "runs": ("runs", "List the runs of a job, a namespace or all; or follow a job's."),
    "run": ("run", "Show the full record of a run."),
    "logs": ("logs", "Print what a run's command writes, also while it runs."),
    "output": ("output", "Print the full output of a run."),
    "cancel": ("control", "Cancel a run."),
    "redrive": ("control", "Resend overdue runs to workers, or replace lost runs."),
    "purge": ("purge", "Remove a job's runs for good."),
    "backfill": ("backfill", "Replay a past range of a job's schedule."),
    "stats": ("stats", "Show how the runs of a job or a namespace fare."),
    "revisions": ("revisions", "List the revisions of a job."),
    "revision": ("revisions", "Show a job as it was under a revision."),
    "diff-revisions": ("revisions", "Show what differs between two revisions of a job."),
    "rollback": ("revisions", "Save an earlier revision of a job again."),
    "audit": ("audit", "Show who changed what, when and from where."),
    "explain": ("explain", "Explain what happened at an instant, or why nothing did."),
    "next": ("next", "Show the next runs of a schedule or a job."),
    "crontab": ("crontab", "Import and export crontabs."),
    "import": ("moving_in", "Turn another scheduler's export into jobs, with a report."),
    "compare": ("compare", "Compare runs with what another scheduler did, by its log."),
    "export": ("backup", "Write jobs, calendars and settings to a file, as a backup."),
    "restore": ("backup", "Save what export wrote, in this or another stack."),
    "namespaces": ("namespaces", "List the namespaces."),
    "namespace": ("namespace", "Limit, pause, resume and shadow all jobs of a namespace."),
    "quota": ("quota", "Show or set what the operator allows a namespace."),
    "endpoints": ("endpoints", "Show the endpoints of a job; register those of a service."),
    "agent": ("agent", "Run the commands of a pool's jobs on this machine."),
    "node": ("node", "Show, pause and drain the nodes that run commands."),
    "token": ("token", "Make, list and revoke tokens of the API."),
    "calendar": ("calendar", "Manage calendars: times when jobs do not run."),
    "diff-schedule": ("diff", "Show which runs an edit of a schedule adds and removes."),
    "cost": ("cost", "Estimate the monthly cost of jobs."),
    "shards": ("stack", "Show the number of timer shards and the progress of a change."),
    "login": ("login", "Store the address and a token of an API as a context."),
    "logout": ("login", "Forget the token of a context."),
    "context": ("context", "Choose the API that commands call."),
    "completion": ("completion", "Print the completion script of a shell."),
    "health": ("stack", "Check that the API answers."),
    "doctor": ("doctor", "Check a deployment end to end, with how to mend it."),
}
"""The module and the summary of each command; `--help` shows them without loading the modules."""


ALIASES: Mapping[str, str] = {"jobs": "list"}
"""Further names of commands, which the help does not list."""


class App(click.Group):
    """The group of all commands. A command's function returns its exit code, or None for 0."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The command names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Load a command; None for an unknown name."""
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"minutehand.cli.commands.{COMMANDS[cmd_name][0]}")
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of an argument. Raises UsageError, with similar commands, for an unknown name."""
        if not {args[0]} & (COMMANDS.keys() | ALIASES.keys()) and not args[0].startswith("-"):
            from minutehand.cli.similar import similar_commands  # noqa: PLC0415 - loads difflib, which only this error needs

            similar = " or ".join(similar_commands(args[0], COMMANDS))
            raise click.UsageError(
                f"There is no command {args[0]!r}{f'; did you mean {similar}?' if similar else '.'}", ctx
            )
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The commands that begin so, without loading any, and the options."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only for completions

        named = [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items() if name.startswith(incomplete)]
        return named + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list of commands in the help, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])

    def main(  # type: ignore[override]  # it never returns, whatever standalone_mode says
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command line and exit with its code, whatever `standalone_mode` says."""
        arguments = list(sys.argv[1:] if args is None else args)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a name may contain characters that the terminal's encoding lacks
                stream.reconfigure(errors="backslashreplace")
        code: object = Exit.DONE
        try:
            code = super().main(arguments, prog_name or "minutehand", **(extra | {"standalone_mode": False}))
            sys.stdout.flush()
        except click.Abort:
            print('{"title": "interrupted"}' if _wants_json(arguments) else "interrupted", file=sys.stderr)
            code = Exit.INTERRUPTED
        except click.ClickException as error:
            write_failure(error, as_json=_wants_json(arguments))
            code = error.code if isinstance(error, Failure) else error.exit_code
        except BrokenPipeError:
            # The reader has exited (`minutehand list | head`); flushing the rest at exit would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = Exit.FAILED
        sys.exit(int(code) if isinstance(code, int) else Exit.DONE)


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether JSON output is requested. Looks at the raw arguments, since usage errors are raised before parsing ends."""
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
    `make up` writes, in this folder or one above it, else from the context that `minutehand login` stored last. --context, with any
    command, and MINUTEHAND_CONTEXT choose another context.

    Exit codes: 0 done, 1 failed, 2 bad usage or invalid input, 3 not found, 4 conflict, 5 not allowed,
    6 something differs (diff, compare, apply --exit-code), 130 Ctrl-C.
    """


app.params.append(context_option())


def main() -> NoReturn:
    """Run the command line of this process."""
    app.main()
