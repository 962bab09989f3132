"""What a run left: in the answer itself, or by a link that is not of the API."""

import gzip

import pytest

from minutehand.client import AnswerError, Client, NotFound, Unreachable
from tests.unit.client.fake.server import Canned, Request, closed_port
from tests.unit.client.fake_api import FakeApi

RUN = "20261120T080000Z"


def linked(api: FakeApi, url: str) -> None:
    api.outputs[RUN, None] = {"text": None, "url": url}


def storage(api: FakeApi, answer: Canned) -> None:
    """A path of the same server that is no API's."""

    def instead(request: Request) -> Canned | None:
        return answer if request.path == "/bucket/1.txt.gz" else None

    api.instead = instead
    linked(api, api.url.replace("/stage", "/bucket/1.txt.gz?X-Amz-Signature=abc"))


def test_an_output_comes_with_its_text(api: FakeApi, client: Client) -> None:
    api.outputs[RUN, None] = {"text": "größe", "bytes": 7}
    output = client.output("demo/beat", RUN)
    assert (output["text"], output["bytes"], output["attempt"]) == ("größe", 7, 1)


def test_an_earlier_attempt_is_asked_for_by_its_number(api: FakeApi, client: Client) -> None:
    api.outputs[RUN, 2] = {"text": "second", "attempt": 2}
    assert client.output("beat", RUN, attempt=2)["text"] == "second"
    assert api.requests[-1].path == f"/stage/v1/namespaces/default/jobs/beat/runs/{RUN}/output"
    with pytest.raises(NotFound, match="has left no output"):
        client.output("beat", RUN, attempt=3)


def test_a_long_text_is_fetched_by_its_link_and_the_token_stays_here(api: FakeApi, client: Client) -> None:
    body = gzip.compress("größe".encode() * 100_000)
    storage(api, Canned(body=body, headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"}))
    assert client.output("demo/beat", RUN)["text"] == "größe" * 100_000
    assert api.requests[-1].query == {"X-Amz-Signature": "abc"}
    assert "authorization" not in api.requests[-1].headers


@pytest.mark.parametrize("status", [403, 404, 302])
def test_a_link_that_does_not_work_any_more_says_what_to_do(api: FakeApi, client: Client, status: int) -> None:
    storage(api, Canned(status=status, body=b"<Error/>"))
    with pytest.raises(AnswerError, match=f"was not given: HTTP {status}") as failure:
        client.output("demo/beat", RUN)
    assert "ask again" in str(failure.value.problem()["hint"])
    assert "X-Amz" not in str(failure.value)


def test_a_link_that_leads_nowhere_from_here_says_so(api: FakeApi, client: Client) -> None:
    linked(api, f"http://127.0.0.1:{closed_port()}/bucket/1.txt.gz")
    with pytest.raises(Unreachable, match="cannot be fetched: connection refused"):
        client.output("demo/beat", RUN)
