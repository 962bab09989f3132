"""Write units of calls, counted on MiniStack, are those that docs/reference/costs.md gives."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from benchmarks.cost import features
from benchmarks.cost import request_scenarios as requests
from benchmarks.cost import run_scenarios as runs
from benchmarks.cost.features import Feature
from benchmarks.cost.meter import Meter
from benchmarks.cost.metered_stack import Emulators
from benchmarks.emulators import MINISTACK

from minutehand.domain.actor import Actor
from minutehand.domain.caller import Caller
from minutehand.domain.token import Role, Token, digest_of
from minutehand.usecases.tokens import Asking, create, revoke
from tests.contract.stores import dynamodb_client, in_dynamodb

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "costs.md"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
UNDER_QUOTAS = {runs.paced, runs.waits_for_its_minute, runs.finds_no_place, requests.created_within_a_quota}
OF_QUOTAS = [feature for feature in (*features.RUNS, *features.CHANGES) if feature.play in UNDER_QUOTAS]
TOKENS = (
    "A token costs 4 write units and 2 for each [record](#changes-of-jobs) of the change when it is made, and again when it is revoked: 6 for "
    "all namespaces, 8 for one, 10 for two. An `Idempotency-Key` costs 2 more."
)

pytestmark = pytest.mark.services


@pytest.mark.parametrize("feature", OF_QUOTAS, ids=lambda feature: feature.what)
def test_a_quota_costs_what_the_page_says(ministack, feature: Feature) -> None:
    emulators = Emulators({MINISTACK: ministack.client.meta.endpoint_url})
    assert features.added(feature, emulators, MINISTACK, {}).writes == feature.units


@pytest.mark.parametrize(
    ("named", "units"),
    [(("*",), 6), (("shop",), 8), (("shop", "billing"), 10), (tuple(f"n{n}" for n in range(90)), 186)],
    ids=["all namespaces", "one namespace", "two namespaces", "ninety namespaces"],
)
def test_a_token_costs_four_units_two_for_each_record_and_two_with_a_key(ministack, named, units) -> None:
    client = dynamodb_client(ministack.client.meta.endpoint_url)
    meter = Meter(ministack.client, Counter())
    meter.watch(client)
    tokens = in_dynamodb(client, ministack.jobs_table, ministack.runs_table).tokens
    admin = Caller.of(Token(digest=digest_of("admin"), name="admin", role=Role.ADMIN, namespaces=("*",)))
    asking = Asking(by=admin, who=Actor("admin"), now=NOW, kept=timedelta(days=1))
    for key, more in ((None, 0), ("once", 2)):
        made = Token(digest=digest_of(f"{key} {units}"), name="ci", role=Role.VIEWER, namespaces=named)
        meter.take()
        create(tokens, made, asking, key=key and f"{key} {units}")
        assert sum(meter.take().writes.values()) == units + more
        revoke(tokens, made.id, asking)
        assert sum(meter.take().writes.values()) == units


def test_the_page_has_the_units_of_tokens() -> None:
    assert TOKENS in PAGE.read_text(encoding="utf-8")
