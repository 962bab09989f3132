"""Middlewares around handlers."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import pytest

from minutehand.handlers import App, AppError, Context, Proceed, job, recover, timed
from tests.unit.handlers.conftest import Handlers


def test_middlewares_are_called_in_their_order_those_of_the_app_outside(handlers: Handlers) -> None:
    tester = handlers("""
        said: list[str] = []

        def saying(word):
            def middleware(context, proceed):
                said.append(word)
                result = proceed()
                said.append(f"/{word}")
                return result
            return middleware

        app = App(__name__, middlewares=[saying("app 1"), saying("app 2")])

        @job("a", middlewares=[saying("own")])
        def a() -> Any:
            said.append("handler")
            return list(said)
    """)
    assert tester.run("a").result == ["app 1", "app 2", "own", "handler"]
    assert tester.run("a").result[4:7] == ["/own", "/app 2", "/app 1"]


def test_a_middleware_may_change_the_result_and_the_error(handlers: Handlers) -> None:
    tester = handlers("""
        def doubling(context, proceed):
            try:
                return 2 * proceed()
            except KeyError as error:
                raise Failed("Missing", f"{error} is missing") from error

        @job("a", middlewares=[doubling])
        def a(context: Context) -> int:
            return context.payload["n"]
    """)
    assert tester.run("a", {"n": 4}).result == 8
    assert tester.run("a", {}).error == ("Missing", "'n' is missing")


def test_errors_that_are_recovered_from_become_a_result(handlers: Handlers, caplog: pytest.LogCaptureFixture) -> None:
    tester = handlers("""
        @job("a", middlewares=[recover(FileNotFoundError, result=0)])
        def a(context: Context) -> int:
            raise (FileNotFoundError if context.payload else KeyError)("x")
    """)
    assert tester.run("a", 1).result == 0
    assert tester.run("a").error == ("KeyError", "'x'")
    assert [each.exc_info is not None for each in caplog.records if "recovered" in each.getMessage()] == [True]


def test_a_run_that_is_skipped_succeeds_and_says_why(handlers: Handlers) -> None:
    tester = handlers("""
        @job("a", middlewares=[skip_if(lambda context: context.scheduled_for.hour == 12, "lunch")])
        def a() -> int:
            return 7
    """)
    assert tester.run("a").result == {"skipped": "lunch"}
    assert tester.run("a", scheduled_for=datetime(2026, 11, 20, 13, tzinfo=UTC)).result == 7


def test_durations_and_errors_are_passed_on_for_metrics(handlers: Handlers) -> None:
    tester = handlers("""
        seen = []

        @job("a", middlewares=[timed(lambda context, seconds, error: seen.append((seconds >= 0, repr(error))))])
        def a(context: Context) -> Any:
            if context.payload:
                raise KeyError(7)
            return seen
    """)
    tester.run("a", 1)
    tester.run("a")
    assert tester.run("a").result[:2] == [[True, "KeyError(7)"], [True, "None"]]


def test_an_app_logs_its_runs_unless_it_says_otherwise(handlers: Handlers, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    tester = handlers('@job("a")\ndef a(n: int) -> int:\n    return 1 // n\n')
    tester.run("demo/a", {"n": 1})
    tester.run("demo/a", {"n": 0})
    actions = [each.__dict__["action"] for each in caplog.records]
    assert actions == ["start", "succeed", "start", "fail"]
    assert caplog.records[3].exc_info is not None
    assert caplog.records[1].__dict__["duration_ms"] >= 0
    caplog.clear()
    handlers('app = App(__name__, middlewares=[])\n@job("a")\ndef a() -> None: ...\n').run("a")
    assert caplog.records == []


def test_of_a_long_error_only_the_beginning_and_the_end_are_logged(
    handlers: Handlers, caplog: pytest.LogCaptureFixture
) -> None:
    code = 'def a() -> None:\n    raise ValueError("first\\n" + "line\\n" * 200_000 + "last")\n'
    handlers(f'@job("a")\n{code}').run("a")
    handlers(f'@job("a", middlewares=[recover(ValueError)])\n{code}').run("a")
    for text in [each for each in caplog.text.split("ERROR")[1:] for each in each.split("WARNING")]:
        assert len(text) < 20_000
        assert "first\nline" in text
        assert "characters are left out" in text
        assert "line\nlast\n" in text
    assert [each.__dict__["action"] for each in caplog.records] == ["fail", "recover"]


def test_a_middleware_is_around_an_async_handler_too(handlers: Handlers) -> None:
    tester = handlers("""
        def doubling(context, proceed):
            return 2 * proceed()

        @job("a", middlewares=[doubling])
        async def a() -> int:
            return 4
    """)
    assert tester.run("a").result == 8


async def _async(context: Context, proceed: Proceed) -> None: ...


@pytest.mark.parametrize(
    ("middlewares", "why"),
    [
        ([_async], "the middleware _async is async; write def"),
        ([timed], "timed is not a middleware"),
        (timed, "middlewares is not a list"),
        ([lambda: 1], "<lambda> is not a middleware"),
        (["log"], "is not a middleware"),
    ],
)
def test_what_is_no_middleware_is_refused_at_import(middlewares: list[object], why: str) -> None:
    for declare in (lambda: job("a", middlewares=middlewares), lambda: App("a", middlewares=middlewares)):  # type: ignore[arg-type]
        with pytest.raises(AppError, match=why):
            declare()


def test_a_recovery_from_nothing_is_refused() -> None:
    with pytest.raises(AppError, match="recover names no errors"):
        recover()
