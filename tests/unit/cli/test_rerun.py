"""The command `rerun`, and a trigger with the payload of another run."""

import json
from typing import Any

import pytest

from minutehand.client import Client, Conflict, Invalid, NotFound
from tests.support.api_server import TOKEN, ApiServer
from tests.unit.cli.conftest import Cli, Sleeper

PATH = "namespaces/demo/jobs/beat"


def made_with(api: ApiServer, payload: Any) -> str:
    """A failed run that was triggered with a payload of its own."""
    run_id: str = api.ask("POST", f"{PATH}/trigger", {"payload": payload})["run_id"]
    api.move_all("demo/beat", "failed")
    return run_id


def payload_of(api: ApiServer, run_id: str) -> Any:
    [key] = [key for key in api.state.runs if key.run_id == run_id]
    found = api.ports.runs.payload(key)
    return found and found.value


def test_the_newest_failed_run_runs_again_with_its_payload(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T060000Z", "failed")
    failed = made_with(api, {"days": 7})
    made = json.loads(cli("rerun", job, "-o", "json").stdout)
    assert made["run_id"] != failed
    assert payload_of(api, made["run_id"]) == {"days": 7}


def test_a_run_with_the_jobs_payload_runs_again_with_the_jobs(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T060000Z", "failed")
    api.add_run(job, "20261120T070000Z")
    made = json.loads(cli("rerun", job, "-o", "json").stdout)
    assert payload_of(api, made["run_id"]) is None
    assert cli("rerun", job, "20261120T07").exit_code == 0, "any run may be named, by the beginning of its id"


def test_it_waits_for_the_end(api: ApiServer, cli: Cli, job: str, sleeper: Sleeper) -> None:
    api.add_run(job, "20261120T060000Z", "failed")
    sleeper.then = [lambda: api.move_all(job, "failed")] * 2
    result = cli("rerun", job, "-w")
    assert result.exit_code == 1
    assert "waiting for run" in result.stderr


def test_without_a_failed_run_it_says_what_to_do(api: ApiServer, cli: Cli, job: str) -> None:
    result = cli("rerun", job)
    assert result.exit_code == 3
    assert f"`minutehand trigger {job}`" in result.stderr


def test_a_timeout_without_wait_is_bad_usage(api: ApiServer, cli: Cli) -> None:
    assert cli("rerun", "demo/beat", "--timeout", "5m").exit_code == 2


@pytest.fixture
def client(api: ApiServer) -> Client:
    return Client(api.url, TOKEN, backoff=0)


def test_a_payload_that_is_gone_is_a_conflict(api: ApiServer, client: Client, job: str) -> None:
    failed = made_with(api, 1)
    api.state.payloads.clear()
    with pytest.raises(Conflict, match="is gone"):
        client.trigger(job, payload_of=failed)


def test_a_run_that_never_was_is_not_found(api: ApiServer, client: Client, job: str) -> None:
    with pytest.raises(NotFound, match="no run 20261120T060000Z"):
        client.trigger(job, payload_of="20261120T060000Z")


@pytest.mark.parametrize("body", [{"payload": None, "payload_of": "20261120T060000Z"}, {"payload_of": "x"}])
def test_two_payloads_and_what_is_no_run_are_refused(client: Client, job: str, body: Any) -> None:
    with pytest.raises(Invalid) as caught:
        client.trigger(job, **body)
    assert [error["path"] for error in caught.value.errors] == ["payload_of"]
