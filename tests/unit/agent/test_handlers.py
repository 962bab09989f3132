"""Handlers of an app, each run in a real process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from minutehand.agent.app import AgentApp, HandedOver, check_app
from minutehand.agent.attendance import Patience
from minutehand.agent.command import Command
from minutehand.agent.ending import Outcome
from minutehand.agent.events import Event, Journal
from minutehand.agent.handler_ending import handler_ended, refused_result
from minutehand.agent.launch import launched
from minutehand.agent.not_launched import NotLaunched
from minutehand.agent.order import UnreadableOrder, read_order
from minutehand.agent.output import Output
from minutehand.agent.rules import Rules, default_rules
from minutehand.agent.stopping import Stop
from minutehand.client import ConfigurationError
from tests.support.agent_server import AgentServer, order
from tests.support.http_server import Canned, Request, document
from tests.unit.agent.conftest import NEVER, OWN, QUICK, Start, error_of, result_of

pytestmark = pytest.mark.slow

CODE = """
import os, signal, subprocess, sys, time
from minutehand import App, Context, Failed, job

app = App(__name__, middlewares=[])


@app.init
def opened():
    yield "open"
    print("closed")


@job("reports.nightly")
def nightly(context: Context, days: int = 1) -> object:
    print("half a line", end="\\n")
    context.progress(40, "4 of 10")
    context.log.info("working")
    return {"days": days, "job": context.job, "run": context.run_id, "at": context.scheduled_for.isoformat(),
            "attempt": [context.attempt, context.attempts_left], "state": context.state,
            "parents": [each.result for each in context.parents]}


@job("numbered")
def numbered(context: Context) -> None:
    context.progress(text="3 of 5")


@job("fails")
def fails() -> None:
    raise OSError("no room")


@job("gives-up")
def gives_up() -> None:
    raise Failed("DiskFull", "no room", result={"left": 0})


@job("dies")
def dies(how: str) -> None:
    print("about to die")
    if how == "exit":
        os._exit(0)
    os.kill(os.getpid(), signal.SIGKILL)


@job("noisy")
def noisy() -> str:
    print('{"result": "not this", "error": null}')
    sys.stdout.close()
    os.closerange(0, 3)
    return "this"


@job("closes-all")
def closes_all() -> str:
    os.closerange(3, 1000)
    open("/dev/null"), open("/dev/null")
    return "this"


@job("forks")
def forks() -> str:
    if os.fork() == 0:
        return "the copy's"
    os.wait()
    return "its own"


@job("scribbles")
def scribbles() -> None:
    for fd in range(3, 20):
        try:
            os.pwrite(fd, b"\\xff" * 4096, 0)
            os.pwrite(fd, b"x", 64 * 1024 * 1024)
        except OSError:
            pass
    os._exit(0)


@job("looks")
def looks() -> object:
    open_in_child = subprocess.run(["ls", "-l", "/proc/self/fd"], capture_output=True, text=True).stdout
    parent = []
    for name in ("environ", "mem"):
        try:
            open(f"/proc/{os.getppid()}/{name}", "rb").close()
            parent.append(name)
        except OSError:
            pass
    return {"environment": dict(os.environ), "handover": "memfd" in open_in_child, "parent": parent,
            "stdin": sys.stdin.read(), "folder": os.getcwd()}


@job("waits")
def waits(context: Context) -> str:
    print("begun")
    while not context.cancelled:
        time.sleep(0.01)
    return "left early"


@job("waits.async")
async def waits_async() -> None:
    import asyncio
    print("begun")
    await asyncio.sleep(600)


@job("stubborn")
def stubborn() -> None:
    print("begun")
    time.sleep(600)


@job("huge")
def huge() -> str:
    return "\\u00e4" * 120_000
"""


@pytest.fixture
def app(tmp_path: Path) -> AgentApp:
    """The module `crew`, in a folder of its own."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "crew.py").write_text(CODE, encoding="utf-8")
    return AgentApp("crew", str(folder))


VARIABLES = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "MINUTEHAND_TOKEN": "the-agent-s-own"}


def process_of(
    app: AgentApp | None,
    name: str,
    payload: Any = None,
    *,
    rules: Rules | None = None,
    limit: float = NEVER,
    patience: Patience = QUICK,
    **more: Any,
) -> Command:
    """The process of a handler that is yet to run."""
    handler = {"name": name, "payload": payload, "parents": more.pop("parents", [])}
    found = read_order(order("20261120T090000Z", None, handler=handler, **more))
    handed_over = HandedOver()

    def launch(stdin: int, output: int) -> subprocess.Popen[bytes]:
        return launched(
            found,
            rules or default_rules(OWN.name),
            OWN,
            VARIABLES,
            node="web-1",
            stdin=stdin,
            output=output,
            app=app,
            handover=handed_over.open(),
        )

    judge = partial(handler_ended, handed_over=handed_over.read)
    return Command(found, launch, limit=limit, lease_end=lambda: NEVER, patience=patience, judge=judge)


Run = Callable[..., Outcome]


@pytest.fixture
def run(app: AgentApp) -> Run:
    return lambda name, payload=None, **more: process_of(app, name, payload, **more).run()


def test_a_handler_gets_the_run_and_its_result_is_that_of_the_run(app: AgentApp) -> None:
    parent = {"job": "shop/a", "run_id": "r", "state": "succeeded", "result": {"body": '{"rows": 3}'}}
    process = process_of(app, "reports.nightly", {"days": 7}, parents=[parent])
    outcome = process.run()
    assert (outcome.state, outcome.error) == ("succeeded", None)
    result = result_of(outcome)
    assert result["result"] == {
        "days": 7,
        "job": "shop/report",
        "run": "20261120T090000Z",
        "at": "2026-11-20T09:00:00+00:00",
        "attempt": [1, 2],
        "state": "open",
        "parents": [{"rows": 3}],
    }
    assert result["output"] == "half a line\nINFO crew: working\nclosed\n"
    assert (result["exit_code"], result["seconds"] > 0) == (0, True)
    assert process.output.step == (40, "4 of 10")


def test_a_text_of_progress_that_begins_with_a_number_is_no_percentage(app: AgentApp) -> None:
    process = process_of(app, "numbered")
    process.run()
    assert process.output.step == (None, "3 of 5")


def test_an_exception_is_the_error_of_the_run(run: Run) -> None:
    outcome = run("fails")
    assert (outcome.state, error_of(outcome)) == ("failed", "OSError: no room")
    assert outcome.error is not None
    assert "in fails" in outcome.error["stack"]
    assert "on_agent" not in outcome.error["stack"]
    failed = run("gives-up")
    assert (error_of(failed), result_of(failed)["result"]) == ("DiskFull: no room", {"left": 0})


def test_a_payload_that_does_not_fit_fails_the_run(run: Run) -> None:
    assert error_of(run("reports.nightly", {"days": "soon"})).startswith("InvalidPayload: argument days is")


def test_an_unknown_handler_fails_the_run_and_names_those_that_there_are(run: Run) -> None:
    assert error_of(run("report.nightly")).startswith(
        "UnknownHandler: crew has no handler for 'report.nightly'; did you mean 'reports.nightly'?"
    )


def test_an_agent_without_an_app_says_how_to_start_it() -> None:
    with pytest.raises(NotLaunched, match="start it with --app") as refused:
        process_of(None, "fails").run()
    assert refused.value.type == "UnknownHandler"


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ("exit", "ExitCode: the handler's process ended with exit code 0, and the handler had not returned"),
        ("kill", "Signal: the handler's process was ended by SIGKILL"),
    ],
)
def test_a_process_that_dies_fails_the_run(run: Run, how: str, error: str) -> None:
    outcome = run("dies", {"how": how})
    assert outcome.state == "failed"
    assert error_of(outcome).startswith(error)
    assert (result_of(outcome)["result"], result_of(outcome)["output"]) == (None, "about to die\n")


def test_what_a_handler_prints_or_closes_does_not_change_its_result(run: Run) -> None:
    outcome = run("noisy")
    assert (outcome.state, result_of(outcome)["result"]) == ("succeeded", "this")


def test_a_handler_that_closes_the_file_of_its_outcome_fails(run: Run) -> None:
    outcome = run("closes-all")
    assert error_of(outcome).startswith("ExitCode: the handler's process ended with exit code 1")


def test_a_forked_copy_does_not_report(run: Run) -> None:
    assert result_of(run("forks"))["result"] == "its own"


def test_a_handler_that_scribbles_over_its_outcome_fills_no_memory_and_fails(run: Run) -> None:
    assert error_of(run("scribbles")).startswith("ExitCode")


def test_a_handler_sees_neither_the_token_nor_the_agent(run: Run, tmp_path: Path) -> None:
    found = result_of(run("looks", directory=str(tmp_path), environment={"DAY": "monday"}))["result"]
    assert not {"MINUTEHAND_TOKEN", "MINUTEHAND_URL"} & found["environment"].keys()
    assert "token of" not in str(found)
    assert (found["environment"]["DAY"], found["environment"]["MINUTEHAND_JOB"]) == ("monday", "shop/report")
    assert (found["handover"], found["stdin"], found["folder"]) == (False, "", str(tmp_path))


def test_nothing_is_imported_from_the_directory_that_the_job_chooses(run: Run, tmp_path: Path) -> None:
    for name in ("crew", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from elsewhere')", encoding="utf-8")
    assert run("forks", directory=str(tmp_path)).state == "succeeded"


def test_a_large_result_arrives_whole(run: Run) -> None:
    assert result_of(run("huge"))["result"] == "\u00e4" * 120_000


@pytest.mark.parametrize("name", ["waits", "waits.async", "stubborn"])
def test_a_handler_is_told_to_stop_and_ends_in_time(app: AgentApp, name: str) -> None:
    patience = QUICK if name == "stubborn" else QUICK._replace(term=60, limit=60)
    process = process_of(app, name, deadline="2099-11-20T10:00:00Z", patience=patience)

    def stop() -> None:
        while "begun" not in process.output.text:
            threading.Event().wait(0.01)
        process.request.ask(Stop.TIME_LIMIT)

    threading.Thread(target=stop, daemon=True).start()
    outcome = process.run()
    assert error_of(outcome).startswith("TimedOut: the handler's process was ended")
    assert result_of(outcome)["result"] is None, "what it returns after it was told to stop does not count"
    assert (result_of(outcome)["signal"] == "SIGKILL") is (name == "stubborn")


def test_rules_say_which_handlers_run(app: AgentApp) -> None:
    rules = Rules(users=(OWN.name,), handlers=("reports.*", "forks"), commands=())
    assert process_of(app, "reports.nightly", rules=rules).run().state == "succeeded"
    with pytest.raises(NotLaunched, match="handlers: this agent runs reports") as refused:
        process_of(app, "fails", rules=rules).run()
    assert refused.value.type == "CommandRefused"


def test_loading_an_app_names_its_handlers(app: AgentApp) -> None:
    events: list[Event] = []
    assert "reports.nightly" in check_app(app, OWN, OWN, VARIABLES, Journal(events.append))
    assert [each.action for each in events] == ["app"]
    assert events[0].text.startswith("the app crew has the handlers reports.nightly, numbered")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nothing_of_this_name", "nothing_of_this_name"),
        ("x = 1", "has no handlers"),
        ("import os; print('bye'); os._exit(3)", "ended with exit code 3 before it had"),
    ],
)
def test_an_app_that_does_not_load_is_refused_with_the_reason(app: AgentApp, code: str, said: str) -> None:
    Path(app.folder, "broken.py").write_text(code, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said):
        check_app(app._replace(name="broken"), OWN, OWN, VARIABLES, Journal(lambda _: None))


def test_an_interpreter_that_the_user_cannot_execute_is_named(
    app: AgentApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (closed := tmp_path / "python").touch(mode=0o600)
    monkeypatch.setattr(sys, "executable", str(closed))
    with pytest.raises(ConfigurationError, match=f"{OWN.name} cannot execute {closed}, which is to load the app crew"):
        check_app(app, OWN, OWN, VARIABLES, Journal(lambda _: None))


def test_an_order_of_an_unreadable_handler_quotes_no_payload() -> None:
    with pytest.raises(UnreadableOrder, match="handler of the order is something else, not a handler"):
        read_order(order("r", None, handler={"payload": "secret"}))


def test_a_whole_agent_runs_handlers_beside_commands(server: AgentServer, start: Start, app: AgentApp) -> None:
    server.order("r1", None, handler={"name": "reports.nightly", "payload": {"days": 2}})
    server.order("r2", "echo on")
    server.order("r3", None, handler={"name": "fails"})
    start(app=app)
    assert server.reported("r1")["result"]["result"]["days"] == 2
    assert server.reported("r2")["result"]["output"] == "on\n"
    assert server.reported("r3")["error"]["type"] == "OSError"


def test_what_a_process_hands_over_is_not_believed_blindly() -> None:
    found = read_order(order("r", None, handler={"name": "fails"}))
    output = Output()

    def judged(handed_over: Any, **more: Any) -> Outcome:
        given = {"stop": None, "left": False} | more
        return handler_ended(found, 0, output, 1.0, handed_over=lambda: handed_over, **given)

    odd = judged({"result": 1, "error": {"type": "two words", "message": ["a\x00"], "stack": None}, "stopped": False})
    assert odd.error == {"type": "two_words", "message": "['a\\x00']", "stack": ""}
    assert judged(["result"]).state == "failed"
    done = {"result": 1, "error": None, "stopped": False}
    assert judged(done, stop=Stop.AGENT).state == "succeeded", "it had returned before it was told to stop"
    assert judged(done | {"stopped": True}, stop=Stop.AGENT).state == "failed"


def test_a_result_that_the_api_refuses_fails_the_run_without_it(
    server: AgentServer, start: Start, app: AgentApp
) -> None:
    server.order("r1", None, handler={"name": "forks"})
    answered, refused = server.instead, list[Request]()

    def refuse(request: Request) -> Canned | None:
        if request.path.endswith("/reports") and len(refused) < 2:  # with its output, and without
            refused.append(request)
            return document({"title": "too large", "detail": "the result has 300,000 bytes"}, 413)
        return answered(request)

    server.instead = refuse
    start(app=app)
    report = server.reported("r1")
    assert [each.body["reports"][0]["result"]["output"] == "" for each in refused] == [False, True]
    assert (report["state"], report["error"]["type"]) == ("failed", "InvalidResult")
    assert "the result has 300,000 bytes" in report["error"]["message"]
    assert (report["result"]["result"], report["result"]["output"]) == (None, "")


def test_an_error_stays_if_the_api_refuses_the_result_beside_it() -> None:
    error: Any = {"type": "DiskFull", "message": "no room", "stack": ""}
    bare = refused_result(Outcome("failed", {"result": 1, "output": "x"}, error), "too large")
    assert bare == Outcome("failed", {"result": None, "output": "x"}, error)
