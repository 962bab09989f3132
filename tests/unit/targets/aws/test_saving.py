"""Targets in AWS that are being saved: their fields, and what the parameters of the stack allow."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.declaration.conversion import shown
from minutehand.domain.errors import Invalid
from minutehand.entrypoints.api.forms.accept import Terms, accept
from minutehand.entrypoints.network import target_terms
from minutehand.entrypoints.settings import Settings
from minutehand.targets.aws.arns import Arn, is_in
from minutehand.targets.terms import AwsTerms, TargetTerms
from tests.unit.domain.examples import KEY
from tests.unit.targets.aws.calling import ACCOUNT, NOW, arn

WITH_WORKER = frozenset({"http", "aws"})
FUNCTION, QUEUE = arn("lambda", "function:report"), arn("sqs", "reports")
TOPIC, BUS = arn("sns", "reports"), arn("events", "event-bus/reports")
MACHINE, DEFINITION = arn("states", "stateMachine:report"), arn("ecs", "task-definition/report")
EVENT = {"type": "eventbridge", "bus": BUS, "source": "com.example", "detail_type": "report due"}
TASK = {"type": "ecs", "cluster": arn("ecs", "cluster/jobs"), "task_definition": DEFINITION, "container": "main"}
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
        {"type": "sns", "topic": TOPIC, "subject": "A report", "attributes": {"team": "data"}, "group": "a"},
        {"type": "eventbridge", "bus": BUS, "source": "com.example", "detail_type": "report due", "send": "run"},
        {"type": "stepfunctions", "state_machine": MACHINE + ":live", "mode": "wait"},
        {**TASK, "mode": "wait", "launch_type": "FARGATE", "subnets": ["subnet-0a1b2c3d"], "public_ip": True},
        {**TASK, "command": ["report", "--all"], "environment": {"LEVEL": "info"}},
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
        ({"type": "sns", "topic": TOPIC, "subject": "two\nlines"}, "target.subject", "one line"),
        ({"type": "sns", "topic": QUEUE}, "target.topic", "arn:aws:sns"),
        ({**EVENT, "bus": "default"}, "target.bus", "event-bus/default"),
        ({**EVENT, "source": "aws.ec2"}, "target.source", "for AWS"),
        ({**EVENT, "detail_type": ""}, "target.detail_type", "1 to 128"),
        ({"type": "stepfunctions", "state_machine": MACHINE, "mode": "wait", "role_arn": ROLE}, "target.mode", "not seen"),
        ({"type": "stepfunctions", "state_machine": f"{MACHINE}:a:b"}, "target.state_machine", "arn:aws:states"),
        ({**TASK, "mode": "wait", "role_arn": ROLE}, "target.mode", "not seen"),
        ({**TASK, "launch_type": "FARGATE"}, "target.subnets", "needs subnets"),
        ({**TASK, "public_ip": True}, "target.public_ip", "no network interface"),
        ({**TASK, "subnets": ["subnet"]}, "target.subnets[0]", "subnet-0a1b2c3d"),
        ({**TASK, "container": "a b"}, "target.container", "name of a container"),
        ({**TASK, "environment": {"MINUTEHAND_JOB": "x"}}, "target.environment", "may set"),
        ({**TASK, "launch_type": "fargate"}, "target.launch_type", "FARGATE"),
    ],
)  # fmt: skip
def test_a_bad_target_in_aws_is_refused_at_its_place(target: dict[str, Any], path: str, words: str) -> None:
    found = problems(target)
    [text] = [text for name, text in found.items() if name.startswith(path)]
    assert words in text


@pytest.mark.parametrize("unknown", ["methud", "subnet", "colour"])
def test_the_hint_for_an_unknown_field_names_only_fields_of_that_type_of_target(unknown: str) -> None:
    text = problems({"type": "sqs", "queue": QUEUE, unknown: "x"})[f"target.{unknown}"]
    assert text.endswith("the fields are: type, queue, send, delay, group, attributes, role_arn")


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ({"type": "sqs", "queue": QUEUE, "attributes": {"a": "{{ secret:ssm:/shop/key}}"}}, "target.attributes.a"),
        ({"type": "sns", "topic": TOPIC, "subject": "{{secret:ssm:/shop/key}}"}, "target.subject"),
        ({**TASK, "environment": {"KEY": "a {{secret:ssm:/shop/key}}"}}, "target.environment.KEY"),
        ({**TASK, "command": ["report", "{{secret:secretsmanager:key}}"]}, "target.command"),
    ],
)
def test_no_secret_is_sent_to_a_service_that_keeps_what_it_receives(target: dict[str, Any], path: str) -> None:
    [text] = problems(target).values()
    assert [*problems(target)] == [path]
    assert "let the receiver read it with its own role" in text


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


@pytest.mark.parametrize("qualifier", ["", ":7", ":live"])
def test_a_version_or_an_alias_of_a_state_machine_is_judged_by_the_machine(qualifier: str) -> None:
    target = {"type": "stepfunctions", "state_machine": MACHINE + qualifier}
    assert saved(target, terms(MACHINE)).target.state_machine == MACHINE + qualifier
    assert MACHINE in problems(target, terms(f"{MACHINE}:live"))["target.state_machine"]


@pytest.mark.parametrize(("revision", "pattern", "allowed"), [
    (":7", ":7", True), (":7", ":*", True), ("", ":*", True), ("", ":7", False), ("", "", False),
])  # fmt: skip
def test_the_latest_revision_of_a_task_definition_needs_a_pattern_for_any(
    revision: str, pattern: str, allowed: bool
) -> None:
    target, given = TASK | {"task_definition": DEFINITION + revision}, terms(DEFINITION + pattern)
    if allowed:
        assert saved(target, given).target.task_definition == DEFINITION + revision
    else:
        assert "AwsTargetArns" in problems(target, given)["target.task_definition"]


@pytest.mark.parametrize("target", [{"type": "stepfunctions", "state_machine": MACHINE}, TASK])
def test_what_is_waited_for_may_last_longer_than_a_worker(target: dict[str, Any]) -> None:
    assert "make target.mode wait" in problems(target, timeout="6h")["timeout"]
    assert saved(target | {"mode": "wait"}, timeout="6h").target.may_answer_later


def test_a_role_must_be_allowed_and_then_decides_itself_about_what_it_reaches() -> None:
    target = {"type": "sqs", "queue": QUEUE, "role_arn": ROLE}
    assert "AwsTargetRoles" in problems(target, terms(QUEUE, tagged=True))["target.role_arn"]
    assert saved(target, terms(roles=("arn:aws:iam::444455556666:role/teams/*",))).target.role_arn == ROLE


OWN = AwsTerms(arns=("arn:*",), roles=("arn:*",), account=ACCOUNT, region="eu-west-1", queues=frozenset({"stack-runs"}))


def of_stack(**changed: Any) -> Terms:
    return Terms(targets=TargetTerms(workers=WITH_WORKER, aws=OWN._replace(**changed)))


@pytest.mark.parametrize("role", [None, ROLE])
@pytest.mark.parametrize("changed", [{}, {"tagged": True, "arns": ()}, {"region": ""}])
def test_the_queues_of_the_stack_itself_are_no_targets(changed: dict[str, Any], role: str | None) -> None:
    target = {"type": "sqs", "queue": arn("sqs", "stack-runs"), "role_arn": role}
    assert "a queue of this service itself" in problems(target, of_stack(**changed))["target.queue"]


@pytest.mark.parametrize(
    "queue", [QUEUE, arn("sqs", "stack-runs", region="us-east-1"), "arn:aws:sqs:eu-west-1:444455556666:stack-runs"]
)
def test_a_queue_of_the_same_name_elsewhere_is_a_target(queue: str) -> None:
    assert saved({"type": "sqs", "queue": queue}, of_stack()).target.queue == queue


OWN_ROLE = f"arn:aws:iam::{ACCOUNT}:role/reports"
WAITED = [{"type": "stepfunctions", "state_machine": MACHINE, "mode": "wait"}, TASK | {"mode": "wait"}]


@pytest.mark.parametrize("target", WAITED)
@pytest.mark.parametrize("given", [EVERYTHING, of_stack()])
def test_a_role_of_the_same_account_may_start_what_is_waited_for(target: dict[str, Any], given: Terms) -> None:
    assert saved(target | {"role_arn": OWN_ROLE}, given).target.role_arn == OWN_ROLE


@pytest.mark.parametrize("target", WAITED)
@pytest.mark.parametrize("changed", [{"account": "444455556666"}, {"region": "us-east-1"}])
def test_an_end_in_another_account_or_region_than_the_stacks_is_not_seen(
    target: dict[str, Any], changed: dict[str, Any]
) -> None:
    assert "another account or region than this service" in problems(target, of_stack(**changed))["target.mode"]
    assert saved(target | {"mode": "start"}, of_stack(**changed)).target.role_arn is None


def test_the_account_and_the_queues_of_the_stack_are_those_of_its_settings() -> None:
    url = "https://sqs.eu-west-1.amazonaws.com/111122223333/stack-"
    given = {"JOBS_TABLE": "jobs", "AWS_REGION": "eu-west-1", "HTTP_QUEUE_URL": url + "http"}
    assert target_terms(Settings.read(given)).aws == AwsTerms()
    given |= {"AWS_QUEUE_URL": url + "aws", "AWS_SLOW_QUEUE_URL": url + "slow"}
    found = target_terms(Settings.read(given)).aws
    assert (found.account, found.region) == (ACCOUNT, "eu-west-1")
    assert found.queues == {"stack-http", "stack-aws", "stack-slow"}


def test_a_pattern_covers_what_iam_would_cover() -> None:
    assert is_in("arn:aws:sqs:eu-west-1:1:a.b", ["arn:aws:sqs:eu-west-1:1:a.?"])
    assert not is_in("arn:aws:sqs:eu-west-1:1:axb", ["arn:aws:sqs:eu-west-1:1:a.b"])
    assert not is_in("arn:aws:sqs:eu-west-1:1:ab", ["arn:aws:sqs:eu-west-1:1:a"])


def test_the_name_in_an_arn_is_its_last_part() -> None:
    assert [Arn.parse(one).name for one in (FUNCTION, QUEUE)] == ["report", "reports"]
    with pytest.raises(ValueError, match="is not an ARN"):
        Arn.parse("report")
