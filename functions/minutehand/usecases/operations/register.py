"""Registration: endpoints of a service enter themselves in its list for a time."""

from __future__ import annotations

from datetime import timedelta

from minutehand.domain.endpoint import Endpoint
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.service import MOST_REGISTERED, Registration, Service, ServiceKey
from minutehand.usecases.ports.endpoints import Balancing

TRIES = 5
"""Most tries to add a registration while others are added."""


def register(
    stores: Balancing, key: ServiceKey, name: str, endpoint: Endpoint, lasts: timedelta
) -> tuple[Registration, bool]:
    """Register an endpoint, or renew its registration: it counts from now on for this long. Asking again is safe.

    Returns:
        The registration, and whether it is new.

    Raises:
        Conflict: when the service has as many endpoints as a service may have, or too many are added at once.
    """
    now = stores.clock()
    registration = Registration(name, endpoint, now + lasts)
    if stores.services.renew(key, registration, now):
        return registration, False
    for _ in range(TRIES):
        before = stores.services.get(key) or Service(key=key)
        alive = before.alive(now)
        if len(alive) >= MOST_REGISTERED:
            hint = "remove one, or let the jobs of some use another service"
            raise Conflict(f"the service {key} has {len(alive)} endpoints, which is the most; {hint}")
        if stores.services.add(before, registration, now):
            return registration, True
    raise Conflict(f"too many endpoints of the service {key} are registered at once; send the request again")


def deregister(stores: Balancing, key: ServiceKey, name: str) -> None:
    """Remove an endpoint of a service.

    Raises:
        NotFound: if it is not registered.
    """
    if not stores.services.remove(key, name):
        raise NotFound(f"the service {key} has no endpoint {name}")
