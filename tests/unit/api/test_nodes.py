"""Nodes in the API: what agents ask and report, and what people see and ask of nodes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.actor import Actor
from minutehand.domain.errors import Unavailable, Unreadable
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import NodeKey, PoolKey
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.routes import served_by
from minutehand.targets.command.fields import CommandTarget
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import NOON, Answer, Api, FakeClock, known_tokens

NODE = "/v1/namespaces/demo/pools/web/nodes/a"
SESSION = {"session": "session-a"}
MACHINE = {"host": "a.shop.internal", "version": "1.0", "slots": 4}
BACKUP = JobKey("demo", "backup")
NAMED = {"job": "demo/backup", "run_id": "20261120T120000Z", "attempt": 1}
KEY = NodeKey(PoolKey("demo", "web"), "a")


@pytest.fixture
def agent(api: Api) -> Api:
    """An agent that is registered as node a."""
    agent = api.by(token="agents", role="agent", namespaces="demo")
    assert agent.put(SESSION | MACHINE | {"tags": {"zone": "ü"}}, NODE).status == 200
    return agent


@pytest.fixture
def due(ports: Ports) -> RunKey:
    """A run of a command that is due at noon."""
    target = CommandTarget(pool="web", command="backup --all", environment=(("DAY", "{{scheduled_for}}"),))
    job = Job(key=BACKUP, schedule="0 12 * * *", target=target, timeout=timedelta(minutes=10))
    manage.save(ports, job, keep_paused=False, who=Actor("ada"))
    key = RunKey.scheduled(BACKUP, NOON.replace(second=0))
    run = Run(key=key, target="command", revision=1, claimed_at=NOON, expires_at=NOON + timedelta(days=30))
    ports.runs.claim([run])
    return key


def starts(agent: Api, *runs: dict[str, Any]) -> list[dict[str, Any]]:
    answer = agent.post(f"{NODE}/starts", body=SESSION | {"runs": list(runs or (NAMED,))})
    assert answer.status == 200, answer.body
    items: list[dict[str, Any]] = answer.body["items"]
    return items


def reports(agent: Api, token: str, **report: Any) -> dict[str, Any]:
    body = SESSION | {"reports": [NAMED | {"token": token} | report]}
    answer = agent.post(f"{NODE}/reports", body=body)
    assert answer.status == 200, answer.body
    [item] = answer.body["items"]
    return dict(item)


def test_an_agent_registers_and_is_told_its_queues_and_how_often_to_beat(api: Api) -> None:
    answer = api.by(role="agent", namespaces="demo").put(SESSION | MACHINE, NODE)
    assert answer.status == 200
    assert answer.body == {
        "node": {
            "pool": "web",
            "node": "a",
            "host": "a.shop.internal",
            "version": "1.0",
            "tags": {},
            "slots": 4,
            "running": 0,
            "registered_at": "2026-11-20T12:00:30Z",
            "seen_at": "2026-11-20T12:00:30Z",
            "live": True,
            "asked": "run",
        },
        "pool_queue_url": "https://queues.test/demo/web",
        "inbox_url": "https://queues.test/demo/web/a",
        "region": "eu-west-1",
        "beat_every": 60,
    }


def test_a_second_agent_of_a_name_is_told_so(agent: Api) -> None:
    answer = agent.put({"session": "session-of-another"} | MACHINE, NODE)
    assert answer.status == 409
    assert "another agent is live as node demo/web/a, on host a.shop.internal" in answer.body["detail"]


@pytest.mark.parametrize(
    ("path", "change", "field", "message"),
    [
        (NODE, {"session": "short"}, "session", "'short' is not a session"),
        (NODE, {"slots": 0}, "slots", "0 is out of range"),
        (NODE, {"tags": {"a b": "c"}}, "tags.a b", "'a b' is not a valid label name"),
        (NODE, {"tags": {f"t{n}": "" for n in range(21)}}, "tags", "there are 21 tags; 20 is the most"),
        (NODE, {"hosts": "a"}, "hosts", "unknown field"),
        (NODE.replace("nodes/a", "nodes/A"), {}, "node", "'A' is not a valid name"),
        (NODE.replace("pools/web", "pools/Web"), {}, "pool", "'Web' is not a valid name"),
    ],
)
def test_a_bad_registration_is_refused_at_its_place(
    api: Api, path: str, change: dict[str, Any], field: str, message: str
) -> None:
    answer = api.by(role="agent").put(SESSION | MACHINE | change, path)
    assert answer.status == 422
    assert answer.errors[field]["message"].startswith(message)
    assert answer.errors[field]["hint"]


def test_the_whole_life_of_a_command(agent: Api, due: RunKey, state: MemoryState, clock: FakeClock) -> None:
    [started] = starts(agent)
    order = started["order"]
    assert (started["decision"], order["command"], order["environment"]) == (
        "run",
        "backup --all",
        {"DAY": "2026-11-20T12:00:00Z"},
    )
    assert (order["attempt"], order["timeout"], order["heartbeat"]) == (1, 600, 180)
    assert state.runs[due].worker == "web/a"
    clock.move(seconds=100)
    running = [NAMED | {"token": order["token"], "progress": {"percent": 40, "text": "2 of 5"}}]
    beat = agent.post(f"{NODE}/beats", body=SESSION | {"running": running})
    assert beat.body == {"registered": True, "unwanted": [], "asked": "run", "beat_every": 60}
    assert state.runs[due].lease_until == clock.now + timedelta(minutes=3)
    result = {"exit_code": 0, "signal": None, "output": "done\n", "output_bytes": 5, "seconds": 101.5}
    assert reports(agent, order["token"], state="succeeded", result=result) == NAMED | {
        "recorded": True,
        "problem": None,
    }
    run = state.runs[due]
    assert run.state is RunState.SUCCEEDED
    assert run.result is not None
    assert (run.result.type, json.loads(run.result.body)) == ("command", result)


def test_a_run_that_is_not_started_has_no_order(agent: Api, due: RunKey) -> None:
    foreign = {"job": "other/backup", "run_id": due.run_id, "attempt": 1}
    first, second, third = starts(agent, NAMED, NAMED, foreign)
    assert first["decision"] == "run"
    for answer in (second, third):
        assert answer.keys() == {"job", "run_id", "attempt", "decision"}
        assert answer["decision"] == "drop"


def test_a_message_is_hidden_for_whole_seconds(agent: Api, due: RunKey, ports: Ports, monkeypatch: Any) -> None:
    monkeypatch.setattr(type(ports.runs), "get", _fails)
    [answer] = starts(agent)
    assert (answer["decision"], answer["seconds"]) == ("hide", 10)
    assert "order" not in answer


def _fails(*_: Any) -> Any:
    raise Unavailable("no answer")


@pytest.mark.parametrize(
    ("report", "ends", "error"),
    [
        ({"state": "failed", "error": {"type": "ExitCode", "message": "exit code 3"}}, RunState.FAILED, "ExitCode"),
        ({"state": "failed"}, RunState.FAILED, "Failed"),
        ({"state": "failed", "error": {"type": "TimedOut", "message": "10m"}}, RunState.TIMED_OUT, "TimedOut"),
        ({"state": "skipped", "result": {"exit_code": 75}}, RunState.SKIPPED, None),
    ],
)
def test_a_command_ends_as_its_agent_reports(
    agent: Api, due: RunKey, state: MemoryState, report: dict[str, Any], ends: RunState, error: str | None
) -> None:
    [started] = starts(agent)
    assert reports(agent, started["order"]["token"], **report)["recorded"]
    run = state.runs[due]
    assert (run.state, run.error and run.error.type) == (ends, error)
    assert run.skip_reason is (SkipReason.TARGET if ends is RunState.SKIPPED else None)


@pytest.mark.parametrize(
    ("error", "retried"), [("ExitCode", True), ("CommandRefused", False), ("UnknownHandler", False)]
)
def test_what_a_machine_refuses_is_not_tried_again(
    agent: Api, due: RunKey, state: MemoryState, error: str, retried: bool
) -> None:
    definition = state.definitions[BACKUP]
    retry = definition.job.retry._replace(max_attempts=3)
    state.definitions[BACKUP] = replace(definition, job=replace(definition.job, retry=retry))
    [started] = starts(agent)
    reports(agent, started["order"]["token"], state="failed", error={"type": error, "message": "no"})
    assert (state.runs[due].state is RunState.RETRYING) is retried


def test_a_report_that_is_refused_says_why(agent: Api, due: RunKey, state: MemoryState) -> None:
    starts(agent)
    answer = reports(agent, "the-token-of-another-attempt", state="succeeded")
    assert answer["recorded"] is False
    assert "the token does not belong to this attempt" in answer["problem"]
    assert state.runs[due].state is RunState.WAITING


def test_an_error_without_a_failure_is_refused(agent: Api, due: RunKey) -> None:
    error = {"type": "ExitCode", "message": "exit code 3"}
    body = SESSION | {"reports": [NAMED | {"token": "t", "state": "skipped", "error": error}]}
    answer = agent.post(f"{NODE}/reports", body=body)
    assert answer.errors["reports[0].error"]["message"] == "an attempt that was skipped has no error"


@pytest.mark.parametrize(
    ("what", "body", "field", "message"),
    [
        ("starts", {"runs": [NAMED | {"job": "backup"}]}, "runs[0].job", "'backup' is not the full name of a job"),
        ("starts", {"runs": [NAMED | {"job": "demo/backup#output"}]}, "runs[0].job", "'demo/backup#output' is not"),
        ("starts", {"runs": [NAMED | {"run_id": "END"}]}, "runs[0].run_id", "'END' is not a run id"),
        ("starts", {"runs": [NAMED] * 11}, "runs", "this has 11 entries; 10 is the most"),
        ("starts", {}, "runs", "this is required"),
        ("beats", {"running": [NAMED]}, "running[0].token", "this is required"),
        (
            "reports",
            {"reports": [NAMED | {"token": "t", "state": "lost"}]},
            "reports[0].state",
            "'lost' is not a valid",
        ),
        ("credentials", {"session": "ü" * 8}, "session", "'üüüüüüüü' is not a session"),
    ],
)
def test_bad_requests_of_agents_are_refused_at_their_place(
    agent: Api, what: str, body: dict[str, Any], field: str, message: str
) -> None:
    answer = agent.post(f"{NODE}/{what}", body=SESSION | body)
    assert answer.status == 422
    assert answer.errors[field]["message"].startswith(message), answer.errors


def test_credentials_are_for_the_agent_of_the_node_alone(agent: Api) -> None:
    answer = agent.post(f"{NODE}/credentials", body=SESSION)
    assert answer.body["expires_at"] == "2026-11-20T12:15:30Z"
    other = agent.post(f"{NODE}/credentials", body={"session": "session-of-another"})
    assert other.status == 409


@pytest.mark.parametrize("what", ["starts", "beats", "reports", "credentials"])
def test_a_token_of_another_namespace_is_refused(agent: Api, due: RunKey, what: str) -> None:
    stranger = agent.by(namespaces="other")
    assert stranger.post(f"{NODE}/{what}", body=SESSION).status == 403
    assert stranger.put(SESSION | MACHINE, NODE).status == 403


def test_an_agent_leaves_and_its_node_is_shown_as_not_live(agent: Api, api: Api) -> None:
    assert agent.send("DELETE", NODE, query=SESSION).status == 204
    assert agent.send("DELETE", NODE, query=SESSION).status == 204
    assert api.get(NODE).body["live"] is False
    answer = agent.send("DELETE", NODE)
    assert (answer.status, answer.errors["session"]["message"]) == (400, "'' is not a session")


def test_people_see_the_nodes_of_their_namespace(agent: Api, api: Api, clock: FakeClock) -> None:
    agent.put({"session": "session-b"} | MACHINE, NODE.replace("nodes/a", "nodes/b"))
    clock.move(seconds=100)
    agent.post(f"{NODE}/beats", body=SESSION)
    clock.move(seconds=60)
    viewer = api.by(role="viewer", namespaces="demo")
    found = viewer.get("/v1/namespaces/demo/nodes").body
    assert [(each["node"], each["live"]) for each in found["items"]] == [("a", True), ("b", False)]
    first = viewer.get("/v1/namespaces/demo/nodes", query={"limit": "1"}).body
    rest = viewer.get("/v1/namespaces/demo/nodes", query={"cursor": first["next"]}).body
    assert [each["node"] for each in (*first["items"], *rest["items"])] == ["a", "b"]
    assert viewer.get(NODE).body == found["items"][0]
    assert viewer.get("/v1/namespaces/demo/nodes", query={"cursor": "x"}).status == 400


def test_a_node_that_does_not_exist_is_404(api: Api) -> None:
    for answer in (api.get(NODE), api.post(f"{NODE}/ask", body={"asked": "pause"})):
        assert answer.status == 404
        assert "the pool demo/web has no node a" in answer.body["detail"]


def test_an_operator_asks_and_the_agent_learns_of_it(
    agent: Api, api: Api, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    operator = api.by(token="bob", role="operator", namespaces="demo")
    answer = operator.post(f"{NODE}/ask", body={"asked": "drain"})
    assert (answer.status, answer.body["asked"]) == (200, "drain")
    assert agent.post(f"{NODE}/beats", body=SESSION).body["asked"] == "drain"
    [record] = api.get("/v1/audit", query={"namespace": "demo", "action": "ask_node"}).body["items"]
    assert (record["actor"], record["about"]) == ("bob", {"pool": "web", "node": "a"})
    assert record["changes"] == [{"path": "/asked", "before": "run", "after": "drain"}]
    assert [line["node"] for line in lines() if line.get("action") == "ask_node"] == ["demo/web/a"]


@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("agent", 403), ("operator", 200)])
def test_only_operators_ask(agent: Api, role: str, status: int) -> None:
    assert agent.by(role=role).post(f"{NODE}/ask", body={"asked": "pause"}).status == status


def test_what_cannot_be_asked_is_refused(agent: Api, api: Api) -> None:
    answer: Answer = api.post(f"{NODE}/ask", body={"asked": "stop"})
    assert answer.errors["asked"]["hint"] == "write 'run', 'pause' or 'drain'"


def test_what_agents_do_is_logged_without_tokens_and_results(
    agent: Api, due: RunKey, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    [started] = starts(agent)
    token = started["order"]["token"]
    reports(agent, token, state="succeeded", result="a secret result")
    reports(agent, token, state="succeeded", result="a secret result")
    logged = [line for line in lines() if line.get("action") in ("start", "report")]
    assert [(line["action"], line["job"], line["node"]) for line in logged] == [
        ("start", "demo/backup", "demo/web/a"),
        ("report", "demo/backup", "demo/web/a"),
        ("report", "demo/backup", "demo/web/a"),
    ]
    assert (logged[0]["decision"], logged[1]["state"]) == ("run", "succeeded")
    assert "has ended" in logged[2]["problem"]
    assert token not in repr(lines())
    assert "a secret result" not in repr(logged)


def test_a_stack_without_agents_says_so_to_an_agent(ports: Ports) -> None:
    deployment = Deployment(tokens_of=known_tokens, ports_of=lambda: ports)
    api = Api(app=make_app(deployment, served_by("Api", "Agents")), role="agent")
    for answer in (
        api.put(SESSION | MACHINE, NODE),
        api.post(f"{NODE}/starts", body=SESSION | {"runs": []}),
        api.post(f"{NODE}/beats", body=SESSION),
        api.post(f"{NODE}/credentials", body=SESSION),
        api.send("DELETE", NODE, query=SESSION),
    ):
        assert answer.status == 404
        assert "Agents=true" in answer.body["detail"]


def test_a_trigger_may_name_the_node(api: Api, due: RunKey, state: MemoryState) -> None:
    path, key = "/v1/namespaces/demo/jobs/backup/trigger", {"Idempotency-Key": "deploy-7"}
    answer = api.post(path, body={"node": "web-1"}, headers=key)
    assert (answer.status, answer.body["only_node"]) == (202, "web-1")
    assert state.runs[RunKey(due.job, answer.body["run_id"])].only_node == "web-1"
    other = api.post(path, body={"node": "web-2"}, headers=key)
    assert other.status == 409
    assert "with another node" in other.body["detail"]


def test_an_agent_that_registers_in_a_new_boot_starts_the_jobs_that_ask_for_it(
    api: Api, ports: Ports, state: MemoryState, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    target = CommandTarget(pool="web", command="warm-up", at_start=True)
    job = Job(key=JobKey("demo", "warm-up"), schedule="@manual", target=target)
    manage.save(ports, job, keep_paused=False, who=Actor("ada"))
    agent = api.by(token="agents", role="agent", namespaces="demo")
    for _ in range(2):
        assert agent.put(SESSION | MACHINE | {"boot": "b1"}, NODE).status == 200
    [run] = state.runs.values()
    assert (run.key.job, run.only_node) == (job.key, "a")
    assert [line["run_id"] for line in lines() if line.get("action") == "start_for_boot"] == [run.key.run_id]


def test_a_job_that_cannot_be_read_keeps_no_agent_from_its_work(
    api: Api, monkeypatch: pytest.MonkeyPatch, state: MemoryState
) -> None:
    def unreadable(*_: object) -> Any:
        raise Unreadable("item JOB#x cannot be read")

    monkeypatch.setattr("minutehand.entrypoints.api.endpoints.agents.start_for_boot", unreadable)
    agent = api.by(token="agents", role="agent", namespaces="demo")
    assert agent.put(SESSION | MACHINE | {"boot": "b1"}, NODE).status == 200
    assert state.nodes[KEY].boot == ""
