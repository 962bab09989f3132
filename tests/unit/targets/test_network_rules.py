"""Addresses that jobs may call."""

import errno
import socket
from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from minutehand.domain.run import RunState
from minutehand.targets.http.addresses import forbidden
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.deadline import TimedSocket
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import answering, response
from tests.unit.targets.test_answers import Serve

FORBIDDEN = [
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("::1", "loopback"),
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:7f00:1", "loopback"),
    ("64:ff9b::7f00:1", "loopback"),
    ("2002:7f00:1::", "loopback"),
    ("0.0.0.0", "unspecified"),  # noqa: S104 - nothing binds here
    ("0.1.2.3", "unspecified"),
    ("::", "unspecified"),
    ("::ffff:0.0.0.0", "unspecified"),
    ("169.254.169.254", "link-local"),
    ("169.254.100.1", "link-local"),
    ("::ffff:169.254.169.254", "link-local"),
    ("64:ff9b::a9fe:a9fe", "link-local"),
    ("2002:a9fe:a9fe::1", "link-local"),
    ("2001:0:a9fe:a9fe::", "link-local"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local"),
    ("febf::1", "link-local"),
    ("fd00:ec2::254", "instance metadata"),
    ("fd00:ec2::23", "instance metadata"),
    ("100.100.100.200", "instance metadata"),
    ("192.0.0.192", "instance metadata"),
    ("2001:db8::5efe:a9fe:a9fe", "link-local"),
    ("2001:db8::200:5efe:7f00:1", "loopback"),
    ("fe80::5efe:a00:1", "link-local"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.250", "multicast"),
    ("ff02::1", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("::127.0.0.1", "reserved"),
    ("::ffff:0:127.0.0.1", "reserved"),
    ("64:ff9b:1::7f00:1", "reserved"),
    ("100::1", "reserved"),
    ("fec0::1", "reserved"),
]
ALLOWED = [
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "198.51.100.7",
    "93.184.215.14",
    "169.253.255.255",
    "169.255.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::5db8:d70e",
    "2606:4700::1111",
    "fc00::1",
    "fd00::5efe:a00:1",
    "100.100.100.201",
    "fd12:3456::1",
]


@pytest.mark.parametrize(("address", "kind"), FORBIDDEN)
def test_addresses_of_this_machine_and_reserved_ones_are_forbidden(address: str, kind: str) -> None:
    assert (forbidden(ip_address(address), allow_loopback=False) or "").startswith(kind)


@pytest.mark.parametrize("address", ALLOWED)
def test_public_and_private_addresses_are_allowed(address: str) -> None:
    assert forbidden(ip_address(address), allow_loopback=False) is None


@pytest.mark.parametrize(("address", "kind"), FORBIDDEN)
def test_allowing_loopback_allows_nothing_else(address: str, kind: str) -> None:
    allowed = forbidden(ip_address(address), allow_loopback=True) is None
    assert allowed == (kind == "loopback")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "[::ffff:127.0.0.1]"])
def test_loopback_is_refused_however_it_is_written(serve: Serve, host: str) -> None:
    server = serve(answering(response()))
    outcome = call(server.url(host=host), caller=HttpCaller(allow_loopback=False))
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "AddressRefused"
    assert "loopback" in outcome.error.message
    assert "AllowLoopbackTargets" in outcome.error.message
    assert server.connections == 0


def test_instance_metadata_is_refused_and_no_setting_is_suggested() -> None:
    outcome = call("http://169.254.169.254/latest/meta-data/")
    assert outcome.error is not None
    assert outcome.error.type == "AddressRefused"
    assert "169.254.169.254 is link-local" in outcome.error.message
    assert "AllowLoopbackTargets" not in outcome.error.message


def test_the_runtime_interface_of_a_lambda_is_refused(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(answering(response()))
    monkeypatch.setenv("AWS_LAMBDA_RUNTIME_API", f"127.0.0.1:{server.port}")
    outcome = call(server.url("/2018-06-01/runtime/invocation/next"), caller=HttpCaller(allow_loopback=False))
    assert outcome.error is not None
    assert outcome.error.type == "AddressRefused"


def test_a_name_is_judged_by_what_it_resolves_to() -> None:
    caller = HttpCaller(allow_loopback=False, lookup=lambda host: ["169.254.169.254"])
    outcome = call("http://innocent.example/", caller=caller)
    assert outcome.error is not None
    assert outcome.error.type == "AddressRefused"
    assert "innocent.example resolves to 169.254.169.254" in outcome.error.message


def test_the_connection_goes_to_the_address_that_was_checked(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server that answers a second query differently never gets one."""
    server = serve(answering(response(b"reached")))
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])

    def no_other_lookup(*args: object, **kwargs: object) -> Sequence[object]:
        raise AssertionError("resolved again, behind the check")

    monkeypatch.setattr(socket, "getaddrinfo", no_other_lookup)
    caller = HttpCaller(allow_loopback=True, lookup=lambda host: next(answers))
    outcome = call(server.url(host="rebinding.example"), caller=caller)
    assert outcome.state is RunState.SUCCEEDED
    assert server.sent_headers["host"] == f"rebinding.example:{server.port}"
    assert next(answers) == ["169.254.169.254"]


def test_forbidden_addresses_among_others_are_left_out(serve: Serve) -> None:
    server = serve(answering(response()))
    caller = HttpCaller(allow_loopback=True, lookup=lambda host: ["169.254.169.254", "fe80::1", "127.0.0.1"])
    assert call(server.url(host="mixed.example"), caller=caller).state is RunState.SUCCEEDED


def test_the_next_address_is_tried_when_one_refuses(serve: Serve) -> None:
    server = serve(answering(response()))
    caller = HttpCaller(allow_loopback=True, lookup=lambda host: ["127.0.0.9", "127.0.0.1"])
    assert call(server.url(host="two.example"), caller=caller).state is RunState.SUCCEEDED


def test_an_error_of_ipv4_is_shown_rather_than_the_lack_of_ipv6(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errors = {"192.0.2.1": errno.ECONNREFUSED, "2001:db8::1": errno.ENETUNREACH}

    def connect_ex(self: TimedSocket, address: tuple[str, int]) -> int:
        return errors[address[0]]

    monkeypatch.setattr(TimedSocket, "connect_ex", connect_ex)
    for order in (list(errors), list(reversed(errors))):
        caller = HttpCaller(allow_loopback=False, lookup=lambda host, order=order: order)
        outcome = call("http://two.example/", caller=caller)
        assert outcome.error is not None
        assert outcome.error.type == "ConnectionRefused"
