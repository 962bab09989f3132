"""The handler of the function `agents`: messages, requests of agents, and the clean-up of each hour."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryTokens
from minutehand.domain.actor import Actor
from minutehand.domain.run import RunState
from minutehand.domain.token import Role, Token, digest_of
from minutehand.entrypoints import agents, batches, bootstrap, clients, tokens
from minutehand.entrypoints.settings import Settings
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.operations.trigger import trigger
from tests.unit.domain.examples import KEY
from tests.unit.entrypoints.handling import Context, body_of, record
from tests.unit.usecases.agents.serving import POOL, A, Serving

SECRET = "s" * 40
QUEUES = {"http": "https://sqs.test/1/http", "agents": "https://sqs.test/1/agents"}
GIVEN = Settings(jobs_table="jobs", queue_urls=QUEUES, worker="agents", region="eu-west-1")


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> Serving:
    serving = Serving()
    for module in (clients, batches):
        monkeypatch.setattr(module, "settings", lambda: GIVEN)
    monkeypatch.setattr(clients, "clock", lambda: serving.now)
    stored = MemoryTokens(serving.state)
    stored.put(Token(digest=digest_of(SECRET), name="agents", role=Role.AGENT, namespaces=(KEY.namespace,)))
    monkeypatch.setattr(agents, "tokens", lambda: stored)
    monkeypatch.setattr(batches, "ports", lambda: serving.ports)
    for name, made in {
        "ports": serving.ports,
        "agents": serving.agents,
        "nodes": serving.nodes,
        "inbox": serving.inbox,
    }.items():
        monkeypatch.setattr(bootstrap, name, lambda *_, made=made: made)
    agents._app.cache_clear()
    agents._equipment.cache_clear()
    tokens.tokens.cache_clear()
    serving.state.messages.clear()
    return serving


def asks(method: str, what: str = "", **body: Any) -> dict[str, Any]:
    path = f"/v1/namespaces/{POOL.namespace}/pools/{POOL.name}/nodes/{A.name}{what}"
    event = {
        "httpMethod": method,
        "path": path,
        "resource": path,
        "headers": {"Authorization": f"Bearer {SECRET}"},
        "multiValueHeaders": {},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {"requestId": "r", "stage": "prod", "path": path, "httpMethod": method},
        "body": json.dumps({"session": "session-a"} | body),
        "isBase64Encoded": False,
    }
    return agents.handler(event, Context())


def forwards() -> dict[str, Any]:
    return agents.handler({"Records": [record(1, body_of("09:00"))]}, Context())


def test_a_message_is_forwarded_to_the_pool_and_deleted(serving: Serving) -> None:
    serving.joins(A)
    assert forwards() == {"batchItemFailures": []}
    assert [message.run for message in serving.of(POOL)] == [serving.nine.key]


def test_a_message_whose_run_nobody_takes_is_replaced_by_a_later_one(serving: Serving) -> None:
    assert forwards() == {"batchItemFailures": []}
    assert [message.run for message in serving.state.messages] == [serving.nine.key]


def test_a_run_that_finds_no_live_agent_is_counted(serving: Serving, capsys: pytest.CaptureFixture[str]) -> None:
    forwards()
    assert '"RunsWithoutAgent":[1.0]' in capsys.readouterr().out
    serving.wait(60)
    serving.joins(A)
    forwards()
    assert "RunsWithoutAgent" not in capsys.readouterr().out


def test_a_message_that_the_pools_queue_refuses_stays_and_the_function_fails(serving: Serving) -> None:
    serving.joins(A)
    serving.queues.fails("send")
    with pytest.raises(Exception, match="no message of a batch of 1 could be dealt with"):
        forwards()


def test_an_agent_registers_and_gets_the_order_of_a_run(serving: Serving) -> None:
    registered = asks("PUT", host="a", version="1", slots=1)
    assert (registered["statusCode"], json.loads(registered["body"])["region"]) == (200, "eu-west-1")
    forwards()
    named = {"job": str(KEY), "run_id": serving.nine.key.run_id, "attempt": 1}
    [answer] = json.loads(asks("POST", "/starts", runs=[named])["body"])["items"]
    assert (answer["decision"], answer["order"]["command"]) == ("run", "backup --all")
    assert len(answer["order"]["token"]) == 32
    assert serving.nine.state is RunState.WAITING
    attempt = named | {"token": answer["order"]["token"]}
    serving.wait(60)
    assert json.loads(asks("POST", "/beats", running=[attempt])["body"])["unwanted"] == []
    [reported] = json.loads(asks("POST", "/reports", reports=[attempt | {"state": "succeeded"}])["body"])["items"]
    assert reported["recorded"]
    assert serving.nine.state is RunState.SUCCEEDED


def test_orders_that_do_not_fit_one_answer_are_given_to_who_asks_about_fewer(serving: Serving) -> None:
    serving.change(payload="\u00e9" * 120_000)
    ten = [
        trigger(serving.ports, KEY, idempotency_key=str(place), who=Actor("ada"), ignore_overlap=True).run
        for place in range(10)
    ]
    asks("PUT", host="a", version="1", slots=10)
    forwards()
    named = [
        {"job": str(KEY), "run_id": run.key.run_id, "attempt": 1, "token": f"{place}" * 32}
        for place, run in enumerate(ten)
    ]
    refused = asks("POST", "/starts", runs=named)
    assert (refused["statusCode"], json.loads(refused["body"])["type"]) == (
        413,
        "urn:problem-type:minutehand:too-large",
    )
    for some in (named[:5], named[5:]):
        answer = asks("POST", "/starts", runs=some)
        assert len(json.dumps(answer, ensure_ascii=False).encode()) < 6_291_556
        items = json.loads(answer["body"])["items"]
        assert [(each["decision"], each["order"]["token"]) for each in items] == [
            ("run", each["token"]) for each in some
        ]


def test_a_run_in_shadow_is_described_by_the_function_itself(serving: Serving) -> None:
    serving.change(shadow=True)
    forwards()
    assert serving.nine.ended_in_shadow
    assert serving.of(POOL) == []


def test_a_job_that_has_become_one_of_http_goes_to_its_worker(serving: Serving) -> None:
    serving.joins(A)
    job = serving.state.definitions[KEY].job
    serving.save(type(job)(key=KEY, schedule=job.schedule, target=HttpTarget(method="GET", url="https://shop.test/")))
    serving.state.messages.clear()
    assert forwards() == {"batchItemFailures": []}
    assert [message.target for message in serving.state.messages] == ["http"]


def test_the_clean_up_of_the_hour_removes_what_is_gone(serving: Serving) -> None:
    serving.joins(A)
    serving.now += timedelta(days=2)
    assert agents.handler({"source": "aws.events", "detail-type": "Scheduled Event"}, Context()) == {
        "nodes": 1,
        "pools": 0,
    }
