"""Where endpoints are found: in the job, in AWS Cloud Map, or among those that registered themselves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

from minutehand.domain.balance import sorted_endpoints
from minutehand.domain.declaration.field import Refused as Wrong
from minutehand.domain.endpoint import LONGEST_URL, MOST_WEIGHT, Endpoint
from minutehand.domain.errors import NotAllowed, Unavailable
from minutehand.domain.service import Registration, ServiceKey
from minutehand.targets.http.addresses import literal
from minutehand.targets.http.deadline import Deadline
from minutehand.targets.http.endpoint_fields import CloudMap, Endpoints
from minutehand.targets.http.endpoints.checks import allows, is_allowed
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.texts import check_endpoint
from minutehand.usecases.ports.endpoints import Balancing

CLOUD_MAP_FOR, REGISTERED_FOR = timedelta(seconds=30), timedelta(seconds=5)
"""How long what was found is used without another look."""
WITHOUT_ANSWER_FOR = timedelta(minutes=10)
"""How long it is used if there is no answer."""
FAILURE_FOR, PATIENCE = timedelta(seconds=2), timedelta(seconds=1)
"""How long a failure is used if nothing was found before; and how long a call waits for a look if something was, but
for half its time at most."""

MOST_SOURCES = 500
"""Most sources of which a worker remembers what it found; beyond it, the source that was looked up longest ago is forgotten."""


class _Found(NamedTuple):
    """What the looks at one source have found.

    Attributes:
        at: the last look that had an answer; None if none had.
        asked: the last look.
        trouble: why the last look had no answer; None if it had one.
    """

    at: datetime | None
    asked: datetime
    registrations: tuple[Registration, ...] = ()
    trouble: Unavailable | NotAllowed | None = None

    def lasts(self, now: datetime, until: timedelta) -> bool:
        """Whether it is used without another look."""
        return abs(now - self.asked) < (until if self.may_last(now) else FAILURE_FOR)

    def may_last(self, now: datetime) -> bool:
        """Whether it is used if there is no answer."""
        return self.at is not None and abs(now - self.at) <= WITHOUT_ANSWER_FOR

    def answer(self, now: datetime) -> tuple[Registration, ...]:
        """What calls use. Raises `Refused` if there is no answer."""
        if self.trouble is None or self.may_last(now):
            return self.registrations
        message, final = f"the endpoints could not be read: {self.trouble}", isinstance(self.trouble, NotAllowed)
        raise Refused("TargetNotAllowed" if final else "EndpointsUnknown", message, final=final) from self.trouble


class Sources:
    """Finds endpoints, and remembers for a short time what it found, or that it failed. Safe for many threads.

    Each look has a thread of its own, so that a call ends at its deadline while there is no answer. Calls that need the same endpoints wait for
    the same look.
    """

    def __init__(self, balancing: Balancing, cloud_map_namespaces: tuple[str, ...]) -> None:
        self._balancing, self._allowed = balancing, cloud_map_namespaces
        self._lock = threading.Lock()
        self._looking: dict[Hashable, Future[_Found]] = {}
        self._found: dict[Hashable, _Found] = {}
        """By source, that of the oldest look first."""

    def find(self, endpoints: Endpoints, namespace: str, url: str, deadline: Deadline) -> tuple[Endpoint, ...]:
        """The endpoints of a target, sorted.

        Args:
            namespace: of the job.
            url: of the target; its scheme and port are those of instances in Cloud Map that name none.

        Raises:
            Refused: `EndpointsUnknown`, if there is no answer; `TargetNotAllowed`; `NoEndpoint`, if there is no endpoint.
            TimeoutError, Cancelled: as `Deadline.wait_for`.
        """
        if endpoints.listed:
            return sorted_endpoints(Endpoint(each.url.rstrip("/"), each.weight) for each in endpoints.listed)
        now = self._balancing.clock()
        if endpoints.cloud_map is not None:
            found = self._cloud_map(endpoints.cloud_map, url, now, deadline)
            where = f"the service {endpoints.cloud_map.service} of {endpoints.cloud_map.namespace} in AWS Cloud Map has no healthy instance"
        else:
            service = ServiceKey(namespace, endpoints.registered or "")
            found = [each for each in self._registered(service, now, deadline) if allows(url, each.url)]
            where = f"no endpoint of the service {service} is registered now"
            if urlsplit(url).scheme == "https":
                where += " with https, as the target's URL has"
        if not found:
            raise Refused("NoEndpoint", where)
        return sorted_endpoints(found)

    def _cloud_map(self, service: CloudMap, url: str, now: datetime, deadline: Deadline) -> Iterable[Endpoint]:
        if not is_allowed(service.namespace, self._allowed):
            message = f"jobs here may not look for endpoints in the namespace {service.namespace} (CloudMapNamespaces)"
            raise Refused("TargetNotAllowed", message, final=True)

        def look() -> Iterator[Registration]:
            for instance in self._balancing.cloud_map.instances(service.namespace, service.service):
                endpoint = endpoint_of(instance, url)
                if endpoint is not None:
                    yield Registration(endpoint.url, endpoint, datetime.max.replace(tzinfo=now.tzinfo))

        found = self._fresh((service, urlsplit(url)[:2]), look, now, CLOUD_MAP_FOR, deadline)
        return [each.endpoint for each in found]

    def _registered(self, service: ServiceKey, now: datetime, deadline: Deadline) -> Iterable[Endpoint]:
        def look() -> tuple[Registration, ...]:
            stored = self._balancing.services.get(service)
            return stored.registrations if stored else ()

        found = self._fresh(service, look, now, REGISTERED_FOR, deadline)
        return [each.endpoint for each in found if now < each.until]

    def _fresh(
        self,
        key: Hashable,
        look: Callable[[], Iterable[Registration]],
        now: datetime,
        lasts: timedelta,
        deadline: Deadline,
    ) -> tuple[Registration, ...]:
        with self._lock:
            known, looking = self._found.get(key), self._looking.get(key)
            if known is not None and known.lasts(now, lasts):
                return known.answer(now)
            if looking is None:
                looking = self._looking[key] = Future()
                # In the context of the call, to which the meter adds what the look costs.
                given = (self._look, key, look, now, known, looking)
                threading.Thread(target=copy_context().run, args=given, name="endpoints", daemon=True).start()
        if known is None or not known.may_last(now):
            return deadline.wait_for(looking.result).answer(now)
        try:
            return looking.result(min(deadline.left() / 2, PATIENCE.total_seconds())).answer(now)
        except TimeoutError:
            return known.registrations

    def _look(
        self,
        key: Hashable,
        look: Callable[[], Iterable[Registration]],
        now: datetime,
        known: _Found | None,
        looking: Future[_Found],
    ) -> None:
        try:
            found = _Found(now, now, tuple(look()))
        except (Unavailable, NotAllowed) as trouble:
            asked = self._balancing.clock()
            found = (known or _Found(None, asked))._replace(asked=asked, trouble=trouble)
        except BaseException as error:  # noqa: BLE001 - the calls that wait raise it
            self._end(key)
            looking.set_exception(error)
            return
        self._end(key, found)
        looking.set_result(found)

    def _end(self, key: Hashable, found: _Found | None = None) -> None:
        with self._lock:
            del self._looking[key]
            if found is not None:
                self._found.pop(key, None)
                self._found[key] = found
                if len(self._found) > MOST_SOURCES:
                    del self._found[next(iter(self._found))]


def endpoint_of(attributes: Mapping[str, str], url: str) -> Endpoint | None:
    """The endpoint that the attributes of an instance in Cloud Map describe; None if they name no host.

    Its address is AWS_INSTANCE_IPV4, AWS_INSTANCE_IPV6 or AWS_INSTANCE_CNAME, in this order; its port AWS_INSTANCE_PORT, or that of the
    URL. An attribute `weight` of 1 to 100 is its weight.
    """
    parts = urlsplit(url)
    names = ("AWS_INSTANCE_IPV4", "AWS_INSTANCE_IPV6", "AWS_INSTANCE_CNAME")
    host = next((attributes[name] for name in names if attributes.get(name)), "").rstrip(".")
    address = literal(host)
    port = attributes.get("AWS_INSTANCE_PORT") or (str(parts.port) if parts.port else "")
    found = f"{parts.scheme}://{f'[{host}]' if address and address.version == 6 else host}" + (
        f":{port}" if port else ""
    )
    try:
        check_endpoint(found)
    except Wrong:
        return None
    weight = attributes.get("weight", "")
    if len(found) > LONGEST_URL or urlsplit(found).path:
        return None
    known = weight.isascii() and weight.isdecimal() and 1 <= int(weight[:4]) <= MOST_WEIGHT
    return Endpoint(found, int(weight) if known else 1)
