"""Where a local stack keeps its things, and the record that says how to reach it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from localstack.place import Place, Record

RECORD = Record(
    url="http://127.0.0.1:4566/_aws/execute-api/abc/prod",
    token="secret",
    endpoint_url="http://127.0.0.1:4566",
    region="us-east-1",
    stack="minutehand",
    jobs_table="Jobs",
    runs_table="Runs",
    port=4566,
    echo_port=4600,
    echo_url="http://127.0.0.1:4600",
    demo="",
    outputs={"TickFunction": "tick"},
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(state=tmp_path)


def test_a_record_comes_back_as_it_was_saved(place: Place) -> None:
    RECORD.save(place.record)
    assert Record.load(place.record) == RECORD


def test_only_its_owner_may_read_a_record_since_it_holds_a_token(place: Place) -> None:
    place.record.touch(mode=0o644)
    RECORD.save(place.record)
    assert place.record.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("written", ["", "{", "[]", "null", '{"url": "http://127.0.0.1:4566"}'])
def test_a_record_that_is_not_ours_counts_as_none(place: Place, written: str) -> None:
    place.record.write_text(written)
    assert Record.load(place.record) is None


def test_before_the_first_start_there_is_no_record(place: Place) -> None:
    assert Record.load(place.record) is None


def test_what_a_newer_version_added_to_a_record_is_passed_over(place: Place) -> None:
    RECORD.save(place.record)
    place.record.write_text(json.dumps(json.loads(place.record.read_text()) | {"new": 1}))
    assert Record.load(place.record) == RECORD


def test_the_demo_jobs_mark_changes_and_nothing_else() -> None:
    assert RECORD.evolve(demo="d1") != RECORD
    assert RECORD.evolve(demo="d1").evolve(demo="") == RECORD


def test_two_places_share_no_file(tmp_path: Path) -> None:
    one, two = (Place(state=tmp_path / name) for name in ("one", "two"))
    files = [(p.record, p.pid_file("echo"), p.log_file("echo")) for p in (one, two)]
    assert not set(files[0]) & set(files[1])
    assert len(set(files[0])) == 3
