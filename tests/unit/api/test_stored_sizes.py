"""What grows as it is stored, beyond what a table's item can hold, is refused as the caller's mistake."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.dynamodb.calls.metering import item_size
from minutehand.adapters.dynamodb.codecs import definition_codec, run_codec
from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import SECOND
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.stores import Payload
from tests.unit.api.conftest import HEARTBEAT, JOB, NOON, PATH, Api

ITEM = 400 * 1024
"""What an item of DynamoDB holds."""
GROWING = f"[{','.join(['1e15'] * 50_000)}]"


def body(payload: str) -> str:
    return f'{{"schedule":"0 * * * *","target":{{"type":"http","url":"https://example.com/"}},"payload":{payload}}}'


@pytest.mark.parametrize("query", [None, {"dry_run": "true"}])
def test_a_job_that_grows_beyond_an_item_is_refused_at_its_payload(api: Api, query: dict[str, str] | None) -> None:
    answer = api.send("PUT", PATH, body(GROWING), query=query)
    assert (answer.status, list(answer.errors)) == (422, ["payload"])
    said = answer.errors["payload"]
    assert "950,001 of them for the payload; 378,880 is the most" in said["message"]
    assert "store the data elsewhere" in said["hint"]
    assert api.get().status == 404


def test_a_trigger_s_payload_that_grows_beyond_an_item_is_refused(api: Api, state: MemoryState) -> None:
    api.put()
    answer = api.post(f"{PATH}/trigger", body=f'{{"payload":{GROWING}}}')
    assert (answer.status, list(answer.errors)) == (422, ["payload"])
    assert "as stored, the payload has 950,001 bytes" in answer.errors["payload"]["message"]
    assert not state.runs


def test_the_largest_bodies_that_do_not_grow_are_stored(api: Api) -> None:
    text = "x" * 250_000
    assert api.put(JOB | {"payload": text}).status == 201
    assert api.post(f"{PATH}/trigger", body={"payload": text}).status == 202


@pytest.mark.parametrize("text", ["a", "ü", "\\u0007", "1e15,", "\\u2028"])
def test_what_is_accepted_fits_into_an_item(api: Api, state: MemoryState, text: str) -> None:
    """Payloads of growing length, up to the first that is refused."""
    accepted = refused = 0
    for kilobytes in (60, 90, 100, 240):
        repeated = text * (kilobytes * 1024 // len(text))
        payload = f"[{repeated}1]" if text == "1e15," else f'"{repeated}"'
        answer = api.send("PUT", PATH, body(payload))
        if answer.status == 422:
            refused += 1
            continue
        accepted += 1
        definition = state.definitions[HEARTBEAT]
        assert item_size(definition_codec.encode(definition)) < ITEM - 25_700, "and 100 children have room beside it"
        run = RunKey.scheduled(HEARTBEAT, NOON)
        assert item_size(run_codec.encode_payload(run, Payload(definition.job.payload), NOON + SECOND)) < ITEM
    assert accepted
    assert bool(refused) == (text == "1e15,")


def test_a_job_with_a_long_history_can_still_be_paused_and_deleted(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.put(JOB | {"payload": "x" * 1000})
    monkeypatch.setattr("minutehand.domain.stored_size.MOST_STORED", 1500)
    changed: dict[str, Any] = JOB | {"payload": "y" * 1400}
    assert api.put(changed).status == 422
    assert api.post(f"{PATH}/pause").status == 200
    assert api.post(f"{PATH}/resume").status == 200
    assert api.delete().status == 204
