"""Endpoint operations of the client."""

from collections.abc import Iterator
from datetime import timedelta
from typing import cast

from minutehand.client.calls import DEFAULT_NAMESPACE, Calls, duration_text, pages, path_of, segment
from minutehand.client.models import JobEndpoints, Registration, Service


class EndpointCalls(Calls):
    """The part of `Client` with the operations on endpoints of services and of jobs. A service is named `namespace/name`, as a job is."""

    def register(
        self, service: str, endpoint: str, *, url: str, weight: int = 1, ttl: timedelta | str = "60s"
    ) -> Registration:
        """Register an endpoint of a service under a name of its own for `ttl`, or renew its registration: send it again in time.

        `url`: its origin, perhaps with a base path. `ttl`: a `timedelta` in whole seconds, or text such as `1h30m`. Raises Conflict when
        the service has as many endpoints as a service may have, TypeError or ValueError for a `ttl` that is no duration.
        """
        body = {"url": url, "weight": weight, "ttl": duration_text(ttl)}
        answer = self._http.send("PUT", f"{_path(service)}/{segment(endpoint)}", body=body)
        return cast("Registration", self._checked(answer, "name", "url", "expires_at"))

    def deregister(self, service: str, endpoint: str) -> None:
        """Remove a registered endpoint of a service. Raises NotFound if it is not registered."""
        self._delete(f"{_path(service)}/{segment(endpoint)}")

    def registered(self, service: str) -> list[Registration]:
        """The endpoints of a service that are registered now, by name."""
        page = self._checked(self._http.send("GET", _path(service)), "items")
        return [cast("Registration", self._checked(each, "name", "url", "expires_at")) for each in page["items"]]

    def services(self, namespace: str = DEFAULT_NAMESPACE) -> Iterator[Service]:
        """Every service of the namespace whose endpoints register themselves, by name."""
        path = f"/v1/namespaces/{segment(namespace)}/services"
        for page in pages(lambda limit, cursor: self._page(path, limit, cursor, "name", "endpoints")):
            yield from cast("list[Service]", page["items"])

    def endpoints(self, job: str) -> JobEndpoints:
        """The endpoints of a job, and how they fare. Raises NotFound if its target has one URL."""
        answer = self._http.send("GET", f"{path_of('jobs', job)}/endpoints")
        return cast("JobEndpoints", self._checked(answer, "job", "source", "items"))


def _path(service: str) -> str:
    return f"{path_of('services', service)}/endpoints"
