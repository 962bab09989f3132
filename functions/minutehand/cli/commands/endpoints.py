"""The commands `endpoints show`, `services`, `list`, `register` and `deregister`."""

from collections.abc import Iterator
from datetime import timedelta

import click

from minutehand.cli.command import Session, command, job_argument, name_argument
from minutehand.cli.params import Whole, duration
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc
from minutehand.client import JobEndpoints
from minutehand.client.calls import DEFAULT_NAMESPACE

_HEADERS = ["endpoint", "weight", "failures", "left out until (UTC)", "in flight", "registered until (UTC)"]


@click.group("endpoints", no_args_is_help=True)
def endpoints_command() -> None:
    """Show the endpoints of a job; register those of a service.

    Jobs name a service by target.endpoints.registered. Its endpoints count until their registration ends.
    """


_service_argument = name_argument("service", "SERVICE")


@command("show", endpoints_command, examples=["endpoints show shop/report"])
@job_argument
def show_command(session: Session, screen: Screen, *, job: str) -> None:
    """Show the endpoints of a job: which failed, which are left out, where calls are in flight."""
    with session.connect() as client:
        found = client.endpoints(job)
    screen.record(found, _fields)
    if screen.as_json or not found["items"]:
        return
    screen.line("")
    screen.table(
        _HEADERS,
        [
            [
                each["url"],
                _or_dash(each["weight"]),
                str(each["failures"]),
                in_utc(each["ejected_until"]),
                _or_dash(each["in_flight"]),
                in_utc(each["expires_at"]),
            ]
            for each in found["items"]
        ],
    )


@command("services", endpoints_command, examples=["endpoints services -n shop"])
@click.option("-n", "--namespace", default=DEFAULT_NAMESPACE, show_default=True, help="The namespace to list.")
def services_command(session: Session, screen: Screen, *, namespace: str) -> None:
    """List the services of a namespace, each with the number of its endpoints."""
    with session.connect() as client:
        found = list(client.services(namespace))
    screen.page(
        {"items": found, "next": None},
        ["service", "endpoints"],
        lambda each: [each["name"], str(each["endpoints"])],
        empty=f"no endpoint has registered itself in {namespace}; `minutehand endpoints register` registers one",
    )


@command("list", endpoints_command, examples=["endpoints list shop/reports"])
@_service_argument
def list_command(session: Session, screen: Screen, *, service: str) -> None:
    """List the endpoints that are registered of a service."""
    with session.connect() as client:
        found = client.registered(service)
    screen.page(
        {"items": found, "next": None},
        ["name", "endpoint", "weight", "registered until (UTC)"],
        lambda each: [each["name"], each["url"], str(each["weight"]), in_utc(each["expires_at"])],
        empty=f"the service {service} has no endpoints; `minutehand endpoints register` adds one",
    )


@command("register", endpoints_command, examples=["endpoints register shop/reports web-1 --url http://10.0.3.7:8080"])
@_service_argument
@click.argument("endpoint")
@click.option("--url", required=True, help="Its origin, perhaps with a base path, such as https://10.0.3.7:8443.")
@click.option("--weight", type=Whole(1, 100), default=1, show_default=True, help="Its share of the calls.")
@click.option(
    "--ttl",
    type=duration,
    metavar="DURATION",
    default="60s",
    show_default=True,
    help="How long it is registered: 10s to 1d. Repeat the command in time.",
)
def register_command(
    session: Session, screen: Screen, *, service: str, endpoint: str, url: str, weight: int, ttl: float
) -> None:
    """Register an endpoint of a service for a time, or renew its registration. ENDPOINT is a name, such as that of its machine."""
    with session.connect() as client:
        saved = client.register(service, endpoint, url=url, weight=weight, ttl=timedelta(seconds=ttl))
    screen.result(
        saved,
        lambda saved: [
            f"registered {saved['name']} of service {service}",
            saved["url"],
            f"until {in_utc(saved['expires_at'])} UTC",
        ],
    )


@command("deregister", endpoints_command, examples=["endpoints deregister shop/reports web-1"])
@_service_argument
@click.argument("endpoint")
def deregister_command(session: Session, screen: Screen, *, service: str, endpoint: str) -> None:
    """Remove a registered endpoint of a service."""
    with session.connect() as client:
        client.deregister(service, endpoint)
    removed = {"service": service, "endpoint": endpoint, "result": "removed"}
    screen.result(removed, lambda _: [f"removed {endpoint} of service {service}"])


def _fields(found: JobEndpoints) -> Iterator[tuple[str, str]]:
    yield "job", found["job"]
    yield (
        "found in",
        {"cloud_map": "AWS Cloud Map; shown are those that failed or have calls in flight"}.get(
            found["source"], found["source"]
        ),
    )
    yield "choose", found["choose"]
    yield "calls", f"{found['calls']:,}"


def _or_dash(number: int | None) -> str:
    return "-" if number is None else str(number)
