"""The commands `node list`, `show`, `pause`, `resume` and `drain`."""

from collections.abc import Iterator, Sequence
from typing import Literal

import click

from minutehand.cli.command import Session, command, name_argument
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.client import Node
from minutehand.client.calls import DEFAULT_NAMESPACE

_HEADERS = ["pool", "node", "live", "asked", "running", "slots", "seen (UTC)", "host", "version", "tags"]


@click.group("node", no_args_is_help=True)
def node_command() -> None:
    """Show and control nodes: the agents that run the commands of jobs on machines of one's own.

    An agent serves a pool of a namespace, under the name of a node. Jobs name the pool by target.pool.
    """


_pool_argument = name_argument("pool", "POOL")
_node_argument = click.argument("node")


@command("list", node_command, examples=["node list -n shop"])
@click.option("-n", "--namespace", default=DEFAULT_NAMESPACE, show_default=True, help="The namespace to list.")
def list_command(session: Session, screen: Screen, *, namespace: str) -> None:
    """List the nodes of a namespace. One whose agent has ended is listed for another day."""
    with session.connect() as client:
        found = list(client.nodes(namespace))
    screen.page(
        {"items": found, "next": None},
        _HEADERS,
        _cells,
        empty=f"no agent has registered in namespace {namespace} (-n names another); `minutehand agent` starts one",
    )
    for pool in _unserved(found):
        screen.note(
            f"no agent that takes work is live in pool {pool}: runs of its jobs wait, until start_within if they have one"
        )


@command("show", node_command, examples=["node show shop/web web-1"])
@_pool_argument
@_node_argument
def show_command(session: Session, screen: Screen, *, pool: str, node: str) -> None:
    """Show a node: its host, what it runs, and what was asked of it."""
    with session.connect() as client:
        found = client.node(pool, node)
    screen.record(found, _fields)


@command("pause", node_command, examples=["node pause shop/web web-1"])
@_pool_argument
@_node_argument
def pause_command(session: Session, screen: Screen, *, pool: str, node: str) -> None:
    """Have a node take no new work until it is resumed. What it runs goes on; the pause outlasts a restart."""
    _ask(session, screen, pool, node, "pause")


@command("resume", node_command, examples=["node resume shop/web web-1"])
@_pool_argument
@_node_argument
def resume_command(session: Session, screen: Screen, *, pool: str, node: str) -> None:
    """Have a node take work again, after a pause or a drain."""
    _ask(session, screen, pool, node, "run")


@command("drain", node_command, examples=["node drain shop/web web-1"])
@_pool_argument
@_node_argument
def drain_command(session: Session, screen: Screen, *, pool: str, node: str) -> None:
    """Have a node take no new work, and end once nothing is running. Started again, it takes work."""
    _ask(session, screen, pool, node, "drain")


def _ask(session: Session, screen: Screen, pool: str, node: str, asked: Literal["run", "pause", "drain"]) -> None:
    with session.connect() as client:
        found = client.ask_node(pool, node, asked)
    told = {
        "run": "takes work",
        "pause": "takes no new work",
        "drain": "takes no new work, and ends when nothing is running",
    }
    when = "within a minute" if found["live"] else "once its agent is back: it is not live"
    screen.result(found, lambda _: [f"node {node} of pool {pool} {told[asked]}", when])


def _unserved(nodes: Sequence[Node]) -> list[str]:
    """The pools among those of nodes in which nobody takes work."""
    served = {node["pool"]: False for node in nodes}
    for node in nodes:
        served[node["pool"]] |= node["live"] and node["asked"] == "run"
    return [pool for pool, somebody in served.items() if not somebody]


def _cells(node: Node) -> list[str]:
    return [
        node["pool"],
        node["node"],
        "yes" if node["live"] else "no",
        node["asked"],
        str(node["running"]),
        str(node["slots"]),
        in_utc(node["seen_at"]),
        node["host"],
        node["version"],
        _tags(node),
    ]


def _tags(node: Node) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(node["tags"].items())) or "-"


def _fields(node: Node) -> Iterator[tuple[str, str]]:
    yield "pool", node["pool"]
    yield "node", node["node"]
    yield "live", "yes" if node["live"] else "no"
    yield "asked", node["asked"]
    yield "running", f"{node['running']} of {node['slots']}"
    yield "host", node["host"]
    yield "version", node["version"]
    yield "tags", _tags(node)
    yield "registered", f"{in_utc(node['registered_at'])} UTC"
    yield "seen", f"{in_utc(node['seen_at'])} UTC"
