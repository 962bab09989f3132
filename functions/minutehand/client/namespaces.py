"""The calls about namespaces."""

from datetime import datetime
from typing import cast

from minutehand.client.calls import DEFAULT_NAMESPACE, Calls, segment
from minutehand.client.instants import whole_seconds
from minutehand.client.models import Namespace


class NamespaceCalls(Calls):
    """Namespace operations. A namespace needs no creation: every valid name is one."""

    def get_namespace(self, namespace: str = DEFAULT_NAMESPACE) -> Namespace:
        """The namespace's concurrency limit, and whether it is paused."""
        return self._namespace("GET", _path(namespace))

    def set_namespace(self, namespace: str = DEFAULT_NAMESPACE, *, max_concurrency: int | None) -> Namespace:
        """Set the namespace's concurrency limit, 1 to 1000, or None for no limit. A pause is not affected."""
        return self._namespace("PUT", _path(namespace), body={"max_concurrency": max_concurrency})

    def pause_namespace(self, namespace: str = DEFAULT_NAMESPACE, *, until: datetime | None = None) -> Namespace:
        """Pause all jobs of the namespace until it is resumed, or until an aware instant, rounded up to a second. Occurrences due
        meanwhile are skipped; running and triggered runs are not affected.

        Raises ValueError for a naive `until`.
        """
        body = None if until is None else {"until": whole_seconds(until)}
        return self._namespace("POST", f"{_path(namespace)}/pause", body=body)

    def resume_namespace(self, namespace: str = DEFAULT_NAMESPACE) -> Namespace:
        """Let its jobs run again, from now on."""
        return self._namespace("POST", f"{_path(namespace)}/resume")

    def _namespace(self, method: str, path: str, *, body: object = None) -> Namespace:
        answer = self._http.send(method, path, body=body)
        return cast("Namespace", self._checked(answer, "namespace", "max_concurrency", "status"))


def _path(namespace: str) -> str:
    return f"/v1/namespaces/{segment(namespace)}"
