"""What a run left: in the answer itself, or by a link that is not of the API."""

from dataclasses import replace

import pytest

from minutehand.client import AnswerError, Client, NotFound, Unreachable
from minutehand.domain.run import Result
from minutehand.usecases.completion.report import keep_output
from minutehand.usecases.ports.outputs import whole
from tests.support.api_server import ApiServer
from tests.support.http_server import Canned, closed_port

RUN = "20261120T080000Z"
LONG = "größe" * 100_000


@pytest.fixture(autouse=True)
def _job(api: ApiServer) -> None:
    api.add_job("demo/beat")


def answered(api: ApiServer, body: str) -> None:
    """Have the run's only attempt leave a text, as its worker does."""
    key = api.add_run("demo/beat", RUN, detailed=True)
    result = Result(type="http", status=200, body=body)
    run = api.state.runs[key]
    keep_output(api.ports.outputs, key, 1, whole(result, None, run.expires_at), run.scheduled_for)


def test_an_output_comes_with_its_text(api: ApiServer, client: Client) -> None:
    answered(api, "größe")
    output = client.output("demo/beat", RUN)
    assert (output["text"], output["bytes"], output["attempt"]) == ("größe", 7, 1)


def test_an_earlier_attempt_is_asked_for_by_its_number(api: ApiServer, client: Client) -> None:
    answered(api, "first")
    api.state.runs[next(iter(api.state.runs))] = replace(next(iter(api.state.runs.values())), attempt=2)
    assert client.output("demo/beat", RUN, attempt=1)["text"] == "first"
    assert api.requests[-1].path == f"/stage/v1/namespaces/demo/jobs/beat/runs/{RUN}/output"
    with pytest.raises(NotFound, match="there is no output of attempt 3"):
        client.output("demo/beat", RUN, attempt=3)


def test_a_long_text_is_fetched_by_its_link_and_the_token_stays_here(api: ApiServer, client: Client) -> None:
    answered(api, LONG)
    assert client.output("demo/beat", RUN)["text"] == LONG
    assert api.requests[-1].query == {"X-Amz-Expires": "300"}
    assert "authorization" not in api.requests[-1].headers


@pytest.mark.parametrize("status", [403, 404, 302])
def test_a_link_that_does_not_work_any_more_says_what_to_do(api: ApiServer, client: Client, status: int) -> None:
    answered(api, LONG)
    api.canned.extend([None, Canned(status=status, body=b"<Error/>")])
    with pytest.raises(AnswerError, match=f"HTTP {status}") as failure:
        client.output("demo/beat", RUN)
    assert "try again" in str(failure.value.problem()["hint"])
    assert "X-Amz" not in str(failure.value)


def test_a_link_that_leads_nowhere_from_here_says_so(api: ApiServer, client: Client) -> None:
    url = f"http://127.0.0.1:{closed_port()}/bucket/1.txt.gz"
    answered(api, LONG)
    api.say("/output", client.output("demo/beat", RUN) | {"text": None, "url": url})
    with pytest.raises(Unreachable, match="connection refused"):
        client.output("demo/beat", RUN)
