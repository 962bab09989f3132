"""One run of a handler: what it is given, and how its end becomes an outcome."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from minutehand.handlers import Failed, Invocation, Parent
from minutehand.handlers.worker import Worker
from tests.unit.handlers.conftest import Handlers, event

CONTEXT = """
    @job("tell")
    def tell(context: Context) -> Any:
        return {tell}
"""


@pytest.mark.parametrize(
    ("tell", "told"),
    [
        (
            "[context.job, context.run_id, context.attempt, context.attempts_left]",
            ["demo/tell", "20261120T120000Z", 2, 1],
        ),
        ("context.scheduled_for.isoformat()", "2026-11-20T12:00:00+00:00"),
        ("context.deadline.isoformat()", "2026-11-20T12:00:30+00:00"),
        ("context.time_left.total_seconds()", 30),
        ("context.idempotency_key", "demo/tell/20261120T120000Z"),
        ("context.payload", {"a": 1}),
        ("context.cancelled", False),
        ("context.state", None),
        ("repr(context)", "Context(demo/tell 20261120T120000Z attempt 2)"),
    ],
)
def test_a_handler_knows_its_run(handlers: Handlers, tell: str, told: object) -> None:
    tester = handlers(CONTEXT.format(tell=tell))
    ran = tester.run("demo/tell", {"a": 1}, attempt=2, attempts_left=1, timeout=timedelta(seconds=30))
    assert ran.result == told


def test_a_child_reads_its_parents_results(handlers: Handlers) -> None:
    tester = handlers("""
        @job("total")
        def total(context: Context) -> Any:
            return {each.job: each.result["rows"] for each in context.parents}
    """)
    ran = tester.run("total", parents={"extract": {"rows": 7}, "shop/stock": {"rows": 3}})
    assert ran.result == {"default/extract": 7, "shop/stock": 3}


def test_a_parent_that_failed_has_its_error_and_no_result() -> None:
    parent = Parent.of({"job": "a/b", "run_id": "x", "state": "failed", "result": None, "error": {"type": "DiskFull"}})
    assert (parent.state, parent.result, parent.error) == ("failed", None, {"type": "DiskFull"})


def test_progress_and_heartbeats_say_whether_to_stop(handlers: Handlers) -> None:
    tester = handlers("""
        @job("copy")
        def copy(context: Context) -> int:
            for number in range(1, 11):
                if context.progress(10 * number, f"{number} of 10"):
                    return number
            return 0
    """)
    assert tester.run("copy").result == 0
    ran = tester.run("copy", cancel_after=2)
    assert (ran.result, ran.progress) == (2, ((10, "1 of 10"), (20, "2 of 10")))


def test_a_run_past_its_deadline_is_to_stop(handlers: Handlers) -> None:
    tester = handlers(CONTEXT.format(tell="[context.cancelled, context.time_left.total_seconds()]"))
    assert tester.run("tell", timeout=timedelta(0)).result == [True, 0]


def test_log_lines_carry_the_run(handlers: Handlers, caplog: pytest.LogCaptureFixture) -> None:
    tester = handlers("""
        @job("copy")
        def copy(context: Context) -> None:
            context.log.warning("no %s", "room", extra={"disk": "b"})
    """)
    caplog.set_level(logging.INFO)
    tester.run("demo/copy", attempt=3)
    [record] = [each for each in caplog.records if each.getMessage() == "no room"]
    about = {name: record.__dict__[name] for name in ("job", "run_id", "attempt", "disk")}
    assert about == {"job": "demo/copy", "run_id": "20261120T120000Z", "attempt": 3, "disk": "b"}
    assert record.name == tester.app.package


def test_an_exception_is_an_error_with_type_message_and_the_handler_s_own_stack(handlers: Handlers) -> None:
    outcome = (
        handlers("""
        @job("copy")
        def copy() -> None:
            raise OSError("no room\\x1b[2J")
    """)
        .run("copy")
        .outcome
    )
    assert outcome.error is not None
    assert (outcome.error.type, outcome.error.message) == ("OSError", "no room [2J")
    assert 'raise OSError("no room' in outcome.error.stack
    assert "in copy" in outcome.error.stack
    assert "handlers/worker.py" not in outcome.error.stack


def test_a_handler_names_its_error_and_adds_a_result(handlers: Handlers) -> None:
    tester = handlers("""
        @job("copy")
        def copy(context: Context) -> None:
            raise Failed("DiskFull", "no room", result=context.payload)
    """)
    outcome = tester.run("copy", {"copied": 3}).outcome
    assert outcome.error is not None
    assert (outcome.error.type, outcome.error.message, outcome.result) == ("DiskFull", "no room", {"copied": 3})
    with pytest.raises(Failed, match="no room"):
        tester.run("copy").result  # noqa: B018 - raises


def test_an_exception_without_a_text_is_a_failure_under_its_type(handlers: Handlers) -> None:
    tester = handlers("""
        class Mute(Exception):
            def __str__(self) -> str:
                raise KeyError("no text")

        class Notes(dict[str, int]):
            def items(self) -> Any:
                raise Mute

        @job("a")
        def a() -> None:
            raise Mute

        @job("b")
        def b() -> None:
            raise Failed("DiskFull", "no room", result=Notes(rows=1))

        @job("c")
        def c() -> None:
            raise Failed(7, "no word")
    """)
    mute = "the text of this error could not be made: its __str__ raised KeyError"
    assert tester.run("a").error == ("Mute", mute)
    assert tester.run("b").error == ("DiskFull", f"no room ({mute})")
    assert tester.run("c").error == ("_7", "no word")


def test_an_exit_is_a_failure_and_not_the_end_of_the_process(handlers: Handlers) -> None:
    assert handlers('@job("a")\ndef a() -> None:\n    raise SystemExit(3)\n').run("a").error == ("SystemExit", "3")


def test_ctrl_c_is_not_a_failure_of_the_run(handlers: Handlers) -> None:
    tester = handlers('@job("a")\ndef a() -> None:\n    raise KeyboardInterrupt\n')
    with pytest.raises(KeyboardInterrupt):
        tester.run("a")


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ("{'at': [datetime(2026, 1, 1)]}", "result['at'][0] is a datetime"),
        ("{1, 2}", "result is a set"),
        ("float('inf')", "result is inf"),
        ("{(1, 2): 3}", "result has the key (1, 2), which is a tuple"),
        ("b'x'", "result is a bytes"),
        ("(lambda x: x.append(x) or x)([])", "is nested too deeply, or holds itself"),
        ("'x' * 300_000", "the result has 300,002 bytes as JSON; 250,000 is the most; store it elsewhere"),
    ],
)
def test_a_result_that_is_not_json_is_refused_with_its_place(handlers: Handlers, result: str, why: str) -> None:
    error = handlers(f'@job("a")\ndef a() -> Any:\n    return {result}\n').run("a").error
    assert error is not None
    assert error[0] == "InvalidResult"
    assert why in error[1]


@pytest.mark.parametrize("result", ["None", "7", "0.5", "True", "'é'", "[1, (2, 3)]", "{'a': None}"])
def test_a_result_is_what_it_is_as_json(handlers: Handlers, result: str) -> None:
    ran = handlers(f'@job("a")\ndef a() -> Any:\n    return {result}\n').run("a")
    assert ran.result == ([1, [2, 3]] if result.startswith("[") else eval(result))  # noqa: S307 - the texts above


def test_an_async_function_that_nobody_awaits_is_refused(handlers: Handlers) -> None:
    tester = handlers("""
        async def fetch() -> int:
            return 7

        @job("a")
        def a() -> Any:
            return fetch()
    """)
    error = tester.run("a").error
    assert error is not None
    assert error[0] == "InvalidResult"
    assert "a coroutine, which nobody awaits" in error[1]
    assert "make the handler async def" in error[1]


TWO = """
    @job("nightly")
    def nightly(context: Context) -> str:
        return f"plain {context.job}"

    @job("shop/stock")
    def stock() -> str:
        return "stock"
"""


def test_a_handler_without_a_namespace_runs_the_jobs_of_its_name_in_all_of_them(handlers: Handlers) -> None:
    tester = handlers(TWO)
    assert [tester.run(f"{one}/nightly").result for one in ("staging", "live")] == [
        "plain staging/nightly",
        "plain live/nightly",
    ]
    assert tester.run("shop/stock").result == "stock"
    assert tester.run("live/stock").error is not None


def test_a_handler_that_is_not_there_is_an_error_that_names_those_that_are(handlers: Handlers) -> None:
    tester = handlers(TWO)
    error = tester.run("demo/nigthly").error
    assert error is not None
    assert error[0] == "UnknownHandler"
    assert f"{tester.app.package} has no handler for 'demo/nigthly'; did you mean 'nightly'?" in error[1]
    assert "@job('nigthly')" in error[1]


def test_an_invocation_may_name_its_handler(handlers: Handlers) -> None:
    with Worker(handlers(TWO).app) as worker:
        outcome = worker.run(Invocation.of(event(job="shop/other", handler="nightly")))
    assert outcome.result == "plain shop/other"


def test_a_test_of_no_handler_is_a_mistake_of_the_test(handlers: Handlers) -> None:
    with pytest.raises(AssertionError, match="is not the name of a handler"):
        handlers(TWO).run("No Name")
