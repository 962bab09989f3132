"""The command `doctor`."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from minutehand import __version__
from minutehand.cli.checks import Check, State, clock_check, ok, service_checks, token_check, version_check
from minutehand.cli.command import Session, command, problem_of
from minutehand.cli.failures import Exit
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.styles import Styled
from minutehand.cli.screen.times import parse_instant
from minutehand.client import Client, MinutehandError, NotAllowed, NotFound, Run

_COLOURS = {State.OK: "green", State.WARNING: "yellow", State.FAILED: "red"}
_DAY, _DUE = timedelta(days=1), timedelta(minutes=1)


@command("doctor", examples=["doctor", "doctor --context prod -o json"])
def doctor_command(session: Session, screen: Screen) -> int:
    """Check a deployment end to end: address and token, clocks, ticks, overdue timers, queues, dead letters, permissions, versions, time
    zones. Each finding says how to mend it. Exit 1 if a check failed.

    The state of the service needs a token for all namespaces.
    """
    found = list(_checks(session))
    failed = any(check.state is State.FAILED for check in found)
    if screen.as_json:
        items = [
            {"check": check.name, "state": check.state.value, "detail": check.detail, "hint": check.hint}
            for check in found
        ]
        screen.data({"items": items})
    else:
        _print(screen, found)
    return Exit.FAILED if failed else Exit.DONE


def _checks(session: Session) -> Iterator[Check]:
    """Each check in order, until one fails without which the others cannot be made."""
    try:
        with session.connect_without_token() as client:
            health = client.health()
            yield ok("api", f"{client.url} answers")
    except MinutehandError as error:
        yield _failed("api", error)
        return
    yield version_check(__version__, health["version"])
    try:
        with session.connect() as client:
            yield token_check(client.own_token(), session.now())
            yield from _service(session, client)
    except MinutehandError as error:
        yield _failed("token", error)


def _service(session: Session, client: Client) -> Iterator[Check]:
    before = session.now()
    try:
        found = client.diagnosis()
    except NotAllowed:
        hint = "use a token for all namespaces to check ticks, queues and time zones"
        yield Check("service", State.WARNING, "the token is not for all namespaces", hint)
        return
    except NotFound:
        yield Check("service", State.WARNING, "the service is too old to tell its state", "deploy this version")
        return
    except MinutehandError as error:
        yield _failed("service", error)
        return
    yield clock_check(parse_instant(found["now"]), before, session.now())
    from minutehand.schedule.zones import TZDATA_VERSION, rules_digest  # noqa: PLC0415 - loads the time zones

    queued = _queued(client, found["now"])
    yield from service_checks(found, queued, tzdata=TZDATA_VERSION, rules=rules_digest())


def _queued(client: Client, now: str) -> Sequence[Run]:
    """Runs of the last day that are due and that no worker has begun: one page of them, newest first."""
    until = parse_instant(now) - _DUE
    return client.all_runs_page(state="queued", start=until - _DAY, end=until)["items"]


def _failed(name: str, error: MinutehandError) -> Check:
    return Check(name, State.FAILED, error.message, problem_of(error).get("hint"))


def _print(screen: Screen, checks: Sequence[Check]) -> None:
    widest = max(len(check.name) for check in checks)
    for check in checks:
        state = Styled(check.state.value.ljust(len(State.WARNING.value)), _COLOURS[check.state])
        screen.line(state, check.name.ljust(widest), check.detail)
        if check.hint:
            screen.line(" " * len(State.WARNING.value), " " * widest, f"hint: {check.hint}")
    bad = [sum(check.state is state for check in checks) for state in (State.FAILED, State.WARNING)]
    screen.note(f"{len(checks)} checks: {bad[0]} failed, {bad[1]} with a warning")
