"""What the API tells of shards."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.upkeep.reshard import AT_MOST, EMPTY_FOR, PAUSE_PER_MOVE
from minutehand.usecases.upkeep.shards import LAYOUT_TRUSTED_FOR, ReshardingState, ShardStatus
from tests.unit.api.conftest import NOON, Api, known_tokens

PATH = "/v1/shards"
SETTLED = {"shards": 8, "read": 8, "state": "settled", "left": 0, "empty_since": None}


def api_with(status: ShardStatus) -> Api:
    def no_world() -> Ports:
        raise AssertionError("nothing else is asked")

    return Api(app=make_app(Deployment(tokens_of=known_tokens, ports_of=no_world, shards_of=lambda: status)))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (ShardStatus(8, 8, ReshardingState.SETTLED), {}),
        (ShardStatus(8, 8, ReshardingState.AWAITED), {"state": "awaited"}),
        (ShardStatus(8, 16, ReshardingState.MOVING, left=5), {"read": 16, "state": "moving", "left": 5}),
        (
            ShardStatus(8, 16, ReshardingState.EMPTYING, empty_since=NOON),
            {"read": 16, "state": "emptying", "empty_since": "2026-11-20T12:00:30Z"},
        ),
    ],
)
def test_the_status_shows_the_progress_of_resharding(status: ShardStatus, expected: dict[str, Any]) -> None:
    answer = api_with(status).get(PATH)
    assert (answer.status, answer.body) == (200, SETTLED | expected)


def test_stores_without_shards_have_one(api: Api) -> None:
    assert api.get(PATH).body == SETTLED | {"shards": 1, "read": 1}


def test_an_admin_of_some_namespaces_is_refused_and_told_to_use_one_of_all(api: Api) -> None:
    answer = api.by(namespaces="demo,shop").get(PATH)
    assert answer.status == 403
    assert answer.body["detail"] == ("the token 'ada' is admin in 'demo', 'shop'; this needs admin in every namespace")


def test_the_shard_status_takes_no_parameters(api: Api) -> None:
    assert api.get(PATH, query={"namespace": "demo"}).status == 400


def test_every_field_and_state_of_the_shard_status_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    section = text.partition("\n### Shards\n")[2].partition("\n### ")[0]
    assert all(f"| `{field}` |" in section for field in SETTLED)
    assert all(f"`{state.value}`" in section for state in ReshardingState)


def test_the_guide_s_figures_are_those_of_the_sweep() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "how-to" / "operations.md").read_text(encoding="utf-8")
    section = guide.partition("\n## Shards\n")[2].partition("\n## ")[0]
    assert f"for up to {AT_MOST.seconds} seconds, at most {timedelta(seconds=1) // PAUSE_PER_MOVE} a second" in section
    assert timedelta(hours=1) == EMPTY_FOR
    assert "empty for an hour" in section
    assert timedelta(minutes=5) == LAYOUT_TRUSTED_FOR
    assert "the number every five minutes" in section
