"""Calls of targets with several endpoints, over real sockets."""

from __future__ import annotations

import pytest

from minutehand.domain.balance import Balance
from minutehand.domain.endpoint import Visit
from minutehand.domain.run import RunState
from minutehand.targets.http.endpoint_fields import Eject, Endpoints, Listed, NextEndpoint
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.ports.target import Call
from tests.unit.targets.balanced import SECOND, answering, counts, refusing, scene, three, unused_port
from tests.unit.targets.conftest import SCHEDULED_FOR, TOKEN, a_run
from tests.unit.targets.servers import Peer

__all__ = ["refusing", "scene", "three", "unused_port"]


def test_the_endpoint_replaces_scheme_host_and_port_and_may_have_a_base_path(scene, serve):
    server = serve(answering())
    outcome = scene.call([server.url("/base/")])
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.endpoints == (server.url("/base"),)
    assert server.request.startswith("POST /base/clean?day=1 HTTP/1.1\r\n")
    assert server.sent_headers["host"] == f"127.0.0.1:{server.port}"


def test_calls_take_turns_by_weight_also_over_several_workers(scene, three):
    urls = [server.url("") for server in three]
    for number in range(8):
        scene.call(urls, weights=(2, 1, 1), caller=scene.another_worker() if number % 2 else None)
    assert counts(three) == [4, 2, 2]
    assert scene.balance == Balance(tickets=8)


def test_an_endpoint_that_refuses_connections_is_passed_over_in_the_same_attempt(scene, three, refusing):
    outcomes = [scene.call([refusing, three[0].url("")]) for _ in range(4)]
    assert {outcome.state for outcome in outcomes} == {RunState.SUCCEEDED}
    assert {outcome.endpoints for outcome in outcomes} == {(three[0].url(""),), (refusing, three[0].url(""))}
    assert counts(three[:1]) == [4]


@pytest.mark.thorough
def test_a_name_that_is_not_resolved_and_a_failed_handshake_are_passed_over_too(scene, three):
    plain = f"https://127.0.0.1:{three[1].port}"
    urls = ["https://nowhere.invalid", plain, three[0].url("")]
    for _ in range(3):
        outcome = scene.call(urls)
        assert (outcome.state, outcome.endpoints[-1]) == (RunState.SUCCEEDED, three[0].url(""))
    assert counts(three) == [3, 0, 0]


@pytest.mark.parametrize("wrong", ["http://[v1.x]", "http://[::127.0.0.999]", "http://a:70000"])
def test_an_endpoint_whose_url_is_not_valid_is_passed_over_and_left_out_after_its_failures(scene, three, wrong):
    good = three[0].url("")
    outcomes = [scene.call([wrong, good]) for _ in range(8)]
    assert {outcome.state for outcome in outcomes} == {RunState.SUCCEEDED}
    assert [outcome.endpoints for outcome in outcomes].count((wrong, good)) == 3
    assert set(scene.balance.ejected) == {wrong}
    assert counts(three[:1]) == [8]


def test_a_call_whose_only_endpoint_is_not_valid_may_be_retried_and_names_it(scene):
    outcome = scene.call(["http://[v1.x]"])
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type, outcome.final) == (RunState.FAILED, "InvalidEndpoint", False)
    assert outcome.error.message.startswith("the URL of the endpoint http://[v1.x] is not valid; ")
    assert outcome.endpoints == ("http://[v1.x]",)


@pytest.mark.thorough
def test_an_endpoint_that_does_not_answer_to_a_connection_leaves_time_for_the_others(scene, three, full_port):
    silent = f"http://127.0.0.1:{full_port}"
    outcomes = [scene.call([silent, three[0].url("")], timeout=1) for _ in range(2)]
    assert [outcome.state for outcome in outcomes] == [RunState.SUCCEEDED] * 2
    assert (silent, three[0].url("")) in {outcome.endpoints for outcome in outcomes}


@pytest.mark.thorough
def test_an_endpoint_without_tls_handshake_leaves_time_for_the_others_and_is_named_if_it_is_the_only_one(
    scene, serve, three
):
    silent = f"https://127.0.0.1:{serve(Peer.stay_silent).port}"
    for _ in range(2):
        assert scene.call([silent, three[0].url("")], timeout=1).state is RunState.SUCCEEDED
    assert counts(three) == [2, 0, 0]
    other = f"https://127.0.0.1:{serve(Peer.stay_silent).port}"
    outcome = scene.call([silent, other], timeout=0.5)
    assert (outcome.state, set(outcome.endpoints)) == (RunState.TIMED_OUT, {silent, other})
    assert outcome.error.message.endswith("during the TLS handshake")
    assert sum(scene.balance.failures.values()) >= 3


@pytest.mark.parametrize("broken", ["closes", "says nothing", "answers 503", "is no server"])
@pytest.mark.thorough
def test_a_request_that_the_target_may_have_received_is_sent_once(scene, serve, broken):
    def script(peer: Peer) -> None:
        peer.read_request()
        if broken == "says nothing":
            peer.stay_silent()
        if broken == "answers 503":
            peer.send(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
        if broken == "is no server":
            peer.send(b"hello\r\n\r\n")

    servers = [serve(script), serve(script)]
    outcome = scene.call([server.url("") for server in servers], timeout=0.3)
    assert outcome.state in (RunState.FAILED, RunState.TIMED_OUT)
    assert len(outcome.endpoints) == 1
    assert sum(counts(servers)) == 1
    assert list(scene.balance.failures.values()) == [1]


def test_a_connection_lost_while_the_request_is_sent_is_not_tried_elsewhere(scene, serve):
    servers = [serve(lambda _: None), serve(lambda _: None)]
    outcome = scene.call([server.url("") for server in servers])
    assert (outcome.error.type, len(outcome.endpoints)) == ("ConnectionLost", 1)
    assert sorted(server.connections for server in servers) == [0, 1]


def test_a_redirect_to_a_dead_server_is_not_tried_elsewhere(scene, serve, refusing):
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(f"HTTP/1.1 307 Go\r\nLocation: {refusing}/\r\nContent-Length: 0\r\n\r\n".encode())

    servers = [serve(script), serve(script)]
    listed = tuple(Listed(server.url("")) for server in servers)
    target = HttpTarget(url="http://x/", endpoints=Endpoints(listed=listed), redirects=1)
    given = Call(a_run(), None, 5 * SECOND, SCHEDULED_FOR + SECOND, 2, TOKEN)
    outcome = scene.caller(target, given)
    assert outcome.error.type == "ConnectionRefused"
    assert sum(counts(servers)) == len(outcome.endpoints) == 1
    assert scene.balance.failures == {}, "the endpoint itself answered"


def test_with_next_endpoint_retry_only_another_attempt_goes_elsewhere_and_prefers_what_the_run_has_not_tried(
    scene, three, refusing
):
    urls = sorted([refusing, three[0].url("")])
    failed = next(
        outcome
        for _ in range(2)
        if (outcome := scene.call(urls, next_endpoint=NextEndpoint.RETRY)).state is RunState.FAILED
    )
    assert failed.endpoints == (refusing,)
    assert failed.error.type == "ConnectionRefused"
    for _ in range(4):
        outcome = scene.call(urls, next_endpoint=NextEndpoint.RETRY, visits=(Visit(1, refusing),))
        assert outcome.endpoints == (three[0].url(""),)


def test_a_failing_endpoint_is_left_out_for_a_time_and_then_tried_again(scene, serve, three):
    broken = serve(answering("500 Broken"))
    urls, eject = [broken.url(""), three[0].url("")], Eject(2, 30 * SECOND)
    for _ in range(4):
        scene.call(urls, eject=eject)
    assert scene.balance.ejected == {broken.url(""): scene.now + 30 * SECOND}
    assert counts([broken, three[0]]) == [2, 2]
    for _ in range(4):
        scene.call(urls, eject=eject, caller=scene.another_worker())
    assert counts([broken, three[0]]) == [2, 6]
    scene.now += 30 * SECOND
    for _ in range(2):
        scene.call(urls, eject=eject)
    assert counts([broken, three[0]]) == [3, 7], "it is back for one call, which fails"
    broken._script = answering()
    scene.now += 30 * SECOND
    for _ in range(2):
        scene.call(urls, eject=eject)
    assert scene.balance.failures == scene.balance.ejected == {}


def test_if_all_are_ejected_all_are_tried(scene, serve):
    servers = [serve(answering("500 Broken")) for _ in range(2)]
    for _ in range(6):
        scene.call([server.url("") for server in servers], eject=Eject(1, 30 * SECOND))
    assert counts(servers) == [3, 3]


@pytest.mark.parametrize("status", ["404 Gone", "429 Slow down", "202 Accepted", "302 Elsewhere"])
def test_other_answers_show_that_the_endpoint_lives(scene, serve, status):
    server = serve(answering(status))
    scene.call([server.url("")], mode=Mode.SYNC)
    assert scene.balance == Balance(tickets=1)


def test_a_cancelled_call_says_nothing_about_the_endpoint(scene, serve, quick_checks):
    server = serve(lambda peer: (peer.read_request(), peer.stay_silent()))
    outcome = scene.call([server.url("")], cancelled=lambda: bool(server.requests))
    assert outcome.state is RunState.CANCELLED
    assert scene.balance == Balance(tickets=1)


def test_a_request_that_cannot_be_made_blames_no_endpoint(scene, three):
    target = HttpTarget(
        url="http://x/", endpoints=Endpoints(listed=(Listed(three[0].url("")),)), headers=(("X", "{{payload.none}}"),)
    )
    refused = scene.caller(target, Call(a_run(), {}, 5 * SECOND, SCHEDULED_FOR + SECOND, 2, TOKEN))
    assert (refused.error.type, refused.final, refused.endpoints) == ("UnresolvedTemplate", True, ())
    assert scene.balance.failures == {}
