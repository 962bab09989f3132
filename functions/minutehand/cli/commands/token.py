"""The commands `token create`, `list`, `show`, `revoke` and `whoami`."""

from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import cast

import click

from minutehand.cli.command import Session, command, confirm_delete
from minutehand.cli.params import Instant, local_times
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.client import Caller, Grant, Token

_ROLES = ("viewer", "operator", "admin", "agent")
_TOKEN = click.argument("token_id", metavar="ID")


@click.group("token", no_args_is_help=True)
def token_command() -> None:
    """Make, list and revoke tokens of the API.

    A token has a role in some namespaces, or in all (`*`). An admin makes tokens for its own namespaces.
    """


@command(
    "create",
    token_command,
    examples=[
        "token create dashboard --role viewer -n demo --expires 90d",
        "token create ada --role admin -n '*'",
        "token create web --role agent -n shop -o json",
    ],
)
@click.argument("name")
@click.option("--role", type=click.Choice(_ROLES), required=True, help="What it may do in its namespaces.")
@click.option(
    "-n", "--namespace", "namespaces", multiple=True, required=True, help="A namespace, or '*' for all. Repeatable."
)
@click.option(
    "--expires",
    type=Instant(ahead=True),
    metavar="WHEN",
    help="When it ends: a duration from now such as 90d, or an instant. [default: never]",
)
@local_times
def create_command(
    session: Session,
    screen: Screen,
    *,
    name: str,
    role: str,
    namespaces: tuple[str, ...],
    expires: datetime | None,
) -> None:
    """Make a token, and print its secret, which cannot be shown again. NAME appears as the author of changes.

    Stdout has the secret alone, so that it can go into a variable or a secret store. What the token may do is on stderr.
    """
    with session.connect() as client:
        made = client.create_token(name, role=role, namespaces=namespaces, expires_at=expires)
    if screen.as_json:
        screen.data(made)
        return
    screen.note(f"{made['id']}: {_means(made)}, {_ends(made)}. Its secret is shown only now:")
    screen.text(f"{made['secret']}\n")


@command("list", token_command, examples=["token list", "token list -o json"])
def list_command(session: Session, screen: Screen) -> None:
    """List the tokens that reach no namespaces beyond your own, by name."""
    with session.connect() as client:
        found = sorted(client.tokens(), key=lambda token: (token["name"], token["id"]))
    screen.page(
        {"items": found, "next": None},
        ["id", "name", "role", "namespaces", "expires (UTC)", "last used (UTC)"],
        lambda each: [
            each["id"],
            each["name"],
            each["role"],
            _where(each),
            in_utc(each["expires_at"]),
            in_utc(each["last_used_at"]),
        ],
        empty="there are no tokens that you may see; `minutehand token create` makes one",
    )


@command("show", token_command, examples=["token show t-4k2m7xq5ab"])
@_TOKEN
def show_command(session: Session, screen: Screen, *, token_id: str) -> None:
    """Show a token: what it may do, who made it, when it ends, and when it was used."""
    with session.connect() as client:
        found = client.get_token(token_id)
    screen.record(found, _fields)


@command("revoke", token_command, examples=["token revoke t-4k2m7xq5ab", "token revoke t-4k2m7xq5ab --yes"])
@_TOKEN
@click.option("--yes", is_flag=True, help="Revoke without confirmation.")
def revoke_command(session: Session, screen: Screen, *, token_id: str, yes: bool) -> None:
    """Revoke a token: it is deleted, and refused within 30 seconds."""
    with session.connect() as client:

        def known() -> str:
            found = client.get_token(token_id)
            return f"{found['name']} is {_means(found)}, last used {in_utc(found['last_used_at'])} UTC."

        confirm_delete(session, screen, token_id, yes=yes, known=known)
        client.revoke_token(token_id)
    screen.result({"id": token_id, "result": "revoked"}, lambda done: [done["result"], done["id"]])


@command("whoami", token_command, examples=["token whoami"])
def whoami_command(session: Session, screen: Screen) -> None:
    """Show who you are for the API: your token, or you as a person or a principal of AWS, and what that may do."""
    with session.connect() as client:
        found, origin = client.own_token(), session.token_origin()
    whence = (
        [] if found["kind"] == "principal" else [("token from", origin)]
    )  # a principal of AWS signs, and has no token
    screen.record(found, lambda caller: chain(_caller_fields(caller), whence))


def _caller_fields(caller: Caller) -> Iterator[tuple[str, str]]:
    if caller["kind"] == "token":
        yield from _fields(cast("Token", caller))
        return
    yield "name", caller["name"]
    yield "kind", caller["kind"]
    for grant in caller["grants"]:
        yield grant["role"], _where(grant)


def _fields(token: Token) -> Iterator[tuple[str, str]]:
    yield "id", token["id"]
    yield "name", token["name"]
    yield "role", token["role"]
    yield "namespaces", _where(token)
    yield "made", f"{in_utc(token['created_at'])} UTC by {token['created_by'] or '?'}" if token["created_at"] else "-"
    yield "expires", f"{in_utc(token['expires_at'])} UTC" if token["expires_at"] else "never"
    yield "last used", f"{in_utc(token['last_used_at'])} UTC" if token["last_used_at"] else "-"


def _means(token: Token) -> str:
    return f"{token['role']} in {_where(token)}"


def _where(token: Token | Grant) -> str:
    return "all" if token["namespaces"] == ["*"] else ", ".join(token["namespaces"])


def _ends(token: Token) -> str:
    return f"until {in_utc(token['expires_at'])} UTC" if token["expires_at"] else "does not expire"
