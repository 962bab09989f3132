"""Logs of attempts, read while they grow."""

import gzip
from datetime import timedelta

import pytest

from minutehand.client import Client, NotFound, read_log
from minutehand.usecases.ports.logs import LogRecord
from tests.support.api_server import NOW, ApiServer

RUN = "20261120T080000Z"


@pytest.fixture(autouse=True)
def _job(api: ApiServer) -> None:
    api.add_job("demo/beat")


def logged(api: ApiServer, attempt: int, text: str, *, state: str) -> None:
    """Have an attempt of the run leave a log."""
    key = api.add_run("demo/beat", RUN, state, attempt=attempt)
    api.ports.outputs.logs.note(key, attempt, LogRecord(place=text), NOW + timedelta(days=1))
    api.state.objects[text] = gzip.compress(f"2026-11-20T08:00:01.000Z out {text}\n".encode())


def test_following_goes_on_with_the_attempts_that_come(api: ApiServer, client: Client) -> None:
    logged(api, 1, "first", state="retrying")
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        logged(api, 2, "second", state="succeeded")

    pages = list(read_log(client, "demo/beat", RUN, follow=True, sleep=sleep))
    texts = [(page["attempt"], entry["text"]) for page in pages for entry in page["entries"]]
    assert texts == [(1, "first\n"), (2, "second\n")]
    assert (len(slept), pages[-1]["state"]) == (1, "succeeded")


def test_one_attempt_is_read_alone(api: ApiServer, client: Client) -> None:
    logged(api, 1, "first", state="failed")
    logged(api, 2, "second", state="failed")
    for follow in (False, True):
        [page] = read_log(client, "demo/beat", RUN, attempt=1, follow=follow)
        assert [entry["text"] for entry in page["entries"]] == ["first\n"]


def test_without_following_a_log_is_read_as_far_as_it_goes(api: ApiServer, client: Client) -> None:
    api.add_run("demo/beat", RUN, "running")
    [page] = read_log(client, "demo/beat", RUN)
    assert (page["entries"], page["ended"]) == ([], False)


def test_a_missing_attempt_is_an_error(api: ApiServer, client: Client) -> None:
    api.add_run("demo/beat", RUN)
    with pytest.raises(NotFound, match="has had one attempt"):
        list(read_log(client, "demo/beat", RUN, attempt=2))
