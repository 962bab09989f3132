import pytest

from minutehand.client import AnswerError, ChangedMeanwhile, Client, Conflict
from tests.support.api_server import ApiServer
from tests.support.http_server import Canned

JOB = {"namespace": "shop", "schedule": "@hourly", "target": {"type": "http", "url": "https://example.com/hook"}}


def test_a_quota_is_set_shown_and_removed(client: Client) -> None:
    assert client.get_quota("shop")["jobs"] is None
    saved = client.set_quota("shop", jobs=1, runs_per_minute=20, concurrency=3)
    assert (saved["jobs"], saved["runs_per_minute"], saved["concurrency"]) == (1, 20, 3)
    assert saved["used"] == {"jobs": 0, "runs_this_minute": 0}
    assert client.get_namespace("shop")["status"]["quota"] == {"jobs": 1, "runs_per_minute": 20, "concurrency": 3}
    client.apply_job({**JOB, "name": "one"})
    with pytest.raises(Conflict, match="1 of at most 1 jobs"):
        client.apply_job({**JOB, "name": "two"})
    with pytest.raises(ChangedMeanwhile):
        client.set_quota("shop", if_revision=7)
    client.remove_quota("shop")
    assert client.get_quota()["namespace"] == "default"
    assert client.get_namespace("shop")["status"]["quota"] is None


def test_an_answer_that_is_no_quota_is_refused(api: ApiServer, client: Client) -> None:
    api.canned.append(Canned(status=200, body=b'{"namespace": "shop"}'))
    with pytest.raises(AnswerError, match="jobs"):
        client.get_quota("shop")
