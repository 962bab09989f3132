"""Agents and stacks of different versions: what each version said, against today's API and today's agent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minutehand.agent.order import read_order
from minutehand.agent.polling import HIDDEN_UNKNOWN
from tests.support.agent_server import AgentServer
from tests.support.api_server import TOKEN
from tests.support.http_server import Answered, Request
from tests.support.recorded_protocol import FOLDER, NODE, AgentApiServer, Exchange, recorded, version
from tests.unit.agent.conftest import Start

RECORDINGS = sorted(FOLDER.glob("*.json"))
SAID_ANEW = frozenset(("detail", "problem", "title", "version"))
"""Texts, which each version may word as it likes."""


def read(path: Path) -> list[Exchange]:
    found: list[Exchange] = json.loads(path.read_text(encoding="utf-8"))
    return found


def ask(server: AgentApiServer, method: str, path: str, body: Any, query: dict[str, str] | None = None) -> Exchange:
    """Send a request of an agent."""
    raw = None if body is None else json.dumps(body)
    headers = {"authorization": f"Bearer {TOKEN}"}
    query = query or {}
    queries = {name: [value] for name, value in query.items()}
    server.answer(Request(method=method, path=NODE + path, query=query, queries=queries, headers=headers, raw=raw))
    return server.exchanges[-1]


def lacks(now: Any, then: Any, where: str = "answer") -> Iterator[str]:
    """What an answer of today lacks, or says otherwise, of an earlier one."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name, value in then.items():
            if name not in SAID_ANEW:
                yield from lacks(now.get(name, "nothing"), value, f"{where}.{name}")
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for place, (one, other) in enumerate(zip(now, then, strict=True)):
            yield from lacks(one, other, f"{where}[{place}]")
    elif now != then:
        yield f"{where} is {now!r}, not {then!r}"


def test_this_version_says_what_is_recorded_of_it() -> None:
    # After a change of the protocol: python -m tests.support.recorded_protocol
    assert recorded() == read(FOLDER / f"{version()}.json")


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_todays_api_answers_the_agents_of_every_version_as_they_were_answered(path: Path) -> None:
    with AgentApiServer() as server:
        for then in read(path):
            text = json.dumps(then["request"])
            for place, token in enumerate(server.attempt_tokens, 1):
                text = text.replace(f"token-of-attempt-{place}", token)
            now = ask(server, then["method"], then["path"], json.loads(text), then["query"])
            said = json.dumps(now["answer"])
            for place, token in enumerate(server.attempt_tokens, 1):
                said = said.replace(token, f"token-of-attempt-{place}")
            assert now["status"] == then["status"]
            assert [*lacks(json.loads(said), then["answer"])] == []
            if then["path"] == "/beats" and not any(server.state.runs[key].cancelled_by for key in server.runs_due):
                server.cancel_second()


def test_of_a_request_only_what_the_first_version_needed_is_needed() -> None:
    session = {"session": "session-of-an-agent"}
    with AgentApiServer() as server:
        assert ask(server, "PUT", "", session | {"host": "a", "version": "1", "slots": 1})["status"] == 200
        assert ask(server, "POST", "/beats", session)["status"] == 200
        named = {"job": "shop/report", "run_id": server.runs_due[0].run_id, "attempt": 1}
        [started] = ask(server, "POST", "/starts", session | {"runs": [named]})["answer"]["items"]
        attempt = named | {"token": started["order"]["token"]}
        assert ask(server, "POST", "/beats", session | {"running": [attempt]})["answer"]["unwanted"] == []
        reports = {"reports": [attempt | {"state": "succeeded"}]}
        assert ask(server, "POST", "/reports", session | reports)["answer"]["items"][0]["recorded"]


def with_news(value: Any) -> Any:
    """A document as a newer version might write it, with further fields everywhere but in the variables of a command."""
    if isinstance(value, list):
        return [with_news(each) for each in value]
    if not isinstance(value, dict):
        return value
    news = {"a-newer-field": {"of": ["any", 1, None]}}
    return {name: each if name == "environment" else with_news(each) for name, each in value.items()} | news


class NewerServer(AgentServer):
    """An API whose answers have fields that this version does not know."""

    def answer(self, request: Request) -> Answered:
        found = super().answer(request)
        if request.path == "/" or not found.body:
            return found
        return found._replace(body=json.dumps(with_news(json.loads(found.body))).encode())


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_todays_agent_reads_the_orders_of_every_version_and_of_newer_ones(path: Path) -> None:
    answers = [each["answer"] for each in read(path) if each["path"] == "/starts"]
    orders = [item["order"] for answer in answers for item in answer["items"] if "order" in item]
    assert orders
    assert [read_order(with_news(each)) for each in orders] == [read_order(each) for each in orders]


@pytest.mark.slow
class TestWithANewerServer:
    """A whole agent, to which a newer API answers."""

    @pytest.fixture
    def server(self) -> Iterator[AgentServer]:
        with NewerServer() as server:
            yield server

    def test_an_agent_ignores_fields_that_it_does_not_know(self, server: AgentServer, start: Start) -> None:
        server.order("r1", "echo on")
        server.order("r2", "exec sleep 600")
        start()
        assert server.reported("r1")["result"]["output"] == "on\n"
        server.wait(lambda: server.beats and len(server.beats[-1]["running"]) == 1)
        server.unwanted = [("shop/report", "r2", 1)]
        server.wait(lambda: server.beats[-1]["running"] == [])

    def test_a_message_is_hidden_if_its_decision_is_unknown(self, server: AgentServer, start: Start) -> None:
        item = {"job": "shop/report", "run_id": "r1", "attempt": 1, "decision": "move", "to": "elsewhere"}
        server.say("/starts", {"items": [item]})
        server.send("r1")
        agent = start()
        server.wait(lambda: server.queues.hidden == [("r1", HIDDEN_UNKNOWN)] or server.queues.deleted)
        agent.wait_for("refuse")
        assert server.queues.deleted == []
        assert agent.told("refuse") == "the decision 'move' is unknown; is this agent older than the stack?"

    def test_what_was_asked_before_goes_on_if_a_new_request_is_unknown(self, server: AgentServer, start: Start) -> None:
        server.asked = "pause"
        agent = start()
        server.wait(lambda: len(server.beats) > 1)
        server.asked = "restart"
        server.order("r1", "true")
        beats = len(server.beats)
        server.wait(lambda: len(server.beats) > beats + 3)
        assert server.starts == []
        server.asked = "run"
        assert server.reported("r1")["state"] == "succeeded"
        assert agent.actions().count("resume") == 1
