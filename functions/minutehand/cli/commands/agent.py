"""The command `agent`."""

import json
import os
import re
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from minutehand.agent.accounts import Account, account_named, own_account
from minutehand.agent.agent import Agent, Farewell, Timing
from minutehand.agent.app import AgentApp, check_app
from minutehand.agent.boot import this_boot
from minutehand.agent.events import Event, Journal, Log
from minutehand.agent.hardening import hide_memory
from minutehand.agent.membership import Node
from minutehand.agent.queues import Queues
from minutehand.agent.rules import Rules
from minutehand.agent.rules_file import rules_for
from minutehand.cli.command import Session, command
from minutehand.cli.connection import settings_here
from minutehand.cli.failures import Exit, failure, printable
from minutehand.cli.params import Whole, duration, label
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import rfc3339
from minutehand.client import ConfigurationError
from minutehand.client.agents import AgentCalls, Registered

MOST_SLOTS = 100
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}", re.ASCII)
_EXITS: Mapping[Farewell, tuple[Exit, str]] = {
    Farewell.REPLACED: (Exit.CONFLICT, "another agent has this node's name; give each of them its own with --name"),
    Farewell.NOT_ALLOWED: (Exit.NOT_ALLOWED, "the token does not count any more; start the agent with another"),
    Farewell.FAILED: (Exit.FAILED, "the agent has a defect; the log tells which"),
}
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@command(
    "agent",
    examples=[
        "agent --pool shop/web",
        "agent --pool shop/web --app shop.jobs",
        "agent --pool shop/web --name web-1 --concurrency 8 --tag zone=a --config /etc/minutehand/agent.toml",
    ],
)
@click.option("--pool", required=True, metavar="NAMESPACE/NAME", help="The pool whose jobs it runs.")
@click.option("--name", help="The node's name in the pool. [default: the host's name]")
@click.option(
    "--concurrency", type=Whole(1, MOST_SLOTS), default=4, show_default=True, help="Most commands that run at once."
)
@click.option(
    "--tag", "tags", type=label, multiple=True, metavar="NAME=VALUE", help="A tag of the node, for lists. Repeatable."
)
@click.option(
    "--app", metavar="PACKAGE", help="The package or module with the handlers that it also runs, or MODULE:APP."
)
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A TOML file that says what jobs may run here.",
)
@click.option(
    "--drain-for", type=duration, default="3m", show_default=True, help="How long TERM waits for running commands."
)
@click.option(
    "--spool",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for logs that are yet to be sent. [default: $STATE_DIRECTORY or ~/.local/state/minutehand/agent]",
)
def agent_command(
    session: Session,
    screen: Screen,
    *,
    pool: str,
    name: str | None,
    concurrency: int,
    tags: tuple[tuple[str, str], ...],
    app: str | None,
    config: Path | None,
    drain_for: float,
    spool: Path | None,
) -> int:
    """Run the commands of a pool's jobs on this machine, with --app also Python handlers, until TERM or Ctrl-C.

    Needs a token with the role agent, and a stack with agents. Events go to stderr, a line each; with -o json as JSON.
    A second TERM ends running commands at once.
    """
    node = _name_of(name)
    own = own_account(os.environ)
    rules = rules_for(config, own, with_app=app is not None)
    if find_spec("boto3") is None:
        raise ConfigurationError(
            "an agent needs boto3, which is not installed", hint="run: pip install 'minutehand[agent]'"
        )
    log = _log(screen, session, {"pool": pool, "node": node})
    calls = AgentCalls.at(settings_here(), pool=_pool(pool), node=node, session=secrets.token_hex(16))
    hide_memory()
    found = None if app is None else _app(app, rules, own, log)
    agent = Agent(
        calls,
        lambda registered: _queues(registered, calls),
        node=Node(host=socket.gethostname(), version=_version(), tags=dict(tags), slots=concurrency, boot=this_boot()),
        rules=rules,
        app=found,
        own=own,
        environment=os.environ,
        spool=_spool_of(spool, own, pool, node),
        log=log,
        timing=Timing(drain=drain_for),
    )
    _stop_by_signals(agent.stop)
    with calls:
        farewell = agent.run()
    if farewell is not Farewell.STOPPED:
        code, detail = _EXITS[farewell]
        raise failure("the agent has ended", detail, exit_code=code)
    return Exit.DONE


def _pool(text: str) -> str:
    namespace, slash, name = text.partition("/")
    if not (slash and _NAME.fullmatch(namespace) and _NAME.fullmatch(name)):
        raise click.BadParameter(
            f"{text!r:.60} is not a pool: write NAMESPACE/NAME, such as shop/web", param_hint="--pool"
        )
    return text


def _name_of(given: str | None) -> str:
    """The node's name. Names of hosts may have capitals, names of nodes may not."""
    name = socket.gethostname().lower() if given is None else given
    if not _NAME.fullmatch(name):
        raise click.BadParameter(
            f"{name!r:.60} is not a valid name: write 1 to 128 of a-z, 0-9, `.`, `_` and `-`, the first a letter or digit",
            param_hint="--name",
        )
    return name


def _app(name: str, rules: Rules, own: Account, log: Log) -> AgentApp:
    """The app, which loads. Raises ConfigurationError."""
    app = AgentApp(name, str(Path.cwd()))
    account = own if rules.users[0] == own.name else account_named(rules.users[0])
    check_app(app, account or own, own, os.environ, Journal(log))
    return app


def _spool_of(given: Path | None, own: Account, pool: str, node: str) -> Path:
    """The spool folder of a node: each has its own."""
    state = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    home = (account_named(own.name) or own).home  # whatever HOME says: with sudo, it may be another user's
    default = Path(state) if state else Path(home, ".local", "state", "minutehand", "agent")
    return (given or default) / pool / node


def _queues(registered: Registered, calls: AgentCalls) -> Queues:
    from minutehand.agent.sqs import SqsQueues  # noqa: PLC0415 - boto3 is slow to load, and not needed to be refused

    return SqsQueues(registered["pool_queue_url"], registered["region"], calls.credentials)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow, and only agents tell their version

    try:
        return version("minutehand")
    except PackageNotFoundError:
        return "unknown"


def _log(screen: Screen, session: Session, node: Mapping[str, str]) -> Log:
    def as_json(event: Event) -> str:
        line = {"at": rfc3339(session.now()), **event._asdict(), **node, **event.about}
        del line["about"]
        return json.dumps(line, ensure_ascii=False)

    def as_text(event: Event) -> str:
        run = [str(event.about[key]) for key in ("job", "run_id") if key in event.about]
        if "attempt" in event.about:
            run.append(f"attempt {event.about['attempt']}")
        mark = "" if event.level == "info" else f"{event.level}: "
        return (
            f"{rfc3339(session.now())} {event.action:<9} {' '.join([*run, ''])}{mark}{printable(event.text.rstrip())}"
        )

    def write(event: Event) -> None:
        line = as_json(event) if screen.as_json else as_text(event)
        sys.stderr.write(f"{line}\n")  # in one piece, since threads write at once
        sys.stderr.flush()

    return write


def _stop_by_signals(stop: Callable[[], Any]) -> None:
    """Call `stop` at each signal that ends a process, unless whoever started this one has it ignored, as nohup(1) does."""
    for number in _ENDING_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: stop())
