"""What a run in shadow records of the call that it does not make."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from minutehand.domain.run import RunState
from minutehand.targets import fields_by_type
from minutehand.targets.http.fields import Body, HttpTarget
from minutehand.targets.shadow import described
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.targets.conftest import SCHEDULED_FOR, a_run

URL = "https://example.com/hook"


def called(target: Any, payload: Any = None) -> Outcome:
    minute = timedelta(minutes=1)
    call = Call(
        run=a_run(), payload=payload, timeout=minute, deadline=SCHEDULED_FOR + minute, attempts_left=0, token="secret"
    )
    return described(target, call)


def recorded(outcome: Outcome) -> Any:
    assert (outcome.state, outcome.final) == (RunState.SKIPPED, True)
    assert outcome.result is not None
    assert (outcome.result.type, outcome.result.status) == ("shadow", 0)
    return json.loads(outcome.result.body)


def test_the_target_is_recorded_without_its_defaults_and_with_the_payload() -> None:
    found = recorded(called(HttpTarget(url=URL), {"a": [1, None]}))
    assert found == {"target": {"type": "http", "url": URL}, "payload": {"a": [1, None]}}


def test_templates_are_filled_and_keep_their_types_in_json_alone() -> None:
    target = HttpTarget(
        url=URL,
        query=(("day", "{{scheduled_for}}"), ("n", "{{payload.n}}")),
        headers=(("X-Run", "run {{run_id}}"),),
        body=Body(json={"n": "{{payload.n}}", "all": ["{{payload}}"]}),
    )
    found = recorded(called(target, {"n": 5}))["target"]
    assert found["query"] == {"day": "2026-11-20T09:00:00Z", "n": "5"}
    assert found["headers"] == {"X-Run": "run 20261120T090000Z"}
    assert found["body"]["json"] == {"n": 5, "all": [{"n": 5}]}


def test_a_form_and_a_text_are_filled() -> None:
    form = recorded(called(HttpTarget(url=URL, body=Body(form=(("a", "{{name}}"),)))))
    text = recorded(called(HttpTarget(url=URL, body=Body(text="for {{job}}"))))
    assert (form["target"]["body"]["form"], text["target"]["body"]["text"]) == ({"a": "beat"}, "for demo/beat")


def test_secrets_are_not_read_and_stay_as_they_are_written() -> None:
    reference = "{{secret:ssm:/shop/key}}"
    target = HttpTarget(url=URL, headers=(("Authorization", f"Bearer {reference}"),), signing_key="ssm:/shop/sign")
    found = recorded(called(target))["target"]
    assert (found["headers"]["Authorization"], found["signing_key"]) == (f"Bearer {reference}", "ssm:/shop/sign")


def test_a_template_that_cannot_be_filled_is_the_error_that_the_call_would_have_had() -> None:
    outcome = called(HttpTarget(url=URL, query=(("n", "{{payload.gone}}"),)), {})
    assert recorded(outcome)["target"]["query"] == {"n": "{{payload.gone}}"}
    assert outcome.error is not None
    assert outcome.error.type == "UnresolvedTemplate"
    assert outcome.error.message.startswith("target.query: {{payload.gone}} names nothing")


def test_a_target_in_aws_is_recorded_with_its_fields() -> None:
    queue = "arn:aws:sqs:eu-west-1:111122223333:reports"
    found = recorded(called(fields_by_type()["sqs"](queue=queue), 5))
    assert found == {"target": {"type": "sqs", "queue": queue}, "payload": 5}
