"""The rules about addresses hold for each endpoint, wherever it was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryBalances, MemoryServices, MemoryState
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.run import RunState
from minutehand.domain.service import Registration, Service, ServiceKey
from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.endpoint_fields import CloudMap, Endpoints, Listed
from minutehand.targets.http.endpoints.calling import EndpointCaller
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.ports.endpoints import Balancing
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.targets.conftest import SCHEDULED_FOR, TOKEN, a_run
from tests.unit.targets.servers import answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_network_rules import FORBIDDEN

SOURCES = ("listed", "cloud_map", "registered")
MINUTE = timedelta(minutes=1)


class Found:
    """A Cloud Map with these instances."""

    def __init__(self, hosts: Sequence[str], port: int) -> None:
        self._instances = [{_attribute(host): host, "AWS_INSTANCE_PORT": str(port)} for host in hosts]

    def instances(self, *_: str) -> Sequence[Mapping[str, str]]:
        return self._instances


def _attribute(host: str) -> str:
    return "AWS_INSTANCE_IPV6" if ":" in host else "AWS_INSTANCE_CNAME" if host[-1].isalpha() else "AWS_INSTANCE_IPV4"


def call(source: str, hosts: Sequence[str], port: int = 80, **options: Any) -> Outcome:
    """Call endpoints on these hosts, found in one of the ways. By default loopback is forbidden."""
    state = MemoryState()
    urls = [f"http://{f'[{host}]' if ':' in host else host}:{port}" for host in hosts]
    services, key = MemoryServices(state), ServiceKey("demo", "reports")
    for number, url in enumerate(urls):
        registration = Registration(str(number), Endpoint(url), SCHEDULED_FOR + MINUTE)
        services.add(services.get(key) or Service(key=key), registration, SCHEDULED_FOR)
    balancing = Balancing(MemoryBalances(state), services, Found(hosts, port), lambda: SCHEDULED_FOR)
    given: dict[str, Endpoints] = {
        "listed": Endpoints(listed=tuple(map(Listed, urls))),
        "cloud_map": Endpoints(cloud_map=CloudMap("shop.internal", "reports")),
        "registered": Endpoints(registered="reports"),
    }
    caller = HttpCaller(
        **({"allow_loopback": False} | options), endpoints=lambda: EndpointCaller(balancing, ("shop.internal",))
    )
    target = HttpTarget(url="http://innocent.example/clean", endpoints=given[source])
    return caller(target, Call(a_run(), None, MINUTE / 10, SCHEDULED_FOR + MINUTE, 1, TOKEN))


def refusal(outcome: Outcome) -> str:
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    return outcome.error.type


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("address", [address for address, _ in FORBIDDEN if "%" not in address])
def test_no_endpoint_at_a_forbidden_address_is_called(source: str, address: str) -> None:
    assert refusal(call(source, [address])) == "AddressRefused"


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "::ffff:127.0.0.1"])
def test_loopback_is_refused_however_it_is_written(serve: Serve, source: str, host: str) -> None:
    server = serve(answering(response()))
    assert refusal(call(source, [host], server.port)) == "AddressRefused"
    assert server.connections == 0


@pytest.mark.parametrize("source", SOURCES)
def test_an_endpoint_is_judged_by_what_its_name_resolves_to_at_each_call(source: str) -> None:
    answers = iter([["169.254.169.254"], ["127.0.0.1"]])
    outcome = call(source, ["reports.example"], lookup=lambda _: next(answers))
    assert refusal(outcome) == "AddressRefused"
    assert next(answers) == ["127.0.0.1"], "the name is resolved once"


@pytest.mark.parametrize("source", SOURCES)
def test_an_endpoint_outside_the_allow_list_is_refused(source: str) -> None:
    allowed = AllowList.parse("innocent.example,10.1.0.0/16")
    assert refusal(call(source, ["10.2.0.1"], allowed=allowed)) == "TargetNotAllowed"


@pytest.mark.parametrize("source", SOURCES)
def test_a_refused_endpoint_is_passed_over_for_one_that_is_allowed(serve: Serve, source: str) -> None:
    server = serve(answering(response()))
    for _ in range(2):
        outcome = call(source, ["169.254.169.254", "127.0.0.1"], server.port, allow_loopback=True)
        assert outcome.state is RunState.SUCCEEDED
        assert outcome.endpoints[-1] == f"http://127.0.0.1:{server.port}"
