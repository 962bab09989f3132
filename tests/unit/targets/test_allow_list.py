"""Allow-list: the meaning of its entries, invalid entries, and calls under it."""

from __future__ import annotations

import importlib
from ipaddress import ip_address

import pytest

from minutehand.domain.run import RunState
from minutehand.entrypoints import bootstrap, clients
from minutehand.entrypoints.network import target_terms
from minutehand.entrypoints.settings import Settings
from minutehand.targets.http.allow_list import EVERYTHING, AllowList
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.terms import DEFAULT_TERMS, TargetTerms
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import answering, response
from tests.unit.targets.test_answers import Serve

NAMED = [
    # the entry, a URL's host and port, whether the name alone allows it
    ("api.example.com", "api.example.com", 443, True),
    ("api.example.com", "api.example.com", 8443, True),
    ("api.example.com", "API.Example.COM.", 443, True),
    ("API.example.com.", "api.example.com", 443, True),
    ("api.example.com", "xapi.example.com", 443, False),
    ("api.example.com", "v2.api.example.com", 443, False),
    ("api.example.com", "api.example.com.evil.example", 443, False),
    ("api.example.com:8443", "api.example.com", 8443, True),
    ("api.example.com:8443", "api.example.com", 443, False),
    ("*.example.com", "api.example.com", 443, True),
    ("*.example.com", "a.b.example.com", 443, True),
    ("*.example.com", "example.com", 443, False),
    ("*.example.com", "notexample.com", 443, False),
    ("*.example.com:8443", "api.example.com", 8443, True),
    ("*.example.com:8443", "api.example.com", 443, False),
    ("localhost", "localhost", 80, True),
    ("_service.internal", "_service.internal", 80, True),
    ("10.0.0.0/8", "intranet", 80, False),
]
REACHED = [
    ("10.0.0.0/8", "10.255.0.1", 443, True),
    ("10.0.0.0/8", "11.0.0.1", 443, False),
    ("10.0.0.0/8", "::ffff:10.0.0.1", 443, True),
    ("10.0.0.0/8", "64:ff9b::a00:1", 443, True),
    ("10.0.0.0/8", "64:ff9b::b00:1", 443, False),
    ("10.0.0.0/8", "2002:a00:1::", 443, False),
    ("10.1.2.3", "10.1.2.3", 8443, True),
    ("10.1.2.3", "10.1.2.4", 8443, False),
    ("10.1.2.3:8443", "10.1.2.3", 8443, True),
    ("10.1.2.3:8443", "10.1.2.3", 443, False),
    ("2001:db8::/32", "2001:db8:1::1", 443, True),
    ("2001:db8::/32", "2001:db9::1", 443, False),
    ("2001:db8::1", "2001:db8::1", 443, True),
    ("[2001:db8::1]:8443", "2001:db8::1", 8443, True),
    ("[2001:db8::1]:8443", "2001:db8::1", 443, False),
    ("[2001:db8::1]", "2001:db8::1", 443, True),
    ("0.0.0.0/0", "2001:db8::1", 443, False),
    ("api.example.com", "10.0.0.1", 443, False),
]
WRONG = [
    ("*", "leave the whole list empty"),
    ("api.*.com", "only as the first label"),
    ("*api.example.com", "only as the first label"),
    ("https://api.example.com", "leave out the scheme"),
    ("api.example.com/path", "address/length"),
    ("10.1.2.3/8", "the network is 10.0.0.0/8"),
    ("10.0.0.0/33", "address/length"),
    ("10.0.0.0/8:443", "address/length"),
    ("10.0.0", "write an address in full"),
    ("010.0.0.1", "write an address in full"),
    ("0x7f.1", "write an address in full"),
    ("api.example.com:0", "1 to 65535"),
    ("api.example.com:https", "1 to 65535"),
    ("api example.com", "write a host"),
    ("-api.example.com", "write a host"),
    ("api..example.com", "write a host"),
    ("exämple.com", "write a host"),
    ("*.", "leave the whole list empty"),
    ("fe80::1%eth0", "leave out the %"),
    ("a" * 254, "write a host"),
]


@pytest.mark.parametrize(("entry", "host", "port", "allowed"), NAMED)
def test_a_host_rule_allows_a_name(entry: str, host: str, port: int, allowed: bool) -> None:
    assert AllowList.parse(entry).allows_name(host, port) == allowed


@pytest.mark.parametrize(("entry", "address", "port", "allowed"), REACHED)
def test_a_network_rule_allows_an_address(entry: str, address: str, port: int, allowed: bool) -> None:
    assert AllowList.parse(entry).allows_address(ip_address(address), port) == allowed


@pytest.mark.parametrize(("entry", "hint"), WRONG)
def test_an_invalid_entry_is_refused_with_a_hint(entry: str, hint: str) -> None:
    with pytest.raises(ValueError, match="is not a host or a network") as caught:
        AllowList.parse(f"good.example, {entry} ,10.0.0.0/8")
    assert repr(entry)[:80] in str(caught.value)
    assert hint in str(caught.value)


@pytest.mark.parametrize("text", ["a.example,,b.example", "a.example,", ","])
def test_an_empty_entry_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="an entry is empty"):
        AllowList.parse(text)


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_list_allows_everything(text: str) -> None:
    assert AllowList.parse(text) == EVERYTHING
    assert EVERYTHING.allows_name("anything.example", 443)
    assert EVERYTHING.allows_address(ip_address("192.0.2.1"), 443)
    assert EVERYTHING.may_allow("192.0.2.1", 443)


def test_a_name_may_resolve_into_an_allowed_network_but_an_address_is_final() -> None:
    networks = AllowList.parse("10.0.0.0/8, api.example.com")
    assert networks.may_allow("intranet.example", 443)
    assert not networks.may_allow("192.0.2.1", 443)
    names = AllowList.parse("api.example.com, 10.1.2.3:8443")
    assert names.may_allow("intranet.example", 8443)
    assert not names.may_allow("intranet.example", 443)


def test_a_list_is_shown_as_written_and_cut_when_long() -> None:
    text = "*.example.com, api.example.org:8443, 10.0.0.0/8, 10.1.2.3, [2001:db8::1]:8443, 2001:db8::/32"
    assert str(AllowList.parse(text)) == (
        "*.example.com, api.example.org:8443, 10.0.0.0/8, 10.1.2.3, [2001:db8::1]:8443, 2001:db8::/32"
    )
    long = str(AllowList.parse(", ".join(f"host-{n}.example.com" for n in range(100))))
    assert long.startswith("host-0.example.com, ")
    assert long.endswith(".example.com, …")
    assert len(long) <= 210


def test_an_invalid_entry_of_the_setting_is_refused_by_name() -> None:
    given = {"JOBS_TABLE": "jobs"}
    assert target_terms(Settings.read(given)) == DEFAULT_TERMS
    networks = Settings.read(given | {"ALLOWED_TARGETS": "10.0.0.0/8", "ALLOW_LOOPBACK": "true"})
    assert target_terms(networks) == TargetTerms(allow_loopback=True, allowed=AllowList.parse("10.0.0.0/8"))
    with pytest.raises(ValueError, match=r"ALLOWED_TARGETS is invalid: '10.0.0.0/99' is not a host or a network"):
        target_terms(Settings.read(given | {"ALLOWED_TARGETS": "a.example,10.0.0.0/99"}))


@pytest.mark.parametrize(
    ("setting", "value"), [("ALLOWED_TARGETS", "10.0.0.0/99"), ("SECRET_PREFIXES", "shop=ssm:/shop/../")]
)
@pytest.mark.parametrize("function", ["api", "worker"])
def test_functions_that_check_targets_do_not_start_with_an_invalid_list(
    function: str, setting: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(f"minutehand.entrypoints.{function}")
    given = Settings.read({"JOBS_TABLE": "jobs", setting: value})
    monkeypatch.setattr(clients, "settings", lambda: given)
    monkeypatch.setattr(bootstrap, "settings", lambda: given)
    monkeypatch.setattr(module, "settings", clients.settings, raising=False)
    start = {"api": "_app", "worker": "_equipment"}[function]
    with pytest.raises(ValueError, match=f"{setting} is invalid: .*{value}"):
        getattr(module, start).__wrapped__()


def _caller(entries: str, *addresses: str, allow_loopback: bool = True) -> HttpCaller:
    return HttpCaller(
        allow_loopback=allow_loopback, allowed=AllowList.parse(entries), lookup=lambda host: list(addresses)
    )


def test_a_listed_host_is_called_whatever_it_resolves_to(serve: Serve) -> None:
    server = serve(answering(response()))
    outcome = call(server.url(host="api.example.com"), caller=_caller("*.example.com", "127.0.0.1"))
    assert outcome.state is RunState.SUCCEEDED


def test_a_host_that_resolves_into_a_listed_network_is_called(serve: Serve) -> None:
    server = serve(answering(response()))
    outcome = call(server.url(host="intranet.example"), caller=_caller("127.0.0.0/8", "127.0.0.1"))
    assert outcome.state is RunState.SUCCEEDED


def test_only_listed_addresses_of_a_host_are_connected_to(serve: Serve) -> None:
    server = serve(answering(response()))
    elsewhere = "127.0.0.9"
    outcome = call(server.url(host="two.example"), caller=_caller("127.0.0.1", elsewhere, "127.0.0.1"))
    assert outcome.state is RunState.SUCCEEDED
    assert server.connections == 1


def test_a_host_that_is_not_listed_is_refused_before_any_connection(serve: Serve) -> None:
    server = serve(answering(response()))
    outcome = call(server.url(host="other.example"), caller=_caller("*.example.com, 10.0.0.0/8", "127.0.0.1"))
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "TargetNotAllowed"
    assert f"other.example, port {server.port}, which resolves to 127.0.0.1, is not among" in outcome.error.message
    assert "*.example.com, 10.0.0.0/8" in outcome.error.message
    assert "AllowedTargets" in outcome.error.message
    assert server.connections == 0


@pytest.mark.parametrize("entries", ["metadata.example", "169.254.0.0/16", "0.0.0.0/0"])
def test_a_forbidden_address_stays_forbidden_when_listed(entries: str) -> None:
    outcome = call("http://metadata.example/", caller=_caller(entries, "169.254.169.254"))
    assert outcome.error is not None
    assert outcome.error.type == "AddressRefused"


def test_loopback_stays_forbidden_when_listed(serve: Serve) -> None:
    server = serve(answering(response()))
    caller = _caller("127.0.0.0/8", "127.0.0.1", allow_loopback=False)
    outcome = call(server.url(host="here.example"), caller=caller)
    assert outcome.error is not None
    assert outcome.error.type == "AddressRefused"
    assert server.connections == 0
