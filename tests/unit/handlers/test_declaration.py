"""What `@job` takes, and what it refuses when the module is imported."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import minutehand
from minutehand.domain.declaration.checks import NAME as DOMAIN_NAME
from minutehand.handlers import AppError, job
from minutehand.handlers.declaration import NAME, declared_in
from minutehand.handlers.loading import find_app
from minutehand.handlers.options import HEARTBEAT, OF_AGENTS, OPTIONS
from tests.unit.handlers.conftest import Handlers, Package

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "reference" / "job.schema.json").read_text(encoding="utf-8"))


def test_a_decorated_function_stays_as_it_is() -> None:
    def nightly() -> int:
        return 7

    assert job("nightly")(nightly) is nightly
    assert nightly() == 7


def test_every_field_of_a_job_but_its_name_and_target_is_an_option_and_few_of_a_target() -> None:
    ignored = {name for name, one in SCHEMA["properties"].items() if "ignored" in one.get("description", "")}
    assert set(SCHEMA["properties"]) - ignored - {"namespace", "name", "target"} | {HEARTBEAT, *OF_AGENTS} == OPTIONS


def test_names_are_those_that_the_api_accepts() -> None:
    one = DOMAIN_NAME.pattern
    assert NAME.pattern == f"({one}/)?{one}"


@pytest.mark.parametrize(
    ("name", "likely"), [("Reports.Nightly", "reports.nightly"), ("a b", "a-b"), ("a/b/c", None), ("", None)]
)
def test_a_name_that_no_job_can_have_is_refused(name: str, likely: str | None) -> None:
    with pytest.raises(AppError, match="not the name of a job") as caught:
        job(name)
    assert ("did you mean" in (caught.value.hint or "")) == (likely is not None)
    assert (likely or "") in (caught.value.hint or "")


def test_an_option_that_does_not_exist_is_refused_with_the_likely_one() -> None:
    with pytest.raises(AppError, match=r"@job\('nightly'\) has no option 'shedule'; did you mean 'schedule'\?"):
        job("nightly", shedule="@daily")


def test_the_target_is_not_an_option_since_it_belongs_to_where_the_code_runs() -> None:
    with pytest.raises(AppError, match="minutehand sync --target"):
        job("nightly", target={"type": "http"})


def test_durations_and_instants_may_be_python_values() -> None:
    at = datetime(2026, 11, 20, 2, tzinfo=UTC)

    @job(
        "timely", timeout=timedelta(hours=1, minutes=30), start_at=at, retry={"backoff": {"max": timedelta(minutes=5)}}
    )
    def timely() -> None: ...

    [found] = [each for each in declared_in(__name__) if each.name == "timely"]
    assert found.fields == {
        "timeout": "5400s",
        "start_at": "2026-11-20T02:00:00Z",
        "retry": {"backoff": {"max": "300s"}},
    }


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ({"start_at": datetime(2026, 11, 20)}, "has no time zone"),  # noqa: DTZ001 - the mistake
        ({"timeout": timedelta(milliseconds=1)}, "whole seconds"),
        ({"payload": {"at": object()}}, "not JSON serializable"),
        ({"payload": float("nan")}, "not JSON compliant"),
    ],
)
def test_an_option_that_is_not_json_is_refused(option: dict[str, object], why: str) -> None:
    with pytest.raises(AppError, match=why):
        job("nightly", **option)


def test_a_decorator_without_a_name_is_refused() -> None:
    with pytest.raises(AppError, match="@job has no name"):

        @job  # type: ignore[arg-type]
        def nightly() -> None: ...


def test_a_class_and_a_generator_are_no_handlers() -> None:
    with pytest.raises(AppError, match="decorates a type"):

        @job("a")
        class A: ...

    with pytest.raises(AppError, match="yields, but a handler runs once"):

        @job("b")
        def b():  # type: ignore[no-untyped-def]
            yield 1


def test_two_handlers_of_one_name_are_refused_with_both_places(package: Package) -> None:
    one = '@job("nightly")\ndef a() -> None: ...\n'
    name = package(one, more=one)
    with pytest.raises(AppError, match=r"nightly has two handlers: at .*__init__\.py:\d+ and .*more\.py:\d+"):
        find_app(name).handlers  # noqa: B018 - loads them


def test_a_function_may_run_several_jobs(handlers: Handlers) -> None:
    tester = handlers("""
        @job("a", payload={"n": 1})
        @job("b", payload={"n": 2})
        def both(n: int) -> int:
            return n
    """)
    assert sorted(tester.app.handlers) == ["a", "b"]


def test_all_mistakes_of_an_app_are_told_together(package: Package) -> None:
    name = package("""
        @job("a")
        def a(x) -> None: ...

        @job("b")
        def b(x: complex) -> None: ...

        @job("c", payload={"days": "7"})
        def c(days: int) -> None: ...
    """)
    with pytest.raises(AppError) as caught:
        find_app(name).handlers  # noqa: B018 - loads them
    text = str(caught.value)
    assert text.startswith("3 mistakes:")
    assert "parameter 'x' of a has no annotation; write x: Context for the run itself" in text
    assert "parameter 'x' of b: the type complex cannot be read from JSON" in text
    assert "the payload of @job('c'): argument days is \"7\"; write a whole number" in text
    assert len(re.findall(r"__init__\.py:\d+", text)) == 3


def test_a_package_without_handlers_is_refused(package: Package) -> None:
    with pytest.raises(AppError, match="has no handlers; decorate functions with @job"):
        find_app(package()).handlers  # noqa: B018 - loads them


def test_what_a_package_needs_is_at_the_root_of_minutehand() -> None:
    assert minutehand.job is job
    with pytest.raises(AttributeError, match="has no attribute 'jobs'"):
        minutehand.jobs  # type: ignore[attr-defined]  # noqa: B018
