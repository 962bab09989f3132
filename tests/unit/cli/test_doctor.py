"""The command `doctor`: each check, with how to mend what it found."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from click.testing import CliRunner

from minutehand.cli.command import Session
from minutehand.cli.main import app
from minutehand.client import Client
from minutehand.domain.token import Role, digest_of
from minutehand.schedule import TZDATA_VERSION
from minutehand.usecases.ports.queues import Depth
from minutehand.usecases.ports.stores import Renewal
from minutehand.usecases.ports.sweeps import SweepProgress
from minutehand.usecases.upkeep.shards import ReshardingState, ShardStatus
from tests.support.api_server import NOW, TOKEN, ApiServer
from tests.support.http_server import Canned, closed_port
from tests.unit.cli.conftest import Cli, Sleeper

MINUTE = timedelta(minutes=1)


@pytest.fixture
def healthy(api: ApiServer) -> ApiServer:
    """A deployment in which all is well."""
    ports = api.ports
    ports.timers.record_tick(NOW)
    ports.timers.record_renewal(Renewal(version=TZDATA_VERSION, done=True))
    ports.sweeps.record(SweepProgress(until=NOW - MINUTE, version=1))
    for name in ("http", "http_dead_letter", "http_slow"):
        api.state.depths[name] = Depth(name, waiting=0, delayed=4, in_flight=0)
    return api


def checks(cli: Cli, *arguments: str) -> dict[str, dict[str, Any]]:
    """The checks by their names, and the exit code under `exit`."""
    result = cli("doctor", "-o", "json", *arguments)
    found = {each["check"]: each for each in json.loads(result.stdout)["items"]}
    failed = any(each["state"] == "failed" for each in found.values())
    assert result.exit_code == (1 if failed else 0)
    return found


def test_where_all_is_well_every_check_is_ok(healthy: ApiServer, cli: Cli) -> None:
    found = checks(cli)
    assert {each["state"] for each in found.values()} == {"ok"}
    assert {each["hint"] for each in found.values()} == {None}
    assert list(found) == [
        *("api", "version", "token", "clock", "permissions", "tick", "sweep", "overdue"),
        *("queue http", "queue http_dead_letter", "queue http_slow", "queue age"),
        *("functions", "tzdata", "renewal"),
    ]


def test_a_stack_that_has_never_ticked_is_new_rather_than_broken(api: ApiServer, cli: Cli) -> None:
    found = checks(cli)["tick"]
    assert (found["state"], found["detail"]) == ("warning", "no tick has run yet")
    assert found["hint"].startswith("on a new stack wait a minute")


def test_people_see_a_line_for_each_check_and_the_hint_below(healthy: ApiServer, cli: Cli) -> None:
    healthy.state.depths["http_dead_letter"] = Depth("http_dead_letter", waiting=2, delayed=0, in_flight=1)
    result = cli("doctor")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("warning"))
    assert lines[place].split("  ")[-1] == "3 dead letters"
    assert lines[place + 1].strip().startswith("hint: ")
    assert "15 checks: 0 failed, 1 with a warning" in result.stderr


def _no_tick(api: ApiServer) -> None:
    api.state.ticks.clear()


def _old_tick(api: ApiServer) -> None:
    api.state.ticks = {NOW - 5 * MINUTE}


def _late_tick(api: ApiServer) -> None:
    api.state.ticks = {NOW - 3 * MINUTE}


def _old_sweep(api: ApiServer) -> None:
    api.ports.sweeps.record(SweepProgress(until=NOW - 90 * MINUTE, version=2))


def _overdue(api: ApiServer) -> None:
    api.add_job("demo/beat")
    for job, timer in api.state.timers.items():
        api.state.timers[job] = replace(timer, next_at=NOW - 7 * MINUTE)


def _queued_for(minutes: int) -> Callable[[ApiServer], None]:
    def prepare(api: ApiServer) -> None:
        api.add_job("demo/beat")
        at = NOW - minutes * MINUTE
        api.claim_ahead("demo/beat", f"{at:%Y%m%dT%H%M%SZ}", claimed_at=at)

    return prepare


def _refused(api: ApiServer) -> None:
    api.state.depths["http"] = None


def _awaited(api: ApiServer) -> None:
    api.shards = ShardStatus(8, 4, ReshardingState.AWAITED)


def _other_zones(api: ApiServer) -> None:
    api.ports.timers.record_renewal(Renewal(version="1999a", done=True))


def _expiring(api: ApiServer) -> None:
    digest = digest_of(TOKEN)
    api.state.tokens[digest] = api.state.tokens[digest]._replace(expires_at=NOW + timedelta(days=3))


FINDINGS: list[tuple[Callable[[ApiServer], None], str, str, str]] = [
    (_no_tick, "tick", "failed", "no tick has run in the last eight days"),
    (_old_tick, "tick", "failed", "the last tick ran at 2026-11-20 08:25 UTC, 5m ago"),
    (_late_tick, "tick", "warning", "the last tick ran at 2026-11-20 08:27 UTC, 3m ago"),
    (_old_sweep, "sweep", "failed", "sweeps have looked at all runs up to 1h30m ago"),
    (_overdue, "overdue", "failed", "1 timer overdue, the oldest since 7m"),
    (_queued_for(1), "queue age", "ok", "no run has waited for a worker for long"),
    (_queued_for(3), "queue age", "warning", "the oldest run that no worker has begun was due 3m ago"),
    (_queued_for(20), "queue age", "failed", "the oldest run that no worker has begun was due 20m ago"),
    (
        _refused,
        "permissions",
        "failed",
        "queue http cannot be read: GetQueueAttributes on queue http failed: access denied",
    ),
    (_awaited, "functions", "warning", "the tick does not read the API's number of shards yet"),
    (_other_zones, "functions", "warning", f"the sweep has the time zones of 1999a, the API those of {TZDATA_VERSION}"),
    (_expiring, "token", "warning", "admin, admin in all namespaces; it expires at 2026-11-23 08:30:00 UTC"),
]


@pytest.mark.parametrize(("prepare", "check", "state", "detail"), FINDINGS)
def test_each_trouble_is_found_with_a_hint(
    healthy: ApiServer, cli: Cli, prepare: Callable[[ApiServer], None], check: str, state: str, detail: str
) -> None:
    prepare(healthy)
    found = checks(cli)[check]
    assert (found["state"], found["detail"]) == (state, detail)
    assert (found["hint"] is None) == (state == "ok")


@pytest.mark.parametrize(("seconds", "state"), [(4, "ok"), (6, "warning"), (-6, "warning"), (90, "failed")])
def test_the_clocks_are_compared(healthy: ApiServer, cli: Cli, sleeper: Sleeper, seconds: int, state: str) -> None:
    sleeper.passed = timedelta(seconds=seconds)
    found = checks(cli)["clock"]
    assert found["state"] == state
    if state != "ok":
        assert f"{abs(seconds)}s" in found["detail"].replace("1m30s", "90s").replace(".0s", "s")
        assert ("ahead" in found["detail"]) == (seconds > 0)


def _said(api: ApiServer, **changed: Any) -> None:
    api.say("/v1/diagnosis", api.ask("GET", "diagnosis") | changed)


def test_other_versions_and_time_zones_are_warnings(healthy: ApiServer, cli: Cli) -> None:
    healthy.say("/v1/health", {"status": "ok", "version": "9.9.9"})
    _said(healthy, tzdata="2019a", renewed_for="2019a", zone_rules="0" * 16)
    found = checks(cli)
    assert found["version"]["detail"] == "the service has version 9.9.9, this command line 0.1.0"
    assert (found["version"]["state"], found["tzdata"]["state"]) == ("warning", "warning")


def test_changed_rules_of_the_same_release_are_a_failure(healthy: ApiServer, cli: Cli) -> None:
    _said(healthy, zone_rules="0" * 16)
    assert checks(cli)["tzdata"]["state"] == "failed"


def test_a_token_of_one_namespace_is_told_what_cannot_be_checked(healthy: ApiServer, cli: Cli) -> None:
    healthy.allow(Role.VIEWER, "demo")
    found = checks(cli)
    assert found["token"]["detail"] == "admin, viewer in demo"
    assert (found["service"]["state"], list(found)[-1]) == ("warning", "service")


def test_an_older_service_is_a_warning(healthy: ApiServer, cli: Cli) -> None:
    problem = {"title": "Not found", "status": 404, "detail": "there is no route '/v1/diagnosis'"}
    ok = {"status": "ok", "version": "0.1.0"}
    token = healthy.ask("GET", "token")
    healthy.canned.extend(Canned(body=json.dumps(each).encode()) for each in (ok, token))
    healthy.canned.append(Canned(status=404, body=json.dumps(problem).encode()))
    assert checks(cli)["service"]["detail"] == "the service is too old to tell its state"


def test_a_refused_token_fails_with_what_to_check_and_is_not_shown(healthy: ApiServer) -> None:
    result = CliRunner().invoke(app, ["doctor"], env={"MINUTEHAND_URL": healthy.url, "MINUTEHAND_TOKEN": "mh_wrong"})
    assert result.exit_code == 1
    assert "failed   token" in result.stdout
    assert "hint: the address is from MINUTEHAND_URL: check MINUTEHAND_TOKEN" in result.stdout
    assert "mh_wrong" not in result.output


def test_an_api_that_is_away_is_the_only_finding() -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    session = Session(connect_without_token=lambda: Client(url, None, backoff=0))
    result = CliRunner().invoke(app, ["doctor", "-o", "json"], obj=session)
    assert result.exit_code == 1
    [found] = json.loads(result.stdout)["items"]
    assert (found["check"], found["state"]) == ("api", "failed")
    assert url in found["detail"]
