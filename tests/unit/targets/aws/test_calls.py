"""What all calls of targets in AWS share: roles, time limits, cancelling, and errors without an answer."""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.exceptions import (
    ConnectionClosedError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)

from minutehand.domain.outcome import Outcome
from minutehand.domain.run import RunState
from minutehand.targets import TYPES
from minutehand.targets.aws import waiting
from minutehand.targets.aws.caller import AwsCaller, Service
from minutehand.targets.aws.clients import READ_TIMEOUTS, REFUSED_FOR, RENEW, SESSION, Clients
from minutehand.targets.terms import AwsTerms
from tests.unit.targets.aws.calling import ANYTHING, NOW, Recorded, a_call, arn, caller, error, make_call

QUEUE = arn("sqs", "reports")
ROLE = "arn:aws:iam::444455556666:role/reports"
SENT = {"MessageId": "219f8380", "ResponseMetadata": {"HTTPStatusCode": 200}}
ASSUMED = {
    "Credentials": {
        "AccessKeyId": "ASIAIOSFODNN7EXAMPLE",
        "SecretAccessKey": "wJalrXUtnFEMI",
        "SessionToken": "AQoDYXdzEPT",
        "Expiration": NOW + SESSION,
    }
}
URL = "https://sqs.eu-west-1.amazonaws.com/"


@pytest.fixture
def quick_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "CHECK_EVERY", 0.02)


def slow_caller(go_on: Event) -> AwsCaller:
    """A caller of a service that answers only when the event is set."""

    def call(_client: Any, _target: Any, _call: Any) -> Outcome:
        go_on.wait(10)
        return Outcome(RunState.SUCCEEDED)

    return AwsCaller(Service("sqs", "SendMessage", call), ANYTHING, Clients(Recorded().make))


def test_a_call_ends_at_its_limit_whatever_aws_does(quick_checks: None) -> None:
    go_on = Event()
    outcome = slow_caller(go_on)(TYPES["sqs"].fields(queue=QUEUE), a_call(timeout=0.1))
    go_on.set()
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type) == (RunState.TIMED_OUT, "TimedOut")
    assert QUEUE in outcome.error.message


def test_a_call_ends_soon_after_its_run_is_cancelled(quick_checks: None) -> None:
    go_on, asked = Event(), time.monotonic()
    outcome = slow_caller(go_on)(
        TYPES["sqs"].fields(queue=QUEUE), a_call(cancelled=lambda: time.monotonic() > asked + 0.05)
    )
    go_on.set()
    assert (outcome.state, outcome.error and outcome.error.type) == (RunState.CANCELLED, "Cancelled")


def test_what_a_call_stores_counts_as_the_usage_of_its_run() -> None:
    context: ContextVar[str] = ContextVar("context", default="")
    context.set("of the run")
    assert waiting.within(a_call(), context.get) == "of the run"


@pytest.mark.parametrize(
    ("trouble", "kind", "final"),
    [
        (EndpointConnectionError(endpoint_url=URL), "Unreachable", False),
        (ReadTimeoutError(endpoint_url=URL), "ConnectionLost", False),
        (ConnectionClosedError(endpoint_url=URL), "ConnectionLost", False),
        (NoCredentialsError(), "NoCredentials", True),
        (ZeroDivisionError("a mistake"), "ZeroDivisionError", False),
    ],
)
def test_a_call_without_an_answer_fails_and_may_be_retried_unless_it_could_not_be_made(
    trouble: Exception, kind: str, final: bool
) -> None:
    outcome = make_call("sqs", Recorded(send_message=trouble), a_call(), queue=QUEUE)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type, outcome.final) == (RunState.FAILED, kind, final)


def test_a_request_that_boto3_cannot_send_is_final() -> None:
    recorded = Recorded(send_message=SENT)
    outcome = make_call("sqs", recorded, a_call(), queue=QUEUE, group=5)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.final) == ("InvalidRequest", True)
    assert "MessageGroupId" in outcome.error.message


@pytest.mark.parametrize(
    ("terms", "fields", "missing"),
    [
        (AwsTerms(), {}, "AwsTargetArns"),
        (AwsTerms(arns=("arn:aws:sqs:*:*:other*",)), {}, "AwsTargetArns"),
        (AwsTerms(tagged=True), {"role_arn": ROLE}, "AwsTargetRoles"),
    ],
)
def test_what_jobs_may_not_reach_is_refused_before_a_request(
    terms: AwsTerms, fields: dict[str, Any], missing: str
) -> None:
    recorded = Recorded()
    outcome = make_call("sqs", recorded, a_call(), terms, queue=QUEUE, **fields)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type, outcome.final) == (RunState.FAILED, "NotAllowed", True)
    assert missing in outcome.error.message
    assert recorded.clients == []


def test_no_call_reaches_a_queue_of_the_stack_itself() -> None:
    recorded = Recorded()
    terms = AwsTerms(tagged=True, account="111122223333", region="eu-west-1", queues=frozenset({"reports"}))
    outcome = make_call("sqs", recorded, a_call(), terms, queue=QUEUE)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.final, recorded.clients) == ("NotAllowed", True, [])


def test_a_tag_may_allow_what_no_parameter_names() -> None:
    outcome = make_call("sqs", Recorded(send_message=SENT), a_call(), AwsTerms(tagged=True), queue=QUEUE)
    assert outcome.state is RunState.SUCCEEDED


def test_a_denied_call_names_the_parameters_that_would_allow_it() -> None:
    outcome = make_call("sqs", Recorded(send_message=error("AccessDenied")), a_call(), queue=QUEUE)
    assert outcome.error is not None
    assert "AwsTargetArns" in outcome.error.message
    assert "minutehand=allowed" in outcome.error.message


def test_calls_with_a_role_share_its_session() -> None:
    recorded = Recorded(assume_role=ASSUMED, send_message=[SENT, SENT])
    ticks = itertools.count()
    call = caller("sqs", recorded, now=lambda: NOW + timedelta(microseconds=next(ticks)))
    for _ in range(2):
        assert call(TYPES["sqs"].fields(queue=QUEUE, role_arn=ROLE), a_call()).state is RunState.SUCCEEDED
    assumed = [params for name, params in recorded.requests if name == "AssumeRole"]
    assert assumed == [{"RoleArn": ROLE, "RoleSessionName": "minutehand", "DurationSeconds": 3600}]
    [(_, given)] = [one for one in recorded.clients if one[0] == "sqs"]
    assert (given["aws_access_key_id"], given["aws_session_token"]) == ("ASIAIOSFODNN7EXAMPLE", "AQoDYXdzEPT")


def test_a_session_is_renewed_before_it_ends() -> None:
    recorded, now = Recorded(assume_role=ASSUMED, send_message=SENT), NOW
    call = caller("sqs", recorded, now=lambda: now)
    for passed in (timedelta(0), SESSION - RENEW):
        now = NOW + passed
        assert call(TYPES["sqs"].fields(queue=QUEUE, role_arn=ROLE), a_call()).state is RunState.SUCCEEDED
    assert [name for name, _ in recorded.requests].count("AssumeRole") == 2


def test_a_role_that_does_not_trust_the_worker_is_named_in_the_error() -> None:
    recorded = Recorded(assume_role=error("AccessDenied", "not authorized to perform: sts:AssumeRole", 403))
    outcome = make_call("sqs", recorded, a_call(), queue=QUEUE, role_arn=ROLE)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.final) == ("AccessDenied", True)
    assert "sts AssumeRole" in outcome.error.message
    assert "AwsTargetRoles" in outcome.error.message


def test_a_role_that_aws_refused_is_not_asked_for_at_once_again() -> None:
    refusal = error("AccessDenied", "not authorized to perform: sts:AssumeRole", 403)
    recorded, now = Recorded(assume_role=[refusal, refusal], send_message=SENT), NOW
    call = caller("sqs", recorded, now=lambda: now)
    for passed in (timedelta(0), REFUSED_FOR - timedelta(seconds=1), REFUSED_FOR):
        now = NOW + passed
        outcome = call(TYPES["sqs"].fields(queue=QUEUE, role_arn=ROLE), a_call())
        assert (outcome.error and outcome.error.type) == "AccessDenied"
    assert [name for name, _ in recorded.requests].count("AssumeRole") == 2


def test_a_call_waits_for_no_session_of_another_role() -> None:
    asked, go_on = Event(), Event()
    recorded = Recorded(send_message=[SENT, SENT])

    class Sts:
        _endpoint = SimpleNamespace(http_session=SimpleNamespace(_socket_options=[]))

        def assume_role(self, **_: Any) -> Any:
            asked.set()
            assert go_on.wait(10)
            return ASSUMED

    clients = Clients(lambda service, **given: Sts() if service == "sts" else recorded.make(service, **given))
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(clients.of, "sqs", "eu-west-1", ROLE, timedelta(seconds=5))
        assert asked.wait(10)
        try:
            own = at_once(lambda: clients.of("sqs", "eu-west-1", None, timedelta(seconds=5)))
            assert not slow.done()
        finally:
            go_on.set()
        assert own is not slow.result()


def at_once(do: Callable[[], Any]) -> Any:
    """What a function returns, which must not wait for anything that this thread does next."""
    found: Future[Any] = Future()
    Thread(target=lambda: found.set_result(do()), daemon=True).start()
    return found.result(timeout=10)


def test_a_connection_that_waits_for_an_answer_is_kept_alive() -> None:
    """A function may answer after minutes, and NAT forgets a connection after 350 s of silence."""

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.handle_request, daemon=True).start()

        def make(service: str, **given: Any) -> Any:
            keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
            build: Any = boto3.client
            return build(service, endpoint_url=f"http://127.0.0.1:{server.server_port}", **given, **keys)

        client = Clients(make).of("lambda", "eu-west-1", None, timedelta(minutes=14))
        client.invoke(FunctionName="report")["Payload"].read()
        [pool] = client._endpoint.http_session._manager.pools._container.values()
        [used] = [each.sock for each in pool.pool.queue if each]
        assert used.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert used.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert used.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60
        assert used.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) == 30
        client.close()


@pytest.mark.parametrize(("limit", "read"), [(1, 5), (5, 5), (6, 15), (60, 60), (840, 900), (2000, 900)])
def test_the_thread_of_a_call_outlives_it_only_to_the_next_limit_of_reads(limit: float, read: int) -> None:
    recorded = Recorded()
    Clients(recorded.make).of("sqs", "eu-west-1", None, timedelta(seconds=limit))
    [(_, given)] = recorded.clients
    assert given["config"].read_timeout == read


def test_clients_are_made_when_they_are_needed_and_kept() -> None:
    recorded = Recorded()
    clients = Clients(recorded.make)
    assert recorded.clients == []
    made = {id(clients.of("sqs", "eu-west-1", None, timedelta(seconds=limit))) for limit in (1, 2, 3, 50, 60)}
    assert (len(made), len(recorded.clients)) == (2, 2)
    assert set(READ_TIMEOUTS) >= {5, 60}
