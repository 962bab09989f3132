"""The API's endpoints about endpoints of services: their registration, and those of a job."""

from __future__ import annotations

from datetime import datetime

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.balance import Balance
from minutehand.domain.declaration.conversion import read_shown
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.errors import FieldProblem, Invalid, NotFound
from minutehand.domain.service import Registration, ServiceKey
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.endpoints import (
    JobEndpointDocument,
    JobEndpointsDocument,
    RegistrationDocument,
    RegistrationRequest,
    ServiceDocument,
)
from minutehand.entrypoints.api.forms.invalid import name_problem, problems_in
from minutehand.entrypoints.api.forms.request import json_object, limit_of
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.targets.http.checks import url_problems
from minutehand.targets.http.endpoint_fields import Choose, Endpoints
from minutehand.usecases.operations import register


def list_services(call: Call) -> Response[str]:
    """List a namespace's services by name, each with the number of its endpoints. A service whose last endpoint has left disappears after two days."""
    limit, now = limit_of(call.query, 50), call.ports.clock()
    with invalid_as_bad_request():
        found = call.balancing.services.page(call.namespace, limit, call.query.get("cursor"))
    return page(
        [ServiceDocument(name=each.key.name, endpoints=len(each.alive(now))) for each in found.items], found.next
    )


def list_registered(call: Call) -> Response[str]:
    """List the endpoints that are registered of a service, by name."""
    stored = call.balancing.services.get(_service(call))
    alive = stored.alive(call.ports.clock()) if stored else ()
    return page(map(_registration, alive), None)


def put_registered(call: Call) -> Response[str]:
    """Register an endpoint of a service for a time, or renew its registration."""
    document, wrong_names = json_object(call.event), _name_problems(call)
    problems = [*problems_in(document, RegistrationRequest), *wrong_names]
    if not problems:
        problems += url_problems(document["url"], "url", call.deployment.terms.targets)
    if problems:
        raise Invalid(*problems)
    request = read_shown(RegistrationRequest, document)
    endpoint = Endpoint(request.url.rstrip("/"), request.weight)
    registration, new = register.register(call.balancing, _service(call), call.path["endpoint"], endpoint, request.ttl)
    if new:
        call.log("register", what="namespace", endpoint=_named(call), url=endpoint.url)
    return answered(201 if new else 200, _registration(registration))


def delete_registered(call: Call) -> Response[str]:
    """Remove a registered endpoint of a service."""
    register.deregister(call.balancing, _service(call), call.path["endpoint"])
    call.log("deregister", what="namespace", endpoint=_named(call))
    return answered(204)


def get_job_endpoints(call: Call) -> Response[str]:
    """Get the endpoints of a job, and how they fare: which failed, which are left out, where calls are in flight."""
    definition = call.ports.definitions.get([call.key]).get(call.key)
    if definition is None:
        raise NotFound(f"there is no job {call.key}, and there never was one")
    endpoints: Endpoints | None = getattr(definition.job.target, "endpoints", None)
    if endpoints is None:
        raise NotFound(
            f"the job {call.key} has no endpoints; a target of type http may have several (target.endpoints)"
        )
    state, now = call.balancing.balances.get(call.key), call.ports.clock()
    known = _known(call, endpoints, state, now)
    counted = endpoints.choose is Choose.FEWEST
    document = JobEndpointsDocument(
        job=call.key,
        source="listed" if endpoints.listed else "registered" if endpoints.registered else "cloud_map",
        choose=endpoints.choose,
        calls=state.tickets,
        items=tuple(
            JobEndpointDocument(
                url=url,
                weight=weight,
                failures=state.failures.get(url, 0),
                ejected_until=state.ejected[url] if state.is_ejected(url, now) else None,
                in_flight=state.in_flight(url, now) if counted else None,
                expires_at=expires,
            )
            for url, (weight, expires) in sorted(known.items())
        ),
    )
    return answered(200, document)


def _known(
    call: Call, endpoints: Endpoints, state: Balance, now: datetime
) -> dict[str, tuple[int | None, datetime | None]]:
    """The weight, and the end of the registration, of each endpoint that the API can know, by URL."""
    if endpoints.listed:
        return {each.url.rstrip("/"): (each.weight, None) for each in endpoints.listed}
    if endpoints.registered is not None:
        service = call.balancing.services.get(ServiceKey(call.namespace, endpoints.registered))
        alive = service.alive(now) if service else ()
        return {each.endpoint.url: (each.endpoint.weight, each.until) for each in alive}
    held = (hold.endpoint for hold in state.held if state.in_flight(hold.endpoint, now))
    return dict.fromkeys((*state.failures, *state.ejected, *held), (None, None))


def _service(call: Call) -> ServiceKey:
    return ServiceKey(call.namespace, call.path["service"])


def _named(call: Call) -> str:
    return f"{call.path['service']}/{call.path['endpoint']}"


def _name_problems(call: Call) -> list[FieldProblem]:
    names = ("namespace", "service", "endpoint")
    return [found for name in names if (found := name_problem(name, call.path[name]))]


def _registration(registration: Registration) -> RegistrationDocument:
    return RegistrationDocument(
        name=registration.name,
        url=registration.endpoint.url,
        weight=registration.endpoint.weight,
        expires_at=registration.until,
    )
