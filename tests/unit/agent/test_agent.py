"""A whole agent, against a server that speaks as the product does."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from minutehand.agent.agent import Farewell
from minutehand.agent.pauses import Span
from minutehand.agent.rules import Rules
from minutehand.client import Conflict, NotAllowed, NotFound
from tests.support.agent_server import INBOX, POOL_QUEUE, AgentServer, order
from tests.support.http_server import Canned, Request, problem
from tests.unit.agent.conftest import OWN, Start, no_threads

pytestmark = pytest.mark.slow

FOREVER = "echo begun; exec sleep 600"


def begun(server: AgentServer, *runs: str) -> None:
    """Wait until heartbeats name these runs."""
    server.wait(lambda: server.beats and {each["run_id"] for each in server.beats[-1]["running"]} >= set(runs))


def test_a_run_of_the_pool_and_one_of_the_node_are_started_and_reported(server: AgentServer, start: Start) -> None:
    server.order("r1", "echo $MINUTEHAND_RUN_ID $MINUTEHAND_NODE")
    server.order("r2", ["false"], inbox=True)
    start()
    one, two = server.reported("r1"), server.reported("r2")
    assert (one["state"], one["error"], one["token"]) == ("succeeded", None, "token of r1")
    assert one["result"]["output"] == "r1 web-1\n"
    assert two["state"] == "failed"
    assert two["error"] == {"type": "ExitCode", "message": "the command ended with exit code 1", "stack": ""}
    server.wait(lambda: sorted(server.queues.deleted) == ["r1", "r2"])
    assert server.queues.hidden == []


def test_it_registers_with_what_it_is_and_leaves_at_its_end(server: AgentServer, start: Start) -> None:
    agent = start(slots=2)
    server.wait(lambda: server.beats)
    agent.stop()
    assert agent.ended() is Farewell.STOPPED
    registered = {"session": "session-1", "host": "host", "version": "1", "tags": {"zone": "a"}, "slots": 2}
    assert server.registered == [registered]
    assert server.session is None
    assert agent.actions() == ["register", "stop", "leave"]


def test_a_message_is_dropped_or_hidden_as_the_api_decides(server: AgentServer, start: Start) -> None:
    server.orders["later"] = 90
    for run_id in ("gone", "later"):
        server.send(run_id)
    server.queues.send("not json")
    server.queues.send('{"job": 1, "run_id": "x", "attempt": "y"}')
    start()
    server.wait(lambda: server.queues.hidden == [("later", 90)])
    server.wait(lambda: sorted(server.queues.deleted) == ["gone", "not json", "x"])


def test_it_takes_no_more_runs_than_it_has_slots_and_leaves_the_others_to_others(
    server: AgentServer, start: Start
) -> None:
    for number in range(6):
        server.order(f"r{number}", FOREVER, inbox=number % 2 == 0)
    start(slots=2)
    server.wait(lambda: server.beats and len(server.beats[-1]["running"]) == 2)
    beats = len(server.beats)
    server.wait(lambda: len(server.beats) > beats + 3)
    assert len([run for body in server.starts for run in body["runs"]]) == 2
    assert server.queues.waiting() + server.queues.waiting(INBOX) == 4
    assert all(seconds == 0 for _, seconds in server.queues.hidden)
    server.unwanted = [("shop/report", each["run_id"], 1) for each in server.beats[-1]["running"]]
    server.wait(lambda: len([run for body in server.starts for run in body["runs"]]) == 4)


def test_many_runs_are_started_and_reported_by_few_requests(server: AgentServer, start: Start) -> None:
    for number in range(25):
        server.order(f"r{number}", "true")
    start(slots=25)
    for number in range(25):
        assert server.reported(f"r{number}")["state"] == "succeeded"
    sizes = [len(body["runs"]) for body in server.starts]
    assert sum(sizes) == 25
    assert max(sizes) == 10


@pytest.mark.thorough
def test_a_thousand_short_commands_run_once_each(server: AgentServer, start: Start, tmp_path: Path) -> None:
    runs = [f"20261120T09{number // 60:02}{number % 60:02}Z" for number in range(1000)]
    for run in runs:
        server.order(run, 'echo "$MINUTEHAND_RUN_ID" >> marks', directory=str(tmp_path))
    start(slots=20)
    server.wait(lambda: len(server.reports) == len(runs), seconds=300)
    assert Counter((tmp_path / "marks").read_text().split()) == Counter(runs)
    assert server.states() == dict.fromkeys(runs, "succeeded")
    assert len(server.starts) < len(runs) / 2, "several are started by one request"


def test_heartbeats_carry_progress_and_their_answers_end_what_is_unwanted(server: AgentServer, start: Start) -> None:
    server.order("r1", "echo ::progress 40 forty; exec sleep 600")
    agent = start()
    server.wait(lambda: server.beats and any(each["progress"] for each in server.beats[-1]["running"]))
    [running] = server.beats[-1]["running"]
    assert running == {
        "job": "shop/report",
        "run_id": "r1",
        "attempt": 1,
        "token": "token of r1",
        "progress": {"percent": 40, "text": "forty"},
    }
    server.unwanted = [("shop/report", "r1", 1)]
    server.wait(lambda: server.beats[-1]["running"] == [])
    agent.stop()
    agent.ended()
    assert server.reports == [], "a cancelled run is not reported"
    assert "ended without a report: unwanted" in agent.told("end")


def test_a_report_carries_the_last_progress(server: AgentServer, start: Start) -> None:
    server.order("r1", "echo ::progress 40 forty; echo ::progress 100 done")
    start()
    assert server.reported("r1")["progress"] == {"percent": 100, "text": "done"}


def test_orders_that_are_too_large_for_one_answer_are_asked_for_again_by_halves(
    server: AgentServer, start: Start
) -> None:
    server.most_orders = 3
    for place in range(10):
        server.order(f"r{place}", "true")
    start(slots=10)
    server.wait(lambda: len(server.reports) == 10)
    assert server.states() == {f"r{place}": "succeeded" for place in range(10)}
    tokens = {each["run_id"]: each["token"] for body in server.starts for each in body["runs"]}
    asked = [(each["run_id"], each["token"]) for body in server.starts for each in body["runs"]]
    assert all(tokens[run] == token for run, token in asked), "with the same tokens"
    assert max(len(body["runs"]) for body in server.starts) > 3


def test_what_the_rules_refuse_fails_the_attempt_and_says_why(server: AgentServer, start: Start) -> None:
    server.order("r1", "true", user="another")
    server.order("r2", "true", directory="/no/such/place")
    start(rules=Rules(users=(OWN.name,)))
    error = server.reported("r1")["error"]
    assert error["type"] == "CommandRefused"
    assert error["message"] == f"users: this agent runs commands as {OWN.name}, not as another"
    assert server.reported("r2")["error"]["type"] == "NoDirectory"
    assert server.reported("r1")["result"] is None


def test_an_order_that_it_cannot_read_is_refused_with_the_field(server: AgentServer, start: Start) -> None:
    server.order("r1", {"new": "kind"})
    server.order("r2", "true", token=None)
    server.order("r3", "true")
    start(slots=1)
    assert server.reported("r3")["state"] == "succeeded"
    error = server.reported("r1")["error"]
    assert (error["type"], "command of the order is {'new': 'kind'}" in error["message"]) == ("CommandRefused", True)


def test_told_to_stop_it_waits_for_running_commands_and_takes_no_more(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    server.order("r1", "while [ ! -e go ]; do sleep 0.01; done; echo done", directory=str(tmp_path))
    agent = start()
    begun(server, "r1")
    agent.stop()
    agent.wait_for("stop")
    server.order("r2", "true")
    beats = len(server.beats)
    server.wait(lambda: len(server.beats) > beats + 3)  # its lease is still renewed
    assert agent.farewell is None
    (tmp_path / "go").touch()
    assert agent.ended() is Farewell.STOPPED
    assert server.reported("r1")["result"]["output"] == "done\n"
    assert server.states() == {"r1": "succeeded"}
    assert server.queues.waiting() == 1
    assert server.session is None


def test_commands_that_run_longer_than_it_waits_are_ended_and_reported(server: AgentServer, start: Start) -> None:
    server.order("r1", FOREVER)
    agent = start(drain=0.2)
    begun(server, "r1")
    agent.stop()
    assert agent.ended() is Farewell.STOPPED
    assert server.reported("r1")["error"]["type"] == "AgentStopped"


def test_told_to_stop_twice_it_ends_at_once(server: AgentServer, start: Start) -> None:
    server.order("r1", "trap '' TERM; echo begun; while :; do sleep 0.05; done")
    agent = start(poll=60)
    begun(server, "r1")
    agent.stop()
    agent.stop()
    assert agent.ended() is Farewell.STOPPED
    report = server.reported("r1")
    assert (report["error"]["type"], report["result"]["signal"]) == ("AgentStopped", "SIGKILL")


def test_a_run_that_is_received_while_it_stops_is_given_back(server: AgentServer, start: Start) -> None:
    agent = start(poll=60)
    server.wait(lambda: server.beats)
    agent.stop()
    agent.wait_for("stop")
    server.order("r1", "true")
    server.order("r2", "true", inbox=True)
    assert agent.ended() is Farewell.STOPPED
    assert server.starts == []
    assert sorted(server.queues.hidden) == [("r1", 0), ("r2", 0)]


def test_an_operator_pauses_and_resumes_a_node(server: AgentServer, start: Start) -> None:
    server.asked = "pause"
    agent = start()
    server.wait(lambda: len(server.beats) > 2)
    server.order("r1", "true")
    beats = len(server.beats)
    server.wait(lambda: len(server.beats) > beats + 3)
    assert server.starts == []
    server.asked = "run"
    assert server.reported("r1")["state"] == "succeeded"
    assert "resume" in agent.actions()


def test_an_operator_drains_a_node_which_ends_with_its_commands(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    server.order("r1", "while [ ! -e go ]; do sleep 0.01; done", directory=str(tmp_path))
    agent = start(drain=0.01)
    begun(server, "r1")
    server.asked = "drain"
    agent.wait_for("drain")
    beats = len(server.beats)
    server.wait(lambda: len(server.beats) > beats + 3)
    assert agent.farewell is None, "a drain waits as long as commands take"
    (tmp_path / "go").touch()
    assert agent.ended() is Farewell.STOPPED
    assert server.states() == {"r1": "succeeded"}


def test_two_agents_of_one_name_are_noticed_and_the_second_ends(server: AgentServer, start: Start) -> None:
    start()
    server.wait(lambda: server.beats)
    second = start(session="session-2", name=0.2)
    ended = second.ended()
    assert isinstance(ended, Conflict)
    assert "another agent is live as node shop/web/web-1" in str(ended)
    assert "not registered yet, trying again" in second.told("register")


def test_an_agent_takes_over_the_name_of_one_that_has_died(server: AgentServer, start: Start) -> None:
    server.session = "of a process that was killed"
    agent = start()
    agent.wait_for("register")
    server.session = None  # it counts as silent now
    server.order("r1", "true")
    assert server.reported("r1")["state"] == "succeeded"


def test_an_agent_whose_name_another_has_ends_with_its_commands_which_it_still_reports(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    server.order("r1", "while [ ! -e go ]; do sleep 0.01; done; echo done", directory=str(tmp_path), heartbeat=3)
    agent = start()
    begun(server, "r1")
    server.session = "session-2"
    agent.wait_for("refused")
    beats = len(server.beats)
    server.wait(lambda: len(server.beats) > beats + 3)  # the API hears from its attempts nevertheless
    server.session = "session-1"  # reports need no session; those of the stub do
    (tmp_path / "go").touch()
    assert agent.ended() is Farewell.REPLACED
    assert server.reported("r1")["result"]["output"] == "done\n"


def test_an_agent_whose_name_another_has_learns_which_of_its_attempts_are_unwanted(
    server: AgentServer, start: Start
) -> None:
    server.order("r1", FOREVER)
    agent = start()
    begun(server, "r1")
    server.session = "session-2"
    agent.wait_for("refused")
    server.unwanted = [("shop/report", "r1", 1)]
    assert agent.ended() is Farewell.REPLACED
    assert server.reports == []


def test_a_node_that_is_not_registered_any_more_registers_again(server: AgentServer, start: Start) -> None:
    agent = start()
    server.wait(lambda: server.beats)
    server.session = None
    server.wait(lambda: len(server.registered) == 2)
    server.order("r1", "true")
    assert server.reported("r1")["state"] == "succeeded"
    assert agent.farewell is None


def test_a_token_that_does_not_count_any_more_ends_the_agent(server: AgentServer, start: Start) -> None:
    agent = start()
    server.wait(lambda: server.beats)
    server.instead = lambda _: problem(403)
    assert agent.ended() is Farewell.NOT_ALLOWED


@pytest.mark.parametrize(("status", "error"), [(401, NotAllowed), (403, NotAllowed), (404, NotFound)])
def test_an_agent_that_may_not_register_ends_with_the_api_s_reason(
    server: AgentServer, start: Start, status: int, error: type[Exception]
) -> None:
    server.instead = lambda _: problem(status, "this stack serves no agents")
    ended = start().ended()
    assert isinstance(ended, error)
    assert "this stack serves no agents" in str(ended)


@pytest.mark.parametrize("trouble", [problem(503), problem(429), Canned(drop=True)])
def test_at_its_start_it_waits_for_an_api_that_does_not_answer(
    server: AgentServer, start: Start, trouble: Canned
) -> None:
    server.canned.extend([trouble] * 3)
    server.order("r1", "true")
    agent = start()
    assert server.reported("r1")["state"] == "succeeded"
    assert agent.told("register").count("trying again") == 3


def test_told_to_stop_before_it_is_registered_it_ends(server: AgentServer, start: Start) -> None:
    server.away = True
    agent = start(retries=Span(60, 60))
    agent.wait_for("register")
    agent.stop()
    assert agent.ended() is Farewell.STOPPED


def test_while_it_is_cut_off_nothing_new_starts_and_ends_are_reported_later(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    server.order("r1", "while [ ! -e go ]; do sleep 0.01; done; echo done", directory=str(tmp_path))
    agent = start()
    begun(server, "r1")
    server.away = True
    agent.wait_for("cut_off")
    server.order("r2", "true")
    (tmp_path / "go").touch()
    requests = len(server.requests)
    server.wait(lambda: len(server.requests) > requests + 10)
    assert server.starts[1:] == []
    assert server.reports == []
    server.away = False
    assert server.reported("r1")["result"]["output"] == "done\n"
    server.send("r2")  # a message that was received meanwhile comes back
    assert server.reported("r2")["state"] == "succeeded"
    assert "connected" in agent.actions()


def test_a_command_ends_before_its_lease_does_if_heartbeats_do_not_get_through(
    server: AgentServer, start: Start
) -> None:
    server.order("r1", FOREVER, heartbeat=1)
    agent = start()
    begun(server, "r1")
    server.away = True
    agent.wait_for("end")
    assert agent.told("end") == "ended without a report: lease"
    server.away = False
    server.wait(lambda: server.beats[-1]["running"] == [])
    assert server.reports == []


@pytest.mark.slow
@pytest.mark.parametrize("takeovers", [0, 2])
def test_a_command_does_not_begin_whose_order_came_when_its_lease_was_nearly_over(
    server: AgentServer, start: Start, tmp_path: Path, takeovers: int
) -> None:
    def slowly(request: Request) -> None:
        if request.path.endswith("/starts"):
            threading.Event().wait(0.6)

    server.instead = slowly
    server.order("r1", "touch begun", heartbeat=1, takeovers=takeovers, directory=str(tmp_path))
    agent = start()
    agent.wait_for("end")
    assert agent.told("end") == "ended without a report: lease"
    assert not (tmp_path / "begun").exists()
    assert server.reports == []


@pytest.mark.slow
def test_a_command_that_nobody_may_take_over_goes_on_while_it_is_cut_off(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    text = "while [ ! -e go ]; do sleep 0.01; done; echo done"
    server.order("r1", text, heartbeat=1, takeovers=0, directory=str(tmp_path))
    agent = start()
    begun(server, "r1")
    server.away = True
    threading.Event().wait(1.5)  # longer than its lease
    assert "end" not in agent.actions()
    server.away = False
    (tmp_path / "go").touch()
    assert server.reported("r1")["result"]["output"] == "done\n"


@pytest.mark.slow
def test_a_report_is_given_up_when_its_lease_is_over(server: AgentServer, start: Start, tmp_path: Path) -> None:
    server.order("r1", "while [ ! -e go ]; do sleep 0.01; done", heartbeat=4, directory=str(tmp_path))
    agent = start()
    begun(server, "r1")
    server.away = True
    (tmp_path / "go").touch()
    agent.wait_for("report")
    assert agent.told("report") == "succeeded, but not reported: its lease is over"
    agent.stop()
    assert agent.ended() is Farewell.STOPPED


def test_a_report_that_the_api_does_not_record_is_not_sent_again(server: AgentServer, start: Start) -> None:
    made = server.order("r1", "true")
    server.before = lambda request: (
        server.orders.update(r1=made | {"token": "another"}) if request.path.endswith("/reports") else None
    )
    agent = start()
    agent.wait_for("end")
    assert agent.told("end") == "succeeded; not recorded: the attempt is over"
    agent.stop()
    assert agent.ended() is Farewell.STOPPED
    assert len([each for each in server.requests if each.path.endswith("/reports")]) == 1


def test_of_reports_that_are_refused_the_output_is_left_out(server: AgentServer, start: Start) -> None:
    def refuse_output(request: Any) -> Canned | None:
        return problem(413) if request.path.endswith("/reports") and "much" in request.raw else None

    server.instead = refuse_output
    server.order("r1", "echo much")
    server.order("r2", "echo little")
    start()
    assert server.reported("r2")["result"]["output"] == "little\n"
    report = server.reported("r1")
    assert (report["state"], report["result"]["output"], report["result"]["exit_code"]) == ("succeeded", "", 0)


def test_a_report_that_is_refused_altogether_does_not_hold_its_slot(server: AgentServer, start: Start) -> None:
    server.instead = lambda request: (
        problem(422) if '"run_id":"r1"' in (request.raw or "") and request.path.endswith("/reports") else None
    )
    server.order("r1", "echo x")
    server.order("r2", "true")
    agent = start(slots=1)
    assert server.reported("r2")["state"] == "succeeded"
    assert "but the report was refused" in agent.told("report")


def test_a_message_that_comes_twice_starts_its_run_once(server: AgentServer, start: Start) -> None:
    server.order("r1", FOREVER)
    start()
    begun(server, "r1")
    server.send("r1")
    server.wait(lambda: server.queues.deleted == ["r1", "r1"])
    assert len(server.beats[-1]["running"]) == 1
    assert server.reports == []


@pytest.mark.parametrize(("missing", "registered"), [(1, 1), (2, 2)], ids=["just made", "gone"])
def test_a_queue_that_stays_missing_is_made_by_registering_again(
    server: AgentServer, start: Start, missing: int, registered: int
) -> None:
    from minutehand.agent.queues import QueueMissing, QueueTrouble  # noqa: PLC0415 - only here

    receive, troubles = server.queues.receive, [*[QueueMissing("gone")] * missing, QueueTrouble("busy")]

    def failing(url: str, most: int, wait: int) -> Any:
        if troubles and url.endswith(POOL_QUEUE):
            raise troubles.pop(0)
        return receive(url, most, wait)

    server.queues.receive = failing  # type: ignore[method-assign]
    server.order("r1", "true")
    agent = start()
    assert server.reported("r1")["state"] == "succeeded"
    assert len(server.registered) == registered
    assert "the queue cannot be polled: busy" in agent.told("poll")


def test_a_defect_ends_the_agent_with_its_commands(
    server: AgentServer, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.order("r1", FOREVER)
    agent = start()
    begun(server, "r1")
    monkeypatch.setattr("minutehand.agent.beating.Key", lambda *_: int("soon"))
    server.unwanted = [("shop/report", "r9", 1)]
    assert agent.ended() is Farewell.FAILED
    assert server.reported("r1")["error"]["type"] == "AgentStopped"
    assert "ValueError" in agent.told("defect")


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/beats", {"registered": True, "unwanted": [], "asked": "run", "beat_every": "soon"}),
        ("/beats", {"registered": True, "unwanted": [], "asked": "run", "beat_every": float("nan")}),
        ("/beats", {"registered": True, "unwanted": [{"job": 5}], "asked": "run", "beat_every": 0.05}),
        ("/beats", {"registered": True, "unwanted": None, "asked": [], "beat_every": 0.05}),
    ],
)
def test_an_answer_that_makes_no_sense_is_none(server: AgentServer, start: Start, path: str, answer: object) -> None:
    server.order("r1", FOREVER)
    agent = start()
    begun(server, "r1")
    server.say(path, answer)
    agent.wait_for("cut_off")
    assert "does not speak Minutehand's API" in agent.told("cut_off")
    server.instead = lambda _: None
    agent.wait_for("connected")
    assert "defect" not in agent.actions()


def test_numbers_beyond_all_bounds_fail_their_attempt_alone(server: AgentServer, start: Start) -> None:
    server.order("r1", "true", timeout=10**400)
    server.order("r2", "true", attempts_left=10**4000)
    server.order("r3", "true")
    agent = start()
    for run in ("r1", "r2"):
        assert "not a whole number" in server.reported(run)["error"]["message"]
    assert server.reported("r3")["state"] == "succeeded"
    assert "defect" not in agent.actions()


def test_a_defect_in_sending_logs_costs_logs_alone(
    server: AgentServer, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minutehand.agent.log_sending.LogSender._ready", lambda _: 1 / 0)
    server.order("r1", "sleep 0.3; echo on")
    agent = start()
    agent.wait_for("defect")
    assert "sends no more logs until it is started again: " in agent.told("defect")
    assert server.reported("r1")["result"]["output"] == "on\n"
    server.order("r2", "yes | head -c 200000")
    assert server.reported("r2")["state"] == "succeeded"
    agent.stop()
    assert agent.ended() is Farewell.STOPPED


def test_events_that_cannot_be_written_cost_neither_commands_nor_the_agent(server: AgentServer, start: Start) -> None:
    agent = start()
    agent.mute = True
    server.order("r1", "echo on")
    server.order("r2", "true", user="another")
    assert server.reported("r1")["result"]["output"] == "on\n"
    assert server.reported("r2")["error"]["type"] == "CommandRefused"
    agent.stop()
    assert agent.ended() is Farewell.STOPPED


def test_a_command_whose_thread_cannot_start_fails_and_the_agent_goes_on(
    server: AgentServer, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_threads(monkeypatch, "command", 1)
    start(slots=1)
    server.order("r1", "true")
    assert server.reported("r1")["error"]["type"] == "NotStarted"
    server.order("r2", "true")
    assert server.reported("r2")["state"] == "succeeded"


def test_an_answer_about_another_run_is_refused(server: AgentServer, start: Start) -> None:
    server.order("r1", "true")
    item = {"job": "shop/report", "run_id": "r2", "attempt": 1, "decision": "run", "order": order("r2", "true")}
    server.say("/starts", {"items": [item]})
    agent = start()
    agent.wait_for("cut_off")
    assert "answered about shop/report r2 instead of shop/report r1" in agent.told("cut_off")
