"""Operations about the deployment itself."""

from typing import cast

from minutehand.client.calls import Calls
from minutehand.client.models import Diagnosis, Health, Shards


class ServiceCalls(Calls):
    """The part of `Client` with the health and the state of the deployment."""

    def health(self) -> Health:
        """Status and version of the API; needs no token."""
        return cast("Health", self._checked(self._http.send("GET", "/v1/health"), "status"))

    def shards(self) -> Shards:
        """The number of timer shards, and the progress of a change of it. Needs an admin token for all namespaces."""
        answer = self._http.send("GET", "/v1/shards")
        return cast("Shards", self._checked(answer, "shards", "read", "state", "left", "empty_since"))

    def diagnosis(self) -> Diagnosis:
        """The state of the deployment: its clock, last tick, overdue timers, queues and time zone data. Needs a token for all namespaces."""
        answer = self._http.send("GET", "/v1/diagnosis")
        return cast("Diagnosis", self._checked(answer, "now", "version", "last_tick", "overdue", "queues", "troubles"))
