"""The tester of handlers, as a team's own tests use it."""

from __future__ import annotations

from datetime import date

from minutehand import App, Context, job
from minutehand.handlers.testing import HandlerTester, handler_fixture

teams_handlers = handler_fixture(App(__name__, middlewares=[]))


@job("reports.nightly", schedule="0 2 * * *")
def nightly(context: Context, day: date) -> dict[str, str]:
    context.progress(100, "done")
    return {"day": f"{day:%d %B}", "of": context.job}


def test_a_fixture_runs_a_handler(teams_handlers: HandlerTester) -> None:
    ran = teams_handlers.run("reports.nightly", {"day": "2026-11-20"})
    assert ran.result == {"day": "20 November", "of": "default/reports.nightly"}
    assert ran.progress == ((100, "done"),)


def test_the_fixture_is_one_for_the_session(teams_handlers: HandlerTester) -> None:
    assert teams_handlers.run("live/reports.nightly", {"day": "x"}).error is not None


def test_the_function_itself_may_be_tested_too() -> None:
    class Silent:
        job = "a/b"

        def progress(self, percent: int, text: str) -> None: ...

    assert nightly(Silent(), date(2026, 11, 20)) == {"day": "20 November", "of": "a/b"}  # type: ignore[arg-type]
