"""The fields of a target of type `command`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field, Pairs
from minutehand.domain.node import MOST_TAGS
from minutehand.domain.spread import MOST_NODES
from minutehand.targets.command.texts import (
    LONGEST_COMMAND,
    LONGEST_HANDLER,
    LONGEST_PATH,
    MOST_ARGUMENTS,
    VARIABLE,
    check_command,
    check_count,
    check_directory,
    check_exit_code,
    check_handler,
    check_part,
    check_pool,
    check_shell,
    check_user,
    check_value,
    check_variable,
)

SHELL = "/bin/sh"
"""The shell that POSIX systems have."""


class Stdin(Enum):
    """What the command reads from its standard input."""

    PAYLOAD = "payload"
    """The run's payload: a text as it is, any other value as JSON; nothing without a payload."""
    NONE = "none"
    """Nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandTarget:
    """A command, or a Python handler, that an agent runs on its machine."""

    type: ClassVar[str] = "command"
    may_answer_later: ClassVar[bool] = True
    taken_over_when_silent: ClassVar[bool] = True

    pool: Annotated[
        str,
        Field(
            "The pool of the job's namespace whose agents run the command, or the handler.",
            most=128,
            check=check_pool,
            pattern=f"^{checks.NAME.pattern}$",
            examples=("web",),
        ),
    ]
    node: Annotated[
        str | None,
        Field(
            "The one node of the pool that runs it. By default, any live node does. Not with `tags`.",
            most=128,
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
            examples=("web-1",),
        ),
    ] = None
    tags: Annotated[
        Pairs,
        Field(
            "Tags that a node must have to run it, all of them. A live node that has them, and the fewest of its slots in use, gets the run.",
            most=MOST_TAGS,
            check=checks.label_name,
            check_value=checks.label_value,
            pattern=f"^{checks.LABEL.pattern}$",
            examples=({"role": "web"},),
            needs="tags",
        ),
    ] = ()
    count: Annotated[
        str | None,
        Field(
            f"On how many nodes each run is carried out: a number up to {MOST_NODES}, or `all` for every live one. Each node gets a run of "
            "its own. By default 1: any live node. Not with `node`.",
            check=check_count,
            pattern=r"^(all|[1-9][0-9]{0,2})$",
            numbers=True,
            examples=("all", "3"),
            needs="several_nodes",
        ),
    ] = None
    min_success: Annotated[
        int | None,
        Field(
            "Of several nodes, how many must succeed for the run to succeed. By default, all of them.",
            least=1,
            most=MOST_NODES,
            examples=(2,),
            needs="several_nodes",
        ),
    ] = None
    max_parallel: Annotated[
        int | None,
        Field(
            "Of several nodes, on how many the command runs at once; the others follow as these end. By default, on all of them.",
            least=1,
            most=MOST_NODES,
            examples=(1,),
            needs="several_nodes",
        ),
    ] = None
    at_start: Annotated[
        bool,
        Field(
            "Whether it also runs each time a machine starts: once on each node that the job allows, when an agent registers there that was "
            "not seen since the machine or its container started. A job that runs then alone has the schedule `@manual`."
        ),
    ] = False
    command: Annotated[
        str | tuple[str, ...] | None,
        Field(
            "What to run: a text, which `shell` runs, or a list with a program and its arguments, which is run as it is. At most "
            f"{LONGEST_COMMAND:,} characters in all. It is no template: values of the run go into `environment`. Required without "
            "`handler`.",
            most=MOST_ARGUMENTS,
            check=check_part,
            whole=check_command,
            examples=("backup --all", ["backup", "--all"]),
        ),
    ] = None
    handler: Annotated[
        str | None,
        Field(
            "Instead of a command: the name of a Python handler in the app of the agents (`minutehand agent --app`). The run's payload "
            "gives its arguments.",
            most=LONGEST_HANDLER,
            check=check_handler,
            pattern=f"^({checks.NAME.pattern}/)?{checks.NAME.pattern}$",
            examples=("reports.nightly",),
            needs="handlers",
        ),
    ] = None
    shell: Annotated[
        str,
        Field(
            "The shell that runs a text, with `-c`: an absolute path. Not with a list.",
            most=LONGEST_PATH,
            check=check_shell,
            examples=("/bin/bash",),
        ),
    ] = SHELL
    directory: Annotated[
        str | None,
        Field(
            "Where it runs: an absolute path. By default, the home directory of its user.",
            most=LONGEST_PATH,
            check=check_directory,
            examples=("/srv/shop",),
        ),
    ] = None
    environment: Annotated[
        Pairs,
        Field(
            "Variables of the command, stored and shown as given. The values are templates, which may name secrets. Names that begin "
            "with MINUTEHAND_ are the run's own.",
            most=64,
            check=check_variable,
            check_value=check_value,
            pattern=f"^{VARIABLE}$",
            examples=({"CUSTOMER": "{{payload.customer}}", "DB_PASSWORD": "{{secret:ssm:/shop/db}}"},),
        ),
    ] = ()
    user: Annotated[
        str | None,
        Field(
            "The user of the machine who runs it. By default, the agent's own; the agent's configuration must allow any other.",
            most=65,
            check=check_user,
            examples=("deploy",),
        ),
    ] = None
    stdin: Annotated[
        Stdin,
        Field(
            "What the command reads from standard input: the run's payload, a text as it is and any other value as JSON (payload); "
            "nothing (none). Not with `handler`, as the shell and the codes."
        ),
    ] = Stdin.PAYLOAD
    success_codes: Annotated[
        tuple[int, ...],
        Field(
            "Exit codes, 0 to 255, that mean success. Any other fails the attempt.",
            most=64,
            check=check_exit_code,
            examples=([0, 3],),
        ),
    ] = (0,)
    skipped_codes: Annotated[
        tuple[int, ...],
        Field(
            "Exit codes that mean that there was nothing to do: the run ends as `skipped`.",
            most=64,
            check=check_exit_code,
            examples=([75],),
        ),
    ] = ()
    heartbeat: Annotated[
        timedelta,
        Field(
            "Longest silence of the agent while the command runs; then another attempt takes the run over (`takeovers`). Less than timeout, "
            "unless it is the default.",
            least="30s",
            most="7d",
        ),
    ] = timedelta(minutes=3)

    @property
    def in_shell(self) -> bool:
        """Whether the command is a text, which the shell runs."""
        return isinstance(self.command, str)
