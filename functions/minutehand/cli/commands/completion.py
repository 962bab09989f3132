"""The command `completion`."""

from collections.abc import Mapping

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from minutehand.cli.command import Session, command
from minutehand.cli.screen.render import Screen

_SHELLS: Mapping[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
_PROGRAM = "minutehand"
_VARIABLE = "_MINUTEHAND_COMPLETE"
"""The environment variable by which the script asks click for completions."""


@command("completion", examples=["completion bash"], calls_api=False)
@click.argument("shell", type=click.Choice([*_SHELLS]))
def completion_command(session: Session, screen: Screen, *, shell: str) -> None:  # noqa: ARG001 - a command gets its session
    """Print the script that completes commands, options and the names of jobs in a shell.

    Put it into a file that the shell reads:

    \b
      bash  ~/.local/share/bash-completion/completions/minutehand
      zsh   a file _minutehand in a folder of its fpath
      fish  ~/.config/fish/completions/minutehand.fish
    """
    script = _SHELLS[shell](click.get_current_context().find_root().command, {}, _PROGRAM, _VARIABLE).source()
    if screen.as_json:
        screen.data({"shell": shell, "script": script})
    else:
        screen.text(script)
