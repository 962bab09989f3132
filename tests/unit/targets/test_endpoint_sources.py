"""Where endpoints are found: in AWS Cloud Map, and among those that registered themselves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryBalances, MemoryServices, MemoryState
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.errors import NotAllowed, Unavailable
from minutehand.domain.run import RunState
from minutehand.domain.service import Registration, Service, ServiceKey
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.deadline import Cancelled, Deadline
from minutehand.targets.http.endpoint_fields import CloudMap, Endpoints
from minutehand.targets.http.endpoints.calling import EndpointCaller
from minutehand.targets.http.endpoints.sources import MOST_SOURCES, Sources, endpoint_of
from minutehand.targets.http.fields import HttpTarget
from minutehand.targets.http.refusal import Refused
from minutehand.usecases.ports.endpoints import Balancing
from minutehand.usecases.ports.target import Call
from tests.unit.targets.conftest import SCHEDULED_FOR, TOKEN, a_run

SECOND = timedelta(seconds=1)
REPORTS = Endpoints(cloud_map=CloudMap("shop.internal", "reports"))
KEY = ServiceKey("shop", "reports")
REGISTERED = Endpoints(registered="reports")


class Scene:
    """Cloud Map and registered services at an instant; `look` finds what a worker does."""

    def __init__(self, allowed: tuple[str, ...] = ("shop.*",)) -> None:
        self.now = SCHEDULED_FOR
        self.answer: Sequence[Mapping[str, str]] | Exception = ()
        self.answers = threading.Event()
        self.answers.set()
        self.asked: list[tuple[str, str]] = []
        self.state = MemoryState()
        self.services: Any = MemoryServices(self.state)
        self.sources = Sources(Balancing(MemoryBalances(self.state), self, self, self.clock), allowed)

    def clock(self) -> datetime:
        return self.now

    def instances(self, namespace: str, service: str) -> Sequence[Mapping[str, str]]:
        self.asked.append((namespace, service))
        assert self.answers.wait(10)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def get(self, key: ServiceKey) -> Service | None:
        self.asked.append(tuple(key))
        if isinstance(self.answer, Exception):
            raise self.answer
        found: Service | None = self.services.get(key)
        return found

    def look(
        self,
        endpoints: Endpoints,
        url: str = "https://reports.shop.internal/clean",
        limit: timedelta = 10 * SECOND,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[str]:
        deadline = Deadline(limit, time.monotonic, cancelled)
        return [each.url for each in self.sources.find(endpoints, "shop", url, deadline)]


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.answers.set()


@pytest.mark.parametrize(
    ("attributes", "url", "endpoint"),
    [
        ({"AWS_INSTANCE_IPV4": "10.0.3.7", "AWS_INSTANCE_PORT": "8443"}, "https://x/", ("https://10.0.3.7:8443", 1)),
        ({"AWS_INSTANCE_IPV4": "10.0.3.7"}, "http://x:8080/", ("http://10.0.3.7:8080", 1)),
        ({"AWS_INSTANCE_IPV4": "10.0.3.7"}, "http://x/", ("http://10.0.3.7", 1)),
        (
            {"AWS_INSTANCE_IPV6": "fd00::7", "AWS_INSTANCE_PORT": "80", "weight": "7"},
            "http://x/",
            ("http://[fd00::7]:80", 7),
        ),
        ({"AWS_INSTANCE_CNAME": "a.example.com.", "weight": "101"}, "https://x/", ("https://a.example.com", 1)),
        ({"AWS_INSTANCE_CNAME": "a.example.com", "weight": "x"}, "https://x/", ("https://a.example.com", 1)),
        ({"AWS_INSTANCE_IPV4": "1.2.3.4", "AWS_INSTANCE_CNAME": "a.example.com"}, "https://x/", ("https://1.2.3.4", 1)),
        ({"weight": "7"}, "https://x/", None),
        ({"AWS_EC2_INSTANCE_ID": "i-0abc"}, "https://x/", None),
        ({"AWS_INSTANCE_CNAME": "evil/path"}, "https://x/", None),
        ({"AWS_INSTANCE_CNAME": "user@evil"}, "https://x/", None),
        ({"AWS_INSTANCE_IPV4": "10.0.3.7", "AWS_INSTANCE_PORT": "80/x"}, "https://x/", None),
        ({"AWS_INSTANCE_IPV4": "10.0.3.7", "AWS_INSTANCE_PORT": "0"}, "https://x/", None),
        ({"AWS_INSTANCE_CNAME": "a" * 254}, "https://x/", None),
    ],
)
def test_the_attributes_of_an_instance_name_its_endpoint(attributes, url, endpoint):
    assert endpoint_of(attributes, url) == (endpoint and Endpoint(*endpoint))


def test_instances_are_looked_up_once_in_thirty_seconds(scene):
    scene.answer = [{"AWS_INSTANCE_IPV4": "10.0.0.2"}, {"AWS_INSTANCE_IPV4": "10.0.0.1"}, {"no": "host"}]
    assert scene.look(REPORTS) == ["https://10.0.0.1", "https://10.0.0.2"]
    scene.now += 29 * SECOND
    scene.look(REPORTS)
    assert scene.asked == [("shop.internal", "reports")]
    assert scene.look(REPORTS, "http://reports:81/") == ["http://10.0.0.1:81", "http://10.0.0.2:81"]
    scene.now += SECOND
    scene.answer = [{"AWS_INSTANCE_IPV4": "10.0.0.3"}]
    assert scene.look(REPORTS) == ["https://10.0.0.3"]


def test_without_an_answer_the_last_one_is_used_for_ten_minutes(scene):
    scene.answer = [{"AWS_INSTANCE_IPV4": "10.0.0.1"}]
    scene.look(REPORTS)
    scene.answer = Unavailable("no answer")
    scene.now += 600 * SECOND
    assert [scene.look(REPORTS) for _ in range(2)] == [["https://10.0.0.1"]] * 2
    assert len(scene.asked) == 2, "what does not answer is not asked at each call"
    scene.now += SECOND
    with pytest.raises(Refused, match="the endpoints could not be read: no answer") as refused:
        scene.look(REPORTS)
    assert (refused.value.type, refused.value.final) == ("EndpointsUnknown", False)


def test_a_failure_is_remembered_for_two_seconds(scene):
    scene.answer = Unavailable("no answer")
    for _ in range(2):
        with pytest.raises(Refused, match="the endpoints could not be read: no answer"):
            scene.look(REPORTS)
    assert len(scene.asked) == 1
    scene.now += 2 * SECOND
    scene.answer = [{"AWS_INSTANCE_IPV4": "10.0.0.1"}]
    assert scene.look(REPORTS) == ["https://10.0.0.1"]


def test_a_look_that_iam_denies_ends_the_run(scene):
    scene.answer = NotAllowed("the worker may not")
    with pytest.raises(Refused, match="the worker may not") as refused:
        scene.look(REPORTS)
    assert (refused.value.type, refused.value.final) == ("TargetNotAllowed", True)


def test_a_call_ends_at_its_deadline_while_there_is_no_answer_and_the_next_one_waits_for_the_same_look(scene):
    scene.answers.clear()
    with pytest.raises(TimeoutError):
        scene.look(REPORTS, limit=SECOND / 100)
    with pytest.raises(Cancelled):
        scene.look(REPORTS, cancelled=lambda: True)
    scene.answer = [{"AWS_INSTANCE_IPV4": "10.0.0.1"}]
    scene.answers.set()
    assert scene.look(REPORTS) == ["https://10.0.0.1"]
    assert len(scene.asked) == 1


def test_an_attempt_says_that_the_look_took_all_its_time(scene):
    scene.answers.clear()
    balancing = Balancing(MemoryBalances(scene.state), scene, scene, scene.clock)
    caller = HttpCaller(allow_loopback=False, endpoints=lambda: EndpointCaller(balancing, ("shop.*",)))
    limit = SECOND / 100
    call = Call(a_run(), payload=None, timeout=limit, deadline=SCHEDULED_FOR + limit, attempts_left=2, token=TOKEN)
    outcome = caller(HttpTarget(url="https://reports/clean", endpoints=REPORTS), call)
    assert outcome.state is RunState.TIMED_OUT
    assert outcome.error.message == "the request: timed out after 0.01 s while its endpoints were looked up"


def test_what_was_found_before_is_used_while_there_is_no_answer(scene):
    scene.answer = [{"AWS_INSTANCE_IPV4": "10.0.0.1"}]
    scene.look(REPORTS)
    scene.now += 30 * SECOND
    scene.answers.clear()
    assert scene.look(REPORTS, limit=SECOND / 100) == ["https://10.0.0.1"]
    assert len(scene.asked) == 2


def test_a_worker_remembers_a_bounded_number_of_sources_and_forgets_the_oldest_look(scene):
    scene.answer = [{"AWS_INSTANCE_IPV4": "10.0.0.1"}]
    services = [Endpoints(cloud_map=CloudMap("shop.internal", f"service-{n}")) for n in range(MOST_SOURCES)]
    for service in services:
        scene.look(service)
    scene.now += 30 * SECOND
    scene.look(services[0])
    scene.look(REPORTS)
    scene.answer = Unavailable("no answer")
    scene.now += 30 * SECOND
    assert scene.look(services[0]) == ["https://10.0.0.1"]
    with pytest.raises(Refused, match="no answer"):
        scene.look(services[1])


def test_a_look_counts_among_what_its_call_costs(scene):
    counted: ContextVar[str] = ContextVar("counted", default="nothing")
    seen, get = [], scene.get
    scene.get = lambda key: (seen.append(counted.get()), get(key))[1]
    counted.set("this call")
    with pytest.raises(Refused):
        scene.look(REGISTERED)
    assert seen == ["this call"]


def test_a_service_without_a_healthy_instance_has_no_endpoint(scene):
    with pytest.raises(
        Refused, match=r"the service reports of shop\.internal in AWS Cloud Map has no healthy instance"
    ) as refused:
        scene.look(REPORTS)
    assert (refused.value.type, refused.value.final) == ("NoEndpoint", False)


def test_a_namespace_that_jobs_may_not_use_is_not_asked():
    scene = Scene(allowed=())
    with pytest.raises(Refused, match="CloudMapNamespaces") as refused:
        scene.look(REPORTS)
    assert refused.value.final
    assert scene.asked == []


def test_only_registrations_that_are_not_over_count_whatever_was_remembered(scene):
    service = Service(key=KEY)
    scene.services.add(service, Registration("b", Endpoint("http://b"), scene.now + 3 * SECOND), scene.now)
    scene.services.add(
        scene.services.get(KEY), Registration("a", Endpoint("http://a"), scene.now + 60 * SECOND), scene.now
    )
    assert scene.look(REGISTERED, "http://reports/clean") == ["http://a", "http://b"]
    scene.now += 3 * SECOND
    assert scene.look(REGISTERED, "http://reports/clean") == ["http://a"]
    assert len(scene.asked) == 1
    scene.services.remove(KEY, "a")
    scene.now += 2 * SECOND
    with pytest.raises(Refused, match="no endpoint of the service shop/reports is registered now"):
        scene.look(REGISTERED, "http://reports/clean")


def test_a_call_that_is_to_be_encrypted_never_goes_to_an_http_endpoint(scene):
    scene.services.add(
        Service(key=KEY), Registration("web-1", Endpoint("http://10.0.3.7"), scene.now + SECOND), scene.now
    )
    with pytest.raises(Refused, match="no endpoint of the service shop/reports is registered now with https"):
        scene.look(REGISTERED)
    assert scene.look(REGISTERED, "http://reports/clean") == ["http://10.0.3.7"]
    scene.services.add(
        scene.services.get(KEY), Registration("web-2", Endpoint("https://10.0.3.8"), scene.now + SECOND), scene.now
    )
    scene.now += timedelta(seconds=0.5)
    assert _anew(scene).look(REGISTERED) == ["https://10.0.3.8"]


def _anew(scene: Scene) -> Scene:
    """The same services, seen by a worker that remembers nothing."""
    other = Scene()
    other.now, other.services = scene.now, scene.services
    return other
