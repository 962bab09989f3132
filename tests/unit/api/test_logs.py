"""Logs of attempts in the API: what agents may upload, and what readers get while a command runs and afterwards."""

from __future__ import annotations

import gzip
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.attempt_log import Member
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import Api, FakeClock
from tests.unit.api.test_nodes import NAMED, NODE, SESSION, agent, due, reports, starts

__all__ = ["agent", "due"]
LOG = "/v1/namespaces/demo/jobs/backup/runs/20261120T120000Z/log"
AT = "2026-11-20T12:00:01.000Z"


def member(*lines: str) -> bytes:
    """A part of a log, as agents store it."""
    return gzip.compress("".join(f"{AT} {line}\n" for line in lines).encode())


class Uploads:
    """An agent that uploads the log of the run that is due."""

    def __init__(self, api: Api, state: MemoryState) -> None:
        self._api = api
        self._state = state
        [started] = starts(api)
        self.token = str(started["order"]["token"])

    def ask(self, part: int | None, length: int = 10, *, node: str = NODE, **other: Any) -> Any:
        upload = NAMED | {"token": self.token, "part": part, "bytes": length} | other
        return self._api.post(f"{node}/uploads", body=SESSION | {"uploads": [upload]})

    def put(self, part: int | None, data: bytes) -> None:
        [item] = self.ask(part, len(data)).body["items"]
        self._state.objects[urlsplit(item["url"]).path.removeprefix("/")] = data


@pytest.fixture
def uploads(agent: Api, due: RunKey, state: MemoryState) -> Uploads:
    return Uploads(agent, state)


def read(api: Api, **query: str) -> dict[str, Any]:
    answer = api.get(LOG, query=query)
    assert answer.status == 200, answer.body
    return dict(answer.body)


def texts(page: dict[str, Any]) -> list[str]:
    return [each["text"] for each in page["entries"]]


def test_a_reader_gets_parts_as_they_come_and_the_rest_from_the_whole(uploads: Uploads, api: Api) -> None:
    first, second, last = member("out one", "out two"), member("out+ thr", "out ee"), member("out four")
    uploads.put(1, first)
    page = read(api)
    assert [(each["stream"], each["text"]) for each in page["entries"]] == [("output", "one\n"), ("output", "two\n")]
    assert (page["ended"], page["state"], page["entries"][0]["at"]) == (False, "waiting", AT)
    uploads.put(2, second)
    page = read(api, cursor=page["cursor"])
    assert texts(page) == ["thr", "ee\n"]
    assert texts(read(api, cursor=page["cursor"])) == []
    reports(
        uploads._api, uploads.token, state="succeeded", result={"exit_code": 0, "output": "four", "output_bytes": 4}
    )
    assert read(api, cursor=page["cursor"])["ended"] is False
    uploads.put(None, first + second + last)
    page = read(api, cursor=page["cursor"])
    assert (texts(page), page["ended"], page["cut"]) == (["four\n"], True, False)
    assert len(texts(read(api))) == 5


def test_pages_of_a_log_have_no_more_entries_than_asked_and_miss_none(uploads: Uploads, api: Api) -> None:
    wholes = [member(*(f"out {part}-{line}" for line in range(7))) for part in range(3)]
    for part, stored in enumerate(wholes, 1):
        uploads.put(part, stored)
    for ended in (False, True):
        found, cursor = [], {}
        while page := texts(answer := read(api, limit="3", **cursor)):
            assert len(page) <= 3
            found += page
            cursor = {"cursor": answer["cursor"]}
            if answer["ended"]:
                break
        assert found == [f"{part}-{line}\n" for part in range(3) for line in range(7)]
        assert answer["ended"] is ended
        reports(uploads._api, uploads.token, state="succeeded")
        uploads.put(None, b"".join(wholes))


def test_no_answer_is_over_a_megabyte(uploads: Uploads, api: Api) -> None:
    uploads.put(1, member(*["out " + "\x1b" * 16_000] * 50))
    answer = api.get(LOG)
    assert 0 < len(answer.body["entries"]) < 50
    assert len(str(answer.body)) < 1_000_000


def text_member(text: bytes) -> bytes:
    """A member of any text, made as small as it can be."""
    return gzip.compress(text, compresslevel=9, mtime=0)


def whole_of(uploads: Uploads, api: Api, stored: bytes) -> tuple[list[dict[str, Any]], int]:
    """What a reader of a whole log finds, and with how many requests."""
    uploads.put(None, stored)
    found, cursor, requests = [], {}, 0
    while requests < 100:
        answer = read(api, **cursor)
        requests += 1
        found += answer["entries"]
        if answer["ended"]:
            break
        assert (answer["cursor"] != cursor.get("cursor"), answer["next_in"]) == (True, 0)
        cursor = {"cursor": answer["cursor"]}
    return found, requests


def test_one_answer_decompresses_little_however_much_a_log_has(
    uploads: Uploads, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = text_member(b"\n" * 4_000_000)
    decompressed: list[int] = []
    entries = Member.entries
    monkeypatch.setattr(Member, "entries", lambda self: decompressed.append(len(self.text or b"")) or entries(self))
    stored = empty * 9 + member("out one")
    uploads.put(None, stored)
    page = read(api)
    assert (texts(page), page["ended"], page["next_in"]) == ([], False, 0)
    assert sum(decompressed) <= 16 * 1024 * 1024
    found, requests = whole_of(uploads, api, stored)
    assert ([each["text"] for each in found], requests) == (["one\n"], 3)


def test_a_piece_that_is_too_long_is_told_and_passed_over(uploads: Uploads, api: Api) -> None:
    stored = member("out one") + text_member(b"\n" * 5_000_000) + member("out two")
    found, _ = whole_of(uploads, api, stored)
    assert [(each["stream"], each["text"].split(",")[0]) for each in found] == [
        ("output", "one\n"),
        ("note", "a piece of the log is longer than any that an agent makes"),
        ("output", "two\n"),
    ]


def test_a_piece_whose_end_is_too_far_ends_the_log(uploads: Uploads, api: Api) -> None:
    found, _ = whole_of(uploads, api, member("out one") + text_member(b"\n" * 30_000_000) + member("out two"))
    assert [each["stream"] for each in found] == ["output", "note"]


def test_a_part_that_is_too_long_is_told_and_the_next_is_read(uploads: Uploads, api: Api) -> None:
    uploads.put(1, text_member(b"\n" * 30_000_000))
    uploads.put(2, member("out two"))
    page = read(api)
    assert [each["stream"] for each in page["entries"]] == ["note"]
    assert texts(read(api, cursor=page["cursor"])) == ["two\n"]


def test_many_empty_pieces_are_read_in_several_answers(uploads: Uploads, api: Api) -> None:
    found, requests = whole_of(uploads, api, text_member(b"") * 2_500 + member("out one"))
    assert ([each["text"] for each in found], requests) == (["one\n"], 3)


def test_an_entry_of_any_length_is_shown_up_to_16_kib(uploads: Uploads, api: Api) -> None:
    uploads.put(1, member("out " + "A" * 3_000_000, "out " + "\0" * 20_000))
    assert [len(each) for each in texts(read(api))] == [16_385, 16_385]


def test_a_line_without_an_end_is_no_entry_whatever_its_length(uploads: Uploads, api: Api) -> None:
    """A pattern that tries each way to part it would take minutes."""
    uploads.put(1, text_member(f"{AT} out one\n{AT} out ".encode() + b"A" * 2_000_000))
    assert texts(read(api)) == ["one\n"]


@pytest.mark.parametrize("at", ["x" * 1_000_000, "2026-13-20T12:00:01.000Z", "2026-11-20", ""])
def test_what_has_no_time_is_no_entry(uploads: Uploads, api: Api, at: str) -> None:
    uploads.put(1, text_member(f"{at} out one\n{AT} out two\n".encode()))
    assert texts(read(api)) == ["two\n"]


def test_parts_are_wanted_often_while_somebody_follows(uploads: Uploads, api: Api, clock: FakeClock) -> None:
    assert uploads.ask(1).body["every"] == 60
    read(api)
    assert uploads.ask(2).body["every"] == 5
    clock.now += timedelta(seconds=61)
    assert uploads.ask(3).body["every"] == 60


def test_a_follower_is_noted_twice_a_minute_at_most(
    uploads: Uploads, api: Api, state: MemoryState, clock: FakeClock
) -> None:
    read(api)
    [before] = state.logs.values()
    clock.now += timedelta(seconds=29)
    read(api)
    assert list(state.logs.values()) == [before]
    clock.now += timedelta(seconds=1)
    read(api)
    assert list(state.logs.values()) != [before]


@pytest.mark.parametrize(
    "other", [{"token": "another"}, {"attempt": 2}, {"run_id": "20261120T130000Z"}, {"job": "demo/other"}]
)
def test_only_the_token_of_an_attempt_gets_a_url_for_its_log(
    uploads: Uploads, other: dict[str, Any], state: MemoryState
) -> None:
    [item] = uploads.ask(1, **other).body["items"]
    assert item["url"] is None
    assert "does not belong" in item["problem"]
    assert not state.logs


def test_an_agent_of_another_namespace_gets_no_url_even_with_the_token(uploads: Uploads, api: Api) -> None:
    theirs = api.by(token="theirs", role="agent", namespaces="other")
    uploads._api = theirs
    [item] = uploads.ask(1, node=NODE.replace("demo", "other")).body["items"]
    assert item["url"] is None
    assert uploads.ask(1).status == 403


def test_a_log_may_be_uploaded_for_a_day_after_the_end(uploads: Uploads, clock: FakeClock) -> None:
    reports(uploads._api, uploads.token, state="failed")
    clock.now += timedelta(hours=23)
    assert uploads.ask(None).body["items"][0]["url"]
    clock.now += timedelta(hours=1)
    item = uploads.ask(None).body["items"][0]
    assert item["url"] is None
    assert "for a day" in item["problem"]


def test_a_part_that_is_too_long_is_refused(uploads: Uploads) -> None:
    answer = uploads.ask(1, 2 * 1024 * 1024 + 1)
    assert (answer.status, answer.body["errors"][0]["path"]) == (422, "uploads[0].bytes")
    assert uploads.ask(None, 2 * 1024 * 1024 + 1).status == 200


def test_a_command_without_a_log_has_its_output(uploads: Uploads, api: Api) -> None:
    assert read(api)["ended"] is False
    reports(uploads._api, uploads.token, state="succeeded", result={"output": "one\ntwo", "output_bytes": 7})
    page = read(api)
    assert [(each["stream"], each["text"]) for each in page["entries"]] == [("output", "one\n"), ("output", "two")]
    assert (page["ended"], page["cut"], page["state"]) == (True, False, "succeeded")
    page = read(api, limit="1")
    assert (texts(page), page["ended"]) == (["one\n"], False)
    page = read(api, limit="1", cursor=page["cursor"])
    assert (texts(page), page["ended"]) == (["two"], True)


def test_a_long_output_waits_for_its_log_and_is_cut_if_that_never_comes(
    uploads: Uploads, api: Api, clock: FakeClock
) -> None:
    reports(uploads._api, uploads.token, state="succeeded", result={"output": "end", "output_bytes": 100_000})
    assert (texts(read(api)), read(api)["ended"]) == ([], False)
    clock.now += timedelta(minutes=10)
    page = read(api)
    assert (texts(page), page["ended"], page["cut"]) == (["end"], True, True)


def test_a_lost_part_is_waited_for_until_the_whole_is_overdue(uploads: Uploads, api: Api, clock: FakeClock) -> None:
    uploads.ask(1)
    uploads.put(2, member("out two"))
    assert (texts(read(api)), read(api)["ended"]) == ([], False)
    reports(uploads._api, uploads.token, state="failed")
    clock.now += timedelta(minutes=10)
    page = read(api)
    assert (page["ended"], page["cut"]) == (True, True)


def test_what_is_no_log_ends_the_reading_without_an_error(uploads: Uploads, api: Api) -> None:
    uploads.put(1, b"no gzip")
    assert texts(read(api)) == []


def test_a_wrong_cursor_and_a_missing_attempt_are_refused(uploads: Uploads, api: Api) -> None:
    assert api.get(LOG, query={"cursor": "x"}).status == 400
    assert api.get(LOG, query={"attempt": "2"}).status == 404


def test_a_purge_removes_a_log_with_its_parts(
    uploads: Uploads,
    ports: Ports,
    state: MemoryState,
    due: RunKey,
) -> None:
    uploads.put(1, member("out one"))
    uploads.put(None, member("out one"))
    ports.outputs.forget([due])
    assert (state.logs, state.objects) == ({}, {})


def test_a_part_far_beyond_the_last_is_refused(uploads: Uploads) -> None:
    [far] = uploads.ask(101).body["items"]
    assert (far["url"], far["problem"]) == (None, "part 101 is too far ahead: 0 came before it")
    assert uploads.ask(100).body["items"][0]["url"]
    assert uploads.ask(200).body["items"][0]["url"]
