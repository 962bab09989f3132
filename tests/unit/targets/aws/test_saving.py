"""Targets in AWS that are being saved: their fields, and what the parameters of the stack allow."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.declaration.conversion import shown
from minutehand.domain.errors import Invalid
from minutehand.entrypoints.api.forms.accept import Terms, accept
from minutehand.targets.aws.arns import Arn, is_in
from minutehand.targets.terms import AwsTerms, TargetTerms
from tests.unit.domain.examples import KEY
from tests.unit.targets.aws.calling import NOW, arn

WITH_WORKER = frozenset({"http", "aws"})
FUNCTION, QUEUE = arn("lambda", "function:report"), arn("sqs", "reports")
ROLE = "arn:aws:iam::444455556666:role/teams/reports"


def terms(
    *arns: str, roles: tuple[str, ...] = (), tagged: bool = False, workers: frozenset[str] = WITH_WORKER
) -> Terms:
    return Terms(targets=TargetTerms(workers=workers, aws=AwsTerms(arns=arns, roles=roles, tagged=tagged)))


EVERYTHING = terms("arn:*", roles=("arn:*",))


def saved(target: dict[str, Any], given: Terms = EVERYTHING, **fields: Any) -> Any:
    return accept({"schedule": "@daily", "target": target} | fields, KEY, given, now=NOW)


def problems(target: dict[str, Any], given: Terms = EVERYTHING, **fields: Any) -> dict[str, str]:
    with pytest.raises(Invalid) as refused:
        saved(target, given, **fields)
    return {one.path: f"{one.message} | {one.hint}" for one in refused.value.problems}


@pytest.mark.parametrize(
    "target",
    [
        {"type": "lambda", "function": FUNCTION},
        {"type": "lambda", "function": FUNCTION, "qualifier": "$LATEST", "mode": "callback", "heartbeat": "2m"},
        {"type": "lambda", "function": FUNCTION, "log_tail": True, "send": "run", "role_arn": ROLE},
        {"type": "sqs", "queue": QUEUE, "delay": "15m", "group": "a", "attributes": {"team": "data"}},
        {"type": "sqs", "queue": QUEUE + ".fifo", "group": "a"},
    ],
)
def test_a_target_in_aws_is_accepted_and_shown_as_it_was_given(target: dict[str, Any]) -> None:
    answer = shown(saved(target, timeout="10m"))["target"]
    assert {name: answer[name] for name in target} == target


@pytest.mark.parametrize(
    ("target", "path", "words"),
    [
        ({"type": "lambda"}, "target.function", "required"),
        ({"type": "lambda", "function": "report"}, "target.function", "arn:aws:lambda:eu-west-1"),
        ({"type": "lambda", "function": f"{FUNCTION}:live"}, "target.function", "without a version"),
        ({"type": "lambda", "function": QUEUE}, "target.function", "is not such an ARN"),
        ({"type": "lambda", "function": FUNCTION, "qualifier": "a b"}, "target.qualifier", "alias"),
        ({"type": "lambda", "function": FUNCTION, "mode": "sync"}, "target.mode", "request_response"),
        ({"type": "lambda", "function": FUNCTION, "url": "https://a.example"}, "target.url", "unknown field"),
        ({"type": "lambda", "function": FUNCTION, "log_tail": True, "mode": "event"}, "target.log_tail", "no log"),
        ({"type": "lambda", "function": FUNCTION, "heartbeat": "1m"}, "target.heartbeat", "make target.mode callback"),
        ({"type": "lambda", "function": FUNCTION, "role_arn": "reports"}, "target.role_arn", "arn:aws:iam"),
        ({"type": "sqs", "queue": "https://sqs.eu-west-1.amazonaws.com/1/q"}, "target.queue", "arn:aws:sqs"),
        ({"type": "sqs", "queue": f"{QUEUE}.fifo", "delay": "1s"}, "target.delay", "FIFO"),
        ({"type": "sqs", "queue": QUEUE, "delay": "16m"}, "target.delay", "0s to 15m"),
        ({"type": "sqs", "queue": QUEUE, "group": "a b"}, "target.group", "visible ASCII"),
        ({"type": "sqs", "queue": QUEUE, "attributes": {"AWS.x": "1"}}, "target.attributes", "may set"),
        ({"type": "sqs", "queue": QUEUE, "attributes": {"Minutehand-Job": "1"}}, "target.attributes", "may set"),
        ({"type": "sqs", "queue": QUEUE, "attributes": {"a": ""}}, "target.attributes.a", "1 to 1,024"),
    ],
)  # fmt: skip
def test_a_bad_target_in_aws_is_refused_at_its_place(target: dict[str, Any], path: str, words: str) -> None:
    found = problems(target)
    [text] = [text for name, text in found.items() if name.startswith(path)]
    assert words in text


def test_a_call_that_waits_for_the_function_has_the_limit_of_a_worker() -> None:
    found = problems({"type": "lambda", "function": FUNCTION}, timeout="1h")
    assert "make target.mode callback" in found["timeout"]
    later = {"type": "lambda", "function": FUNCTION, "mode": "callback"}
    assert saved(later, timeout="1h").timeout == timedelta(hours=1)


@pytest.mark.parametrize("target", [{"type": "lambda", "function": FUNCTION}, {"type": "sqs", "queue": QUEUE}])
def test_a_stack_without_the_worker_refuses_its_types_and_names_the_parameter(target: dict[str, Any]) -> None:
    found = problems(target, terms("arn:*", workers=frozenset({"http"})))
    assert "no worker for targets of type" in found["target.type"]
    assert "AwsTargets=true" in found["target.type"]


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        (terms(FUNCTION), False),
        (terms("arn:aws:lambda:*:111122223333:function:rep*"), False),
        (terms("arn:aws:lambda:eu-west-1:111122223333:function:repor?"), False),
        (terms(tagged=True), False),
        (terms(), True),
        (terms("arn:aws:lambda:eu-west-1:111122223333:function:repor"), True),
        (terms("arn:aws:lambda:us-east-1:111122223333:function:report"), True),
        (terms("arn:aws:lambda:eu-west-1:111122223333:function:[r]eport"), True),
    ],
)
def test_an_arn_that_no_parameter_covers_is_refused_when_it_is_saved(given: Terms, refused: bool) -> None:
    target = {"type": "lambda", "function": FUNCTION}
    if refused:
        assert "AwsTargetArns" in problems(target, given)["target.function"]
    else:
        assert saved(target, given).target.function == FUNCTION


def test_a_qualifier_is_a_part_of_the_arn_that_is_allowed() -> None:
    target = {"type": "lambda", "function": FUNCTION, "qualifier": "live"}
    assert f"{FUNCTION}:live" in problems(target, terms(FUNCTION))["target.function"]
    assert saved(target, terms(f"{FUNCTION}:live")).target.qualifier == "live"


def test_a_role_must_be_allowed_and_then_decides_itself_about_what_it_reaches() -> None:
    target = {"type": "sqs", "queue": QUEUE, "role_arn": ROLE}
    assert "AwsTargetRoles" in problems(target, terms(QUEUE, tagged=True))["target.role_arn"]
    assert saved(target, terms(roles=("arn:aws:iam::444455556666:role/teams/*",))).target.role_arn == ROLE


def test_a_pattern_covers_what_iam_would_cover() -> None:
    assert is_in("arn:aws:sqs:eu-west-1:1:a.b", ["arn:aws:sqs:eu-west-1:1:a.?"])
    assert not is_in("arn:aws:sqs:eu-west-1:1:axb", ["arn:aws:sqs:eu-west-1:1:a.b"])
    assert not is_in("arn:aws:sqs:eu-west-1:1:ab", ["arn:aws:sqs:eu-west-1:1:a"])


def test_the_name_in_an_arn_is_its_last_part() -> None:
    assert [Arn.parse(one).name for one in (FUNCTION, QUEUE)] == ["report", "reports"]
    with pytest.raises(ValueError, match="is not an ARN"):
        Arn.parse("report")
