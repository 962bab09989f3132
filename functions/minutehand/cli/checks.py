"""Judge the parts of a deployment, from what its API answered: the checks of `minutehand doctor`."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from minutehand.cli.screen.times import in_utc, milliseconds, parse_instant
from minutehand.cli.screen.words import counted
from minutehand.client import Caller, Diagnosis, Run
from minutehand.client.models import Queue

DEAD_LETTERS = "_dead_letter"
TICK_LATE, TICK_STOPPED = timedelta(minutes=2, seconds=30), timedelta(minutes=5)
"""Ages of the last tick at which it is late, and at which ticks have stopped. A tick begins each minute, and its minute is what is known."""
SWEEP_LATE = timedelta(hours=1)
CLOCK_OFF, CLOCK_WRONG = timedelta(seconds=5), timedelta(minutes=1)
QUEUE_SLOW, QUEUE_STUCK = timedelta(minutes=2), timedelta(minutes=15)
"""How long after its instant the oldest run that no worker has begun is a warning, and a failure."""
TOKEN_ENDS = timedelta(days=7)
LOG_OF_TICK = "look for errors in the log of the tick function, and whether its EventBridge rule is enabled"


class State(Enum):
    """What a check found."""

    OK = "ok"
    WARNING = "warning"
    """It works, and something should be looked at."""
    FAILED = "failed"
    """It does not work."""


class Check(NamedTuple):
    """A check, what it found, and how to mend that; no hint where all is well."""

    name: str
    state: State
    detail: str
    hint: str | None = None


def ok(name: str, detail: str) -> Check:
    """A check that found all well."""
    return Check(name, State.OK, detail)


def token_check(token: Caller, now: datetime) -> Check:
    """Whether the token is about to expire."""
    where = "all namespaces" if token["namespaces"] == ["*"] else ", ".join(token["namespaces"])
    means = f"{token['name']}, {token['role']} in {where}"
    if token["expires_at"] and parse_instant(token["expires_at"]) - now < TOKEN_ENDS:
        hint = "make another with `minutehand token create`, and store it with `minutehand login`"
        return Check("token", State.WARNING, f"{means}; it expires at {in_utc(token['expires_at'])} UTC", hint)
    return ok("token", means)


def version_check(ours: str, theirs: str) -> Check:
    """Whether the command line and the service have one version."""
    if ours == theirs:
        return ok("version", f"{theirs}, as this command line")
    detail = f"the service has version {theirs}, this command line {ours}"
    return Check("version", State.WARNING, detail, "install the version of the service here, or deploy this one")


def clock_check(theirs: datetime, before: datetime, after: datetime) -> Check:
    """Whether the clocks agree. before, after: this machine's clock around the request."""
    off = max(before - theirs, theirs - after, timedelta(0))
    detail = f"this machine's clock is {_long(off)} {'ahead of' if before > theirs else 'behind'} the service's"
    hint = "synchronize this machine's clock (NTP): instants such as `10m ago` are computed with it"
    if off >= CLOCK_WRONG:
        return Check("clock", State.FAILED, detail, hint)
    if off >= CLOCK_OFF:
        return Check("clock", State.WARNING, detail, hint)
    return ok("clock", "agrees with the service's, as far as a request can tell")


def service_checks(found: Diagnosis, queued: Sequence[Run], *, tzdata: str, rules: str) -> Iterator[Check]:
    """The checks of the service's state. queued: runs that are due and that no worker has begun. tzdata, rules: of this machine."""
    now = parse_instant(found["now"])
    unread = {each["part"] for each in found["troubles"]}
    for trouble in found["troubles"]:
        hint = "see the log of the API function; its role must be that of this version's infra/access.yaml"
        yield Check("permissions", State.FAILED, f"{trouble['part']} cannot be read: {trouble['problem']}", hint)
    if not unread:
        yield ok("permissions", "the API reads its tables and queues")
    if "ticks" not in unread:
        yield _tick(found["last_tick"], found["swept_until"], now)
    if "sweeps" not in unread:
        yield _sweep(found["swept_until"], now)
    if found["overdue"] is not None:
        yield _overdue(found, now)
    yield from _queues(found["queues"], queued, now)
    if "shards" not in unread:
        yield _shards(found["shards"])
    yield _zones(found, tzdata, rules)
    if "time zones" not in unread and found["renewed_for"] is not None:
        yield _renewal(found)


def _tick(last: str | None, swept: str | None, now: datetime) -> Check:
    if last is None:
        if swept is None:
            return Check(
                "tick", State.WARNING, "no tick has run yet", f"on a new stack wait a minute; otherwise {LOG_OF_TICK}"
            )
        return Check("tick", State.FAILED, "no tick has run in the last eight days", LOG_OF_TICK)
    age = now - parse_instant(last)
    detail = f"the last tick ran at {in_utc(last)[:16]} UTC, {_long(age)} ago"
    if age < TICK_LATE:
        return ok("tick", detail)
    return Check("tick", State.FAILED if age >= TICK_STOPPED else State.WARNING, detail, LOG_OF_TICK)


def _sweep(until: str | None, now: datetime) -> Check:
    if until is None:
        hint = "on a new stack wait a minute; otherwise look for errors in the log of the sweep function"
        return Check("sweep", State.WARNING, "no sweep has run yet", hint)
    age = now - parse_instant(until)
    detail = f"sweeps have looked at all runs up to {_long(age)} ago"
    if age < SWEEP_LATE:
        return ok("sweep", detail)
    return Check("sweep", State.FAILED, detail, "look for errors in the log of the sweep function")


def _overdue(found: Diagnosis, now: datetime) -> Check:
    overdue = found["overdue"]
    if overdue is None or not overdue["timers"]:
        return ok("overdue", "no timer is overdue")
    oldest = f", the oldest since {_long(now - parse_instant(overdue['oldest']))}" if overdue["oldest"] else ""
    detail = f"{counted(overdue['timers'], 'timer')}{' or more' if overdue['more'] else ''} overdue{oldest}"
    return Check("overdue", State.FAILED, detail, f"ticks run late, or not at all: {LOG_OF_TICK}")


def _queues(queues: Sequence[Queue], queued: Sequence[Run], now: datetime) -> Iterator[Check]:
    for each in queues:
        name = f"queue {each['name']}"
        if each["name"].endswith(DEAD_LETTERS):
            left = each["waiting"] + each["in_flight"]
            if not left:
                yield ok(name, "no dead letters")
                continue
            hint = "the sweep starts drains, which end these runs: see the log of the drain function, then `minutehand redrive NAMESPACE/`"
            yield Check(name, State.WARNING, counted(left, "dead letter"), hint)
        else:
            yield ok(
                name,
                f"{counted(each['waiting'], 'message')} waiting, {each['delayed']:,} delayed, {each['in_flight']:,} in flight",
            )
    instants = [parse_instant(run["starts_at"] if run.get("starts_at") else run["scheduled_for"]) for run in queued]
    if not queues:
        return
    age = now - min(instants, default=now)
    if age < QUEUE_SLOW:
        yield ok("queue age", "no run has waited for a worker for long")
        return
    hint = "look at the errors and throttles of the worker functions, and at WorkerMaxConcurrency; then `minutehand redrive NAMESPACE/`"
    state = State.FAILED if age >= QUEUE_STUCK else State.WARNING
    yield Check("queue age", state, f"the oldest run that no worker has begun was due {_long(age)} ago", hint)


def _shards(state: str | None) -> Check:
    if state == "awaited":
        hint = (
            "deploy again if this lasts for more than five minutes: the tick has another number of shards than the API"
        )
        return Check("functions", State.WARNING, "the tick does not read the API's number of shards yet", hint)
    moving = "" if state == "settled" else f"; timers are {state}"
    return ok("functions", f"the tick reads the API's number of shards{moving}")


def _zones(found: Diagnosis, tzdata: str, rules: str) -> Check:
    theirs = found["tzdata"]
    if rules == found["zone_rules"]:
        return ok("tzdata", f"{theirs}, as this command line")
    if theirs != tzdata:
        detail = f"the service has the time zones of {theirs}, this command line those of {tzdata}"
        hint = "install the service's version here: until then `minutehand next SCHEDULE` may show other instants than the service runs"
        return Check("tzdata", State.WARNING, detail, hint)
    detail = f"the rules of {theirs} differ between the service and this command line"
    return Check("tzdata", State.FAILED, detail, "one of the two was changed or damaged: install and deploy it again")


def _renewal(found: Diagnosis) -> Check:
    if found["renewed_for"] != found["tzdata"]:
        detail = f"the sweep has the time zones of {found['renewed_for']}, the API those of {found['tzdata']}"
        return Check("functions", State.WARNING, detail, "wait for the end of the deployment, or deploy again")
    done = "all timers follow" if found["renewed"] else "timers are being moved to"
    return ok("renewal", f"{done} the time zones of {found['tzdata']}")


def _long(age: timedelta) -> str:
    return milliseconds(max(age, timedelta(0)) / timedelta(milliseconds=1))
