"""Contract of stores of logs."""

from __future__ import annotations

from datetime import timedelta
from urllib.request import Request, urlopen

import pytest

from minutehand.usecases.ports.logs import LogRecord, Stretch
from tests.contract.examples import MINUTE, NINE, run_at
from tests.contract.stores import in_dynamodb

DAY = timedelta(days=1)
RECORD = LogRecord(parts=2, parts_at="3d/somewhere/", place="30d/somewhere.log.gz")


@pytest.fixture
def run(job):
    return run_at(job).key


def test_a_log_that_nobody_uploads_or_follows_has_no_record(stores, run):
    assert stores.outputs.logs.get(run, 1) is None


def test_uploads_and_followers_are_noted_apart(stores, run):
    logs = stores.outputs.logs
    logs.note_follower(run, 1, NINE, NINE + DAY)
    logs.note(run, 1, RECORD, NINE + DAY)
    assert logs.get(run, 1) == RECORD._replace(followed_at=NINE)
    logs.note_follower(run, 1, NINE + MINUTE, NINE + DAY)
    assert logs.get(run, 1) == RECORD._replace(followed_at=NINE + MINUTE)
    assert logs.get(run, 2) is None


def test_a_log_is_no_output(stores, run):
    stores.outputs.logs.note(run, 1, RECORD, NINE + DAY)
    assert stores.outputs.get(run, 1) is None


def test_a_log_is_forgotten_with_its_run(stores, run):
    stores.outputs.logs.note(run, 1, RECORD, NINE + DAY)
    stores.outputs.forget([run])
    assert stores.outputs.logs.get(run, 1) is None


def test_what_was_not_uploaded_is_none(stores, run):
    place = stores.outputs.logs.places(run, 1, whole=DAY, parts=DAY).place
    assert stores.outputs.logs.read(place, 0, 100) is None


@pytest.mark.services
def test_anybody_may_upload_by_a_url_exactly_as_many_bytes_as_it_says(server, bucket, run):
    outputs = in_dynamodb(server.client, server.jobs_table, server.runs_table, bucket).outputs
    logs = outputs.logs
    record = logs.places(run, 1, whole=30 * DAY, parts=2 * DAY)._replace(parts=1)
    assert (record.place[:4], record.parts_at[:3]) == ("30d/", "3d/")
    for place in (record.place, record.part(1)):
        _put(logs.upload(place, 10, MINUTE), b"0123456789")
    logs.note(run, 1, record, NINE + DAY)
    assert logs.read(record.place, 0, 4) == Stretch(b"0123", 10)
    assert logs.read(record.part(1), 8, 4) == Stretch(b"89", 10)
    assert logs.read(record.place, 10, 4) == Stretch(b"", 10)
    outputs.forget([run])
    assert [logs.read(place, 0, 4) for place in (record.place, record.part(1))] == [None, None]


@pytest.mark.services
def test_a_url_signs_the_length(server, bucket, run):
    logs = in_dynamodb(server.client, server.jobs_table, server.runs_table, bucket).outputs.logs
    url = logs.upload(logs.places(run, 1, whole=DAY, parts=DAY).place, 10, 5 * MINUTE)
    assert "content-length" in url
    assert "=300" in url
    assert "checksum" not in url.lower()


def _put(url: str, data: bytes) -> None:
    request = Request(url, data, {"Content-Type": ""}, method="PUT")  # noqa: S310 - MiniStack's
    with urlopen(request):  # noqa: S310 - as above
        pass
