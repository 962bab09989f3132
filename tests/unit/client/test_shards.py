"""What the SDK tells of shards."""

from __future__ import annotations

import pytest

from minutehand.client import AnswerError, Client
from tests.support.api_server import ApiServer


def test_it_shows_how_timers_are_spread(api: ApiServer, client: Client) -> None:
    assert client.shards() == {"shards": 8, "read": 8, "state": "settled", "left": 0, "empty_since": None}


def test_an_answer_that_does_not_say_it_is_none(api: ApiServer, client: Client) -> None:
    api.say("/shards", {"shards": 8, "read": 8, "state": "settled"})
    with pytest.raises(AnswerError, match="'left'"):
        client.shards()
