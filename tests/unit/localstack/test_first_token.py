"""The first token, on an emulator whose CloudFormation calls the seed function, and on one that skips it."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import Any

import pytest
from infra.template import load
from localstack.errors import LocalStackError
from localstack.first_token import RESOURCE, SEEDED_ID, store_if_skipped
from localstack.workspace import CHECKOUT

from minutehand.entrypoints import seed

OUTPUTS = {"SeedFunction": "seed-1"}


class Emulator:
    """Clients of an emulator: `physical_id` is the custom resource's, `answer` what the seed function answers."""

    def __init__(self, physical_id: str, answer: dict[str, Any]) -> None:
        self.invoked: list[tuple[str, dict[str, Any]]] = []
        self._answer = answer
        detail = {"StackResourceDetail": {"PhysicalResourceId": physical_id}}
        self.cloudformation = SimpleNamespace(describe_stack_resource=lambda **_: detail)
        self.functions = SimpleNamespace(invoke=self._invoke)

    def _invoke(self, **given: Any) -> dict[str, Any]:
        self.invoked.append((given["FunctionName"], json.loads(given["Payload"])))
        return {"Payload": io.BytesIO(json.dumps(self._answer).encode())}


def test_a_token_that_cloudformation_has_seeded_is_left_alone() -> None:
    emulator = Emulator(SEEDED_ID, {})
    assert not store_if_skipped(emulator, "stack", OUTPUTS)
    assert emulator.invoked == []


def test_if_cloudformation_has_skipped_the_resource_the_seed_function_is_invoked() -> None:
    emulator = Emulator("unknown", {"Status": "SUCCESS"})
    assert store_if_skipped(emulator, "stack", OUTPUTS)
    [(function, event)] = emulator.invoked
    assert function == "seed-1"
    assert event["RequestType"] == "Create"
    assert "ResponseURL" not in event
    parameter, store = SimpleNamespace(name="token", read=lambda: "x" * 40), SimpleNamespace(put=lambda _: None)
    answered = seed.answer(event, parameter=lambda: parameter, tokens=lambda: store)
    assert answered["Status"] == "SUCCESS"
    assert answered["PhysicalResourceId"] == SEEDED_ID == seed.PHYSICAL_ID


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"Status": "FAILED", "Reason": "the store is away"}, "the store is away"),
        ({"errorMessage": "no module"}, "no mod"),
    ],
)
def test_a_seed_function_that_fails_is_an_error_with_its_reason(answer: dict[str, Any], reason: str) -> None:
    with pytest.raises(LocalStackError, match=f"did not make the first token: .*{reason}"):
        store_if_skipped(Emulator("unknown", answer), "stack", OUTPUTS)


def test_the_template_has_the_custom_resource() -> None:
    assert load(CHECKOUT / "template.yaml")["Resources"][RESOURCE]["Type"].startswith("Custom::")
