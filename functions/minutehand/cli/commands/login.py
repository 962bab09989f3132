"""The commands `login` and `logout`."""

import sys
from dataclasses import replace
from urllib.parse import urlsplit

import click

from minutehand.cli.command import Session, command
from minutehand.cli.connection import ORIGIN_OF_LOGIN, without_effect
from minutehand.cli.contexts import (
    Context,
    Contexts,
    Place,
    check_name,
    contexts_file,
    drop_token,
    keep_token,
    read_contexts,
    write_contexts,
)
from minutehand.cli.screen.render import Screen
from minutehand.client import Caller, Client, ConfigurationError


@command(
    "login",
    examples=[
        "login https://abc123.execute-api.eu-west-1.amazonaws.com/prod --name prod",
        "login --name prod",
        "login --iam https://def456.execute-api.eu-west-1.amazonaws.com/iam --name prod-iam",
    ],
    calls_api=False,
)
@click.argument("url", required=False)
@click.option("--name", help="The context's name. [default: the host in URL]")
@click.option("--iam", is_flag=True, help="Sign requests with AWS IAM; URL is the stack's IamApiUrl. Nothing is asked.")
def login_command(session: Session, screen: Screen, *, url: str | None, name: str | None, iam: bool) -> None:
    """Store the address and a token of an API as a context, and make it the current one. Without URL, give the context another token.

    The token is read from the terminal without echo, or from stdin. It is stored only if the API accepts it: in the keyring of the
    operating system, or else in a file that only you can read.
    """
    path = contexts_file()
    contexts = read_contexts(path)
    context = _context(contexts, url, name)
    if _is_plain(context.url) and not iam:
        screen.note(f"warning: {context.url} is not https, so that others on the way can read the token")
    token = None if iam else _ask(session, screen, context)
    with Client(context.url, token, origin=ORIGIN_OF_LOGIN, auth="iam" if iam else "token") as client:
        who = client.own_token()
    if token is None:
        kept = replace(drop_token(contexts.known.get(context.name, context)), place=Place.IAM)
    else:
        kept = keep_token(context, token)
    write_contexts(path, replace(contexts.having(kept), current=kept.name))
    screen.result(
        {"name": kept.name, "url": kept.url, "token": kept.place.value, "current": True, "caller": who["name"]},
        lambda _: ["logged in", kept.name, kept.url, f"as {who['name']}, {_means(who)}", _kept(kept)],
    )
    if note := without_effect(kept.name):
        screen.note(note)


@command("logout", examples=["logout", "logout prod"], calls_api=False)
@click.argument("name", required=False)
def logout_command(session: Session, screen: Screen, *, name: str | None) -> None:  # noqa: ARG001 - a command gets its session
    """Forget the token of a context, by default of the current one. Its address stays; the token itself stays valid."""
    path = contexts_file()
    contexts = read_contexts(path)
    if name is None and contexts.current is None:
        raise ConfigurationError("there is no current context", hint="name one: `minutehand context list` lists them")
    before = contexts.named(name or contexts.current or "")
    context = drop_token(before)
    write_contexts(path, contexts.having(context))
    screen.result(
        {"name": context.name, "url": context.url, "token": context.place.value},
        lambda _: ["logged out", context.name, context.url],
    )
    if not before.signs:
        screen.note("the token stays valid until it expires or is revoked: `minutehand token revoke`")


def _context(contexts: Contexts, url: str | None, name: str | None) -> Context:
    """The context to log in to, without a token. Raises ConfigurationError if its name has another address."""
    if url is None:
        if name is None:
            raise click.UsageError("give the address of an API, or --name with the name of a context")
        return replace(contexts.named(name), place=Place.NOWHERE, token=None)
    url = url.rstrip("/")
    Client(url, None).close()  # checks the address before a token is asked for
    name = check_name(name or urlsplit(url).netloc)
    known = contexts.known.get(name)
    if known is not None and known.url != url:
        hint = f"choose another --name, or `minutehand context remove {name}` first"
        raise ConfigurationError(f"context {name} is {known.url}", hint=hint)
    return Context(name=name, url=url)


def _ask(session: Session, screen: Screen, context: Context) -> str:
    """The token, typed without echo, or from stdin."""
    if session.is_attended() and not screen.as_json:
        given: str = click.prompt(f"Token for {context.url}", hide_input=True, err=True)
    else:
        given = sys.stdin.read(10_000)
    if not given.strip():
        raise click.UsageError("no token given: write it to stdin, or log in on a terminal")
    return given.strip()


def _is_plain(url: str) -> bool:
    from minutehand.client.config import is_loopback  # noqa: PLC0415 - only a login needs it

    return urlsplit(url).scheme != "https" and not is_loopback(url)


def _means(caller: Caller) -> str:
    everywhere = caller["namespaces"] == ["*"]
    return f"{caller['role']} in {'all namespaces' if everywhere else ', '.join(caller['namespaces'])}"


def _kept(context: Context) -> str:
    if context.signs:
        return "requests are signed with AWS IAM"
    return "token in the keyring" if context.place is Place.KEYRING else f"token in {contexts_file()}"
