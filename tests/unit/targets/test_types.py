"""A second type of target: one entry in the registry, and no change in rules, stores or use cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest

from minutehand.adapters.dynamodb.codecs import definition_codec
from minutehand.domain.deadlines import LONGEST_CALL
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import SECOND
from minutehand.domain.run import Result, RunState
from minutehand.entrypoints import bootstrap
from minutehand.entrypoints.api.forms.accept import DEFAULT_TERMS, accept
from minutehand.entrypoints.api.forms.invalid import _things
from minutehand.entrypoints.api.forms.model import form_of
from minutehand.entrypoints.settings import Settings
from minutehand.targets import TYPES
from minutehand.targets.callers import CallByType, load_callers
from minutehand.targets.checks import check
from minutehand.targets.target_type import TargetType
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.definitions.revise import revised
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.cancel_watch import Watch
from minutehand.usecases.running.execute import execute
from minutehand.usecases.running.worker import Worker
from tests.unit.domain.examples import KEY, job
from tests.unit.targets.aws.calling import a_call
from tests.unit.usecases.stage import Stage

MINUTE = timedelta(minutes=1)
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TERMS = TargetTerms()


@dataclass(frozen=True, kw_only=True, slots=True)
class EchoTarget:
    """Answers with its own words."""

    type: ClassVar[str] = "echo"
    may_answer_later: ClassVar[bool] = False
    taken_over_when_silent: ClassVar[bool] = False

    words: str
    heartbeat: timedelta | None = None


def _check_echo(target: EchoTarget, terms: TargetTerms) -> Iterator[FieldProblem]:
    if not target.words:
        yield FieldProblem("target.words", "this is empty", "write a word")


def _echo(target: EchoTarget, call: Call) -> Outcome:
    return Outcome(RunState.SUCCEEDED, Result(type="echo", status=0, body=f"{target.words} {call.payload}"))


ECHO = TargetType(
    name=EchoTarget.type,
    worker="http",
    load_fields=lambda: EchoTarget,
    example={"words": "hello"},
    check=_check_echo,
    load_caller=lambda: lambda terms: _echo,
    to_answer_later="use a target of type http",
)


@pytest.fixture(autouse=True)
def with_echo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The product with one more type."""
    with monkeypatch.context() as patch:
        patch.setitem(TYPES, ECHO.name, ECHO)
        _forget_forms()
        yield
    _forget_forms()


def _forget_forms() -> None:
    """Have forms made anew, from the types there are."""
    for made in (form_of, _things):
        made.cache_clear()


@pytest.fixture
def stage() -> Stage:
    """A job that echoes, saved at nine."""
    stage = Stage("09:00")
    stage.save(job(target=EchoTarget(words="hello"), payload={"n": 1}))
    return stage


def test_a_job_with_a_target_of_another_type_is_saved_and_its_run_calls_that_target(stage: Stage) -> None:
    assert stage.ports.definitions.get([KEY])[KEY].job.target == EchoTarget(words="hello")
    stage.at("09:01").tick()
    assert {message.target for message in stage.state.messages} == {"echo"}

    worker = Worker(
        inbox=stage.inbox,
        call=CallByType(load_callers("http"), TERMS),
        token=lambda: "token",
        parallel=map,
        time_left=lambda: stage.time_left,
        meter=stage.meter,
        watch=Watch(stage.runs, stage.ports.clock, lambda look: look()),
        sleep=stage.wait,
    )
    [handled, *_] = execute(stage.receive(), ports=stage.ports, worker=worker)
    assert (handled.deletable, handled.problem) == (True, "")
    run = stage.run("09:01")
    assert run is not None
    assert (run.state, run.target) == (RunState.SUCCEEDED, "echo")
    assert run.result == Result(type="echo", status=0, body="hello {'n': 1}")


def test_messages_of_a_type_go_to_the_queue_of_its_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        bootstrap, "settings", lambda: Settings(jobs_table="jobs", queue_urls={"http": "https://sqs/http"})
    )
    assert [bootstrap.queue_of(target) for target in ("http", "echo", "gone")] == ["https://sqs/http"] * 2 + [None]
    monkeypatch.setattr(bootstrap, "settings", lambda: Settings(jobs_table="jobs"))  # of a function that sends nothing
    assert bootstrap.queue_of("echo") is None


def test_runs_of_a_type_whose_worker_the_stack_lacks_go_to_the_worker_that_every_stack_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queues = {"http": "https://sqs/http", "http_slow": "https://sqs/slow", "aws": "https://sqs/aws"}
    monkeypatch.setattr(bootstrap, "settings", lambda: Settings(jobs_table="jobs", queue_urls=queues))
    assert [bootstrap.queue_of("lambda"), bootstrap.slow_queue_of("lambda")] == ["https://sqs/aws", None]
    del queues["aws"]
    assert [bootstrap.queue_of("lambda"), bootstrap.slow_queue_of("lambda")] == ["https://sqs/http", "https://sqs/slow"]


def test_a_worker_records_that_the_stack_lacks_the_worker_of_a_type() -> None:
    target = TYPES["sqs"].fields(queue="arn:aws:sqs:eu-west-1:111122223333:reports")
    outcome = CallByType(load_callers("http"), TERMS)(target, a_call())
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type, outcome.final) == (RunState.FAILED, "NoWorker", True)
    assert "AwsTargets=true" in outcome.error.message


def test_a_worker_loads_the_callers_of_its_own_types_alone() -> None:
    assert set(load_callers("http")) == {"http", "echo"}
    assert set(load_callers("aws")) == {name for name, kind in TYPES.items() if kind.worker == "aws"}


def test_each_type_checks_its_own_targets() -> None:
    nothing, good = EchoTarget(words=""), EchoTarget(words="hello")
    assert [problem.path for problem in check(nothing, timeout=MINUTE, terms=TERMS, namespace="demo")] == [
        "target.words"
    ]
    assert not list(check(good, timeout=MINUTE, terms=TERMS, namespace="demo"))


def test_the_rules_for_answers_hold_for_every_type() -> None:
    beating = EchoTarget(words="hello", heartbeat=SECOND)
    problems = list(check(beating, timeout=LONGEST_CALL + SECOND, terms=TERMS, namespace="demo"))
    assert [problem.path for problem in problems] == ["timeout", "target.heartbeat"]
    assert all("use a target of type http" in problem.hint for problem in problems)


@pytest.mark.parametrize("kind", [*TYPES.values(), ECHO], ids=lambda kind: kind.name)
def test_a_type_is_registered_under_the_name_that_its_targets_carry(kind: TargetType[Any]) -> None:
    assert kind.name == kind.fields.type
    assert TYPES[kind.name] is kind


def test_a_target_of_another_type_is_accepted_stored_and_shown_by_its_declared_fields() -> None:
    document = {"schedule": "@daily", "target": {"type": "echo", "words": "hello"}}
    accepted = accept(document, KEY, DEFAULT_TERMS, now=NOW)
    assert accepted.target == EchoTarget(words="hello")
    definition = revised(None, accepted, now=NOW, who="ann")
    assert definition_codec.decode(definition_codec.encode(definition)) == definition
    assert shown(accepted)["target"] == {"type": "echo", "words": "hello", "heartbeat": None}


@pytest.mark.parametrize(
    ("target", "path", "message"),
    [
        ({"type": "echo"}, "target.words", "this is required"),
        ({"type": "echo", "words": 5}, "target.words", "this must be text, not a number"),
        ({"type": "echo", "words": ""}, "target.words", "this is empty"),
        ({"type": "echo", "words": "hello", "url": "https://example.com"}, "target.url", "unknown field"),
        ({"type": "echoes", "words": "hello"}, "target.type", "'echoes' is not a valid value"),
        ({"type": ["echo"], "words": "hello"}, "target.type", "['echo'] is not a valid value"),
        ({"words": "hello"}, "target.type", "this is required"),
    ],
)
@pytest.mark.thorough
def test_a_bad_target_of_another_type_is_refused_at_its_place(target: dict[str, Any], path: str, message: str) -> None:
    with pytest.raises(Invalid) as refused:
        accept({"schedule": "@daily", "target": target}, KEY, DEFAULT_TERMS, now=NOW)
    assert (path, message) in [(problem.path, problem.message) for problem in refused.value.problems]


def test_a_stored_target_of_an_unknown_type_is_not_taken_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = definition_codec.encode(revised(None, job(target=EchoTarget(words="hello")), now=NOW, who="ann"))
    # In a context of its own: undone later, it would put the type back after the fixture has removed it.
    with monkeypatch.context() as patch:
        patch.delitem(TYPES, ECHO.name)
        with pytest.raises(ValueError, match="the type 'echo' is not known to this version; it knows http"):
            definition_codec.decode(stored)


def test_the_answer_of_no_type_of_target_is_kept_with_the_token_of_the_attempt() -> None:
    call = a_call()
    echoed = call._replace(payload={"token": call.token, "log": f"Token {call.token}"})
    outcome = CallByType(load_callers("http"), TERMS)(EchoTarget(words="hello"), echoed)
    assert outcome.result is not None
    assert outcome.result.body == "hello {'token': '****', 'log': 'Token ****'}"
