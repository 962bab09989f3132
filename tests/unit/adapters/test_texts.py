"""Texts in S3 under errors that no test server produces, and the lifecycle rules of their bucket."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ConnectTimeoutError
from infra.template import load

from minutehand.adapters.s3 import KEPT_DAYS, S3Texts, place_of
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from tests.unit.adapters.fakes import Scripted, client_error

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
DAY = timedelta(days=1)
RUN = RunKey.triggered(JobKey(namespace="team", name="report"), NINE, "abc")
STORAGE = load(Path(__file__).parents[3] / "infra" / "storage.yaml")


def texts_over(*answers: Any, bucket: str = "outputs") -> tuple[S3Texts, Scripted]:
    client = Scripted(*answers)
    return S3Texts(lambda: client, bucket), client


@pytest.mark.parametrize(
    ("lasts", "kept"),
    [
        (-DAY, "1d"),
        (DAY, "1d"),
        (DAY + timedelta(seconds=1), "3d"),
        (30 * DAY, "30d"),
        (31 * DAY, "60d"),
        (3650 * DAY, "3650d"),
        (5000 * DAY, "3650d"),
    ],
)
def test_the_key_of_a_text_begins_with_its_retention(lasts: timedelta, kept: str) -> None:
    assert place_of(RUN, 2, lasts) == f"{kept}/team/report/20261120T090000Z~trigger-abc/2.txt.gz"


def test_the_bucket_expires_each_prefix_after_its_retention_and_no_other() -> None:
    rules = STORAGE["Resources"]["OutputBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    assert [(rule["Prefix"], rule["ExpirationInDays"], rule["Status"]) for rule in rules] == [
        (f"{days}d/", days, "Enabled") for days in KEPT_DAYS
    ]


def test_storing_an_existing_text_succeeds() -> None:
    texts, client = texts_over(client_error("PreconditionFailed"))
    texts.put("30d/a", "text")
    assert client.requests[0]["IfNoneMatch"] == "*"


def test_the_same_text_is_stored_as_the_same_bytes() -> None:
    texts, client = texts_over({}, {})
    texts.put("30d/a", "text" * 1000)
    texts.put("30d/b", "text" * 1000)
    assert client.requests[0]["Body"] == client.requests[1]["Body"]
    assert len(client.requests[0]["Body"]) < 100


def test_a_missing_text_is_none() -> None:
    assert texts_over(client_error("NoSuchKey"))[0].get("30d/a") is None


def test_a_text_that_may_not_be_read_is_not_taken_for_a_missing_one() -> None:
    with pytest.raises(Unavailable, match="GetObject on bucket outputs failed: AccessDenied: for a reason"):
        texts_over(client_error("AccessDenied"))[0].get("30d/a")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (client_error("SlowDown"), "on bucket outputs failed: SlowDown: for a reason"),
        (ConnectTimeoutError(endpoint_url="s3"), "on bucket outputs failed: Connect timeout"),
    ],
)
def test_an_error_of_s3_raises_unavailable(error: Exception, said: str) -> None:
    for ask in (lambda texts: texts.put("30d/a", ""), lambda texts: texts.get("30d/a"), lambda t: t.delete(["30d/a"])):
        with pytest.raises(Unavailable, match=said):
            ask(texts_over(error)[0])


def test_a_text_that_could_not_be_deleted_raises() -> None:
    left = {"Errors": [{"Key": "30d/b", "Code": "InternalError", "Message": "again"}]}
    with pytest.raises(Unavailable, match="object 30d/b of bucket outputs could not be deleted: InternalError: again"):
        texts_over(left)[0].delete(["30d/a", "30d/b"])


def test_texts_are_deleted_a_thousand_at_a_time() -> None:
    texts, client = texts_over({}, {}, {})
    texts.delete([f"30d/{number}" for number in range(2500)])
    assert [len(request["Delete"]["Objects"]) for request in client.requests] == [1000, 1000, 500]


def test_deleting_no_texts_makes_no_call() -> None:
    texts, client = texts_over()
    texts.delete([])
    assert client.requests == []


def test_without_a_bucket_the_error_names_the_setting_and_no_client_is_made() -> None:
    def no_client() -> Any:
        raise AssertionError

    with pytest.raises(Unavailable, match="OUTPUT_BUCKET is not set"):
        S3Texts(no_client, "").put("30d/a", "text")
