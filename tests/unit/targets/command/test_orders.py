"""Orders: what an agent gets to run of a target of type `command`."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory.secrets import MemorySecretStores
from minutehand.adapters.secret_cache import SecretCache
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.job_key import JobKey
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Result, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.secret_prefixes import parse_prefixes
from minutehand.domain.share import Share
from minutehand.targets.callers import CallByType, load_callers
from minutehand.targets.command.fields import CommandTarget, Stdin
from minutehand.targets.command.orders import Order, order_of
from minutehand.targets.shadow import described
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.target import Call, ParentResult
from tests.unit.targets.aws.calling import NOW, a_call

MINUTE = timedelta(minutes=1)
TARGET = CommandTarget(pool="web", command="backup --all")
SECRETS = SecretCache(MemorySecretStores({"ssm:/shop/db": "hunter2"}))
TEN_MINUTES_AGO = NOW - timedelta(minutes=10)


def call_of(payload: Any = None, **fields: Any) -> Call:
    call = a_call(payload, attempt=2)
    return call._replace(run=replace(call.run, started_at=NOW + 2 * MINUTE), takeovers_left=1, **fields)


def called(target: CommandTarget, call: Call, **terms: Any) -> tuple[Outcome, list[Order]]:
    """The outcome of a call by the worker `agents`, and the orders that it passed on."""
    orders: list[Order] = []
    given = TargetTerms(take_order=orders.append, **terms)
    return CallByType(load_callers("agents"), given)(target, call), orders


def environment(call: Call, **values: str) -> dict[str, str]:
    return dict(order_of(replace(TARGET, environment=tuple(values.items())), call).environment)


def test_the_document_of_an_order_has_all_that_an_agent_needs() -> None:
    target = replace(
        TARGET,
        node="web-1",
        directory="/srv",
        user="deploy",
        environment=(("DAY", "{{scheduled_for}}"),),
        success_codes=(0, 3),
        skipped_codes=(75,),
    )
    assert shown(order_of(target, call_of("text"))) == {
        "job": "shop/report",
        "run_id": "20261120T090000Z",
        "attempt": 2,
        "attempts_left": 2,
        "takeovers": 1,
        "scheduled_for": "2026-11-20T09:00:00Z",
        "token": "the-attempts-own",
        "deadline": "2026-11-20T10:00:00Z",
        "timeout": 58 * 60,
        "heartbeat": 180,
        "heartbeat_every": 60,
        "command": "backup --all",
        "handler": None,
        "shell": "/bin/sh",
        "directory": "/srv",
        "environment": {"DAY": "2026-11-20T09:00:00Z"},
        "user": "deploy",
        "stdin": "text",
        "node_index": None,
        "node_total": None,
        "success_codes": [0, 3],
        "skipped_codes": [75],
    }


def test_the_order_of_a_run_on_one_of_several_nodes_says_which_of_them_it_is() -> None:
    call = call_of()
    share = Share(call.run.key, 1, "web", "b", 1, 3, call.deadline)
    found = shown(order_of(TARGET, call._replace(run=replace(call.run, share=share))))
    assert (found["node_index"], found["node_total"]) == (1, 3)


def test_a_list_has_no_shell() -> None:
    found = shown(order_of(replace(TARGET, command=("backup", "--all")), call_of()))
    assert (found["command"], found["shell"]) == (["backup", "--all"], None)


def test_the_order_of_a_handler_has_the_payload_and_how_the_parents_ended() -> None:
    parent = ParentResult(
        RunKey.scheduled(JobKey("shop", "extract"), NOW), RunState.SUCCEEDED, Result("http", 200, "7"), None, False
    )
    target = replace(TARGET, command=None, handler="reports.nightly")
    found = shown(order_of(target, call_of({"password": "hunter2"}, parents=(parent,))))
    assert (found["command"], found["shell"], found["stdin"]) == (None, None, None)
    assert found["handler"]["name"] == "reports.nightly"
    assert found["handler"]["payload"] == {"password": "hunter2"}
    [ended] = found["handler"]["parents"]
    assert (ended["job"], ended["result"]["body"]) == ("shop/extract", "7")
    assert "hunter2" not in repr(order_of(target, call_of("hunter2")))


def test_an_attempt_whose_time_is_over_has_none_left() -> None:
    assert order_of(TARGET, call_of(deadline=TEN_MINUTES_AGO)).timeout == 0


@pytest.mark.parametrize(
    ("payload", "stdin"),
    [
        (None, None),
        ("", ""),
        ("a\nb", "a\nb"),
        ({"a": [1, "ü"]}, '{"a":[1,"ü"]}'),
        ([], "[]"),
        (0, "0"),
        (False, "false"),
        ("half \ud800", "half ?"),
    ],
)
def test_standard_input_is_the_payload(payload: Any, stdin: str | None) -> None:
    assert order_of(TARGET, call_of(payload)).stdin == stdin
    assert order_of(replace(TARGET, stdin=Stdin.NONE), call_of(payload)).stdin is None


def test_variables_are_filled_with_values_of_the_run() -> None:
    parent = ParentResult(
        RunKey.scheduled(JobKey("shop", "extract"), NOW),
        RunState.SUCCEEDED,
        Result("http", 200, '{"rows": 7}'),
        None,
        False,
    )
    found = environment(
        call_of({"customer": {"id": 7}, "none": None}, parents=(parent,)),
        ID="{{payload.customer.id}}",
        ALL="{{payload.customer}}",
        NONE="{{payload.none}}",
        RUN="{{job}} {{run_id}} {{attempt}}",
        ROWS="{{parents.extract.result.body.rows}}",
        BRACES="{{{{x}}",
    )
    assert found == {
        "ID": "7",
        "ALL": '{"id":7}',
        "NONE": "",
        "RUN": "shop/report 20261120T090000Z 2",
        "ROWS": "7",
        "BRACES": "{{x}}",
    }


def test_a_value_stays_what_it_is_whatever_it_contains() -> None:
    hostile = "$(rm -rf /); {{secret:ssm:/shop/db}} `x` \n'"
    order = order_of(replace(TARGET, environment=(("A", "{{payload}}"),)), call_of(hostile))
    assert (dict(order.environment), order.command) == ({"A": hostile}, "backup --all")


def test_the_caller_passes_the_order_on_and_the_run_waits_for_the_report() -> None:
    outcome, orders = called(TARGET, call_of())
    assert outcome == Outcome(RunState.WAITING)
    assert orders == [order_of(TARGET, call_of())]


@pytest.mark.parametrize(
    ("value", "payload", "type_", "words"),
    [
        ("{{payload.gone}}", {}, "UnresolvedTemplate", "target.environment.A: {{payload.gone}} names nothing"),
        ("{{payload}}", "a\0secret", "InvalidRequest", "target.environment.A, once it is filled, contains a NUL"),
        ("{{payload}}", "x" * 65_536, "InvalidRequest", "target.environment, once it is filled, is longer than 65,536"),
    ],
)
def test_a_variable_that_cannot_be_filled_ends_the_attempt_for_good(
    value: str, payload: Any, type_: str, words: str
) -> None:
    outcome, orders = called(replace(TARGET, environment=(("A", value),)), call_of(payload))
    assert (outcome.state, outcome.final, orders) == (RunState.FAILED, True, [])
    assert outcome.error is not None
    assert outcome.error.type == type_
    assert words in outcome.error.message
    assert "secret" not in outcome.error.message


def test_all_variables_together_have_one_bound() -> None:
    call = call_of("x" * 40_000)
    assert len(environment(call, A="{{payload}}")["A"]) == 40_000
    outcome, _ = called(replace(TARGET, environment=(("A", "{{payload}}"), ("B", "{{payload}}"))), call)
    assert outcome.error is not None
    assert outcome.error.message.startswith("target.environment, once it is filled, is longer")


def test_a_secret_is_read_for_the_order_and_is_in_nothing_else() -> None:
    target = replace(TARGET, environment=(("DB", "pg://{{secret:ssm:/shop/db}}"),))
    prefixes = parse_prefixes("*=ssm:/shop/")
    outcome, [order] = called(target, call_of(), secrets=SECRETS, secret_prefixes=prefixes)
    assert dict(order.environment) == {"DB": "pg://hunter2"}
    assert outcome == Outcome(RunState.WAITING)
    assert "hunter2" not in f"{order!r} {order} {[order]}"
    assert order.token not in repr(order)


def test_a_secret_that_the_namespace_may_not_use_makes_no_order() -> None:
    target = replace(TARGET, environment=(("DB", "{{secret:ssm:/shop/db}}"),))
    outcome, orders = called(target, call_of(), secrets=SECRETS)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.final, orders) == ("SecretNotAllowed", True, [])


def test_a_function_that_passes_no_orders_on_says_so() -> None:
    with pytest.raises(ValueError, match="passes no orders on"):
        CallByType(load_callers("agents"), TargetTerms())(TARGET, call_of())


def test_another_worker_does_not_make_orders() -> None:
    outcome = CallByType(load_callers("http"), TargetTerms())(TARGET, call_of())
    assert outcome.error is not None
    assert (outcome.error.type, outcome.final) == ("NoWorker", True)
    assert "Agents=true" in outcome.error.message


def test_in_shadow_the_order_is_described_and_no_secret_is_read() -> None:
    values = (("DAY", "{{scheduled_for}}"), ("DB", "{{secret:ssm:/shop/db}}"))
    outcome = described(replace(TARGET, environment=values), call_of(5))
    assert outcome.result is not None
    assert json.loads(outcome.result.body) == {
        "target": {
            "type": "command",
            "pool": "web",
            "command": "backup --all",
            "environment": {"DAY": "2026-11-20T09:00:00Z", "DB": "{{secret:ssm:/shop/db}}"},
        },
        "payload": 5,
    }
