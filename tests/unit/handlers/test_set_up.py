"""What a process sets up once, and async handlers, whose event loop outlives a run."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from minutehand.handlers import App, AppError
from tests.unit.handlers.conftest import Handlers


@pytest.mark.parametrize(
    ("init", "closed"),
    [
        ("def init():\n    log.append('open')\n    return log", []),
        ("def init():\n    log.append('open')\n    yield log\n    log.append('close')", ["close"]),
        ("async def init():\n    log.append('open')\n    return log", []),
        ("async def init():\n    log.append('open')\n    yield log\n    log.append('close')", ["close"]),
    ],
    ids=["a function", "a generator", "an async function", "an async generator"],
)
def test_the_init_function_is_called_once_and_closes_at_the_end(
    handlers: Handlers, init: str, closed: list[str]
) -> None:
    tester = handlers(
        f'log = []\napp = App(__name__)\n@app.init\n{init}\n\n@job("a")\ndef a(context: Context) -> Any:\n    return context.state\n'
    )
    assert tester.run("a").result == ["open"]
    assert tester.run("a").result == ["open"]
    tester.close()
    assert tester.run("a").result == ["open", *closed, "open"]  # a run after that sets up again


def test_an_init_function_that_fails_is_the_run_s_error_and_tried_again(handlers: Handlers) -> None:
    tester = handlers("""
        app = App(__name__)
        tries = []

        @app.init
        def init():
            tries.append(1)
            if len(tries) == 1:
                raise ConnectionError("no database")

        @job("a")
        def a() -> int:
            return len(tries)
    """)
    assert tester.run("a").error == ("ConnectionError", "no database")
    assert tester.run("a").result == 2


def test_an_init_function_is_one_and_takes_nothing() -> None:
    app = App("mypkg")
    with pytest.raises(AppError, match="takes arguments"):
        app.init(lambda settings: settings)
    app.init(lambda: 1)
    with pytest.raises(AppError, match="has two init functions"):
        app.init(lambda: 2)


def test_async_handlers_share_one_event_loop_in_a_thread_of_its_own(handlers: Handlers) -> None:
    tester = handlers("""
        import asyncio, threading

        @job("a")
        async def a() -> Any:
            await asyncio.sleep(0)
            return [id(asyncio.get_running_loop()), threading.current_thread().name]
    """)
    first, second = tester.run("a").result, tester.run("a").result
    assert first == second
    assert first[1] == "handlers"
    tester.close()
    assert not any(thread.name == "handlers" for thread in threading.enumerate())


def test_an_async_handler_sees_the_context_variables_of_its_middlewares(handlers: Handlers) -> None:
    tester = handlers("""
        import contextvars
        team = contextvars.ContextVar("team")

        def naming(context, proceed):
            team.set("data")
            return proceed()

        @job("a", middlewares=[naming])
        async def a() -> str:
            return team.get()
    """)
    assert tester.run("a").result == "data"


SLEEPING = """
    import asyncio
    cleaned = []

    @job("sleep")
    async def sleep(context: Context) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(1)

    @job("cleaned")
    def count() -> int:
        return len(cleaned)
"""


def test_an_async_handler_is_cancelled_with_its_run_and_may_clean_up(handlers: Handlers) -> None:
    tester = handlers(SLEEPING)
    error = tester.run("sleep", cancel_after=0).error
    assert error == ("Stopped", "the handler was cancelled: its run was cancelled, or its time is over")
    assert tester.run("cleaned").result == 1


def test_an_async_handler_is_cancelled_at_its_deadline(handlers: Handlers) -> None:
    error = handlers(SLEEPING).run("sleep", timeout=timedelta(0)).error
    assert error is not None
    assert error[0] == "Stopped"


def test_an_async_handler_s_exception_is_its_run_s_error(handlers: Handlers) -> None:
    tester = handlers('@job("a")\nasync def a() -> None:\n    raise KeyError("x")\n')
    assert tester.run("a").error == ("KeyError", "'x'")
