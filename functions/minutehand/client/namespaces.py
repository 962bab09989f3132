"""A namespace's settings: its concurrency limit, its quota, its pauses, and whether it is in shadow."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from minutehand.client.calls import DEFAULT_NAMESPACE, Calls, segment, until_body, version_header
from minutehand.client.models import Namespace, Quota


class NamespaceCalls(Calls):
    """Operations of the client on a namespace's settings. Only an admin token for all namespaces may set a quota."""

    def get_namespace(self, namespace: str = DEFAULT_NAMESPACE) -> Namespace:
        """The namespace's concurrency limit, and whether it is paused."""
        return self._namespace("GET", namespace_path(namespace))

    def set_namespace(
        self, namespace: str = DEFAULT_NAMESPACE, *, max_concurrency: int | None, if_revision: int | None = None
    ) -> Namespace:
        """Set the namespace's concurrency limit, 1 to 1000, or None for no limit. A pause is not affected."""
        body, headers = {"max_concurrency": max_concurrency}, version_header(if_revision)
        return self._namespace("PUT", namespace_path(namespace), body=body, headers=headers)

    def pause_namespace(
        self, namespace: str = DEFAULT_NAMESPACE, *, until: datetime | None = None, if_revision: int | None = None
    ) -> Namespace:
        """Pause all jobs of the namespace until it is resumed, or until an aware instant, rounded up to a second. Occurrences due
        meanwhile are skipped; running and triggered runs are not affected.

        Raises ValueError for a naive `until`.
        """
        path, headers = f"{namespace_path(namespace)}/pause", version_header(if_revision)
        return self._namespace("POST", path, body=until_body(until), headers=headers)

    def resume_namespace(self, namespace: str = DEFAULT_NAMESPACE, *, if_revision: int | None = None) -> Namespace:
        """Resume the jobs of the paused namespace, from now on."""
        return self._namespace("POST", f"{namespace_path(namespace)}/resume", headers=version_header(if_revision))

    def shadow_namespace(
        self, namespace: str = DEFAULT_NAMESPACE, *, on: bool, if_revision: int | None = None
    ) -> Namespace:
        """Put all jobs of the namespace in shadow, so that their runs are planned, started and recorded and call no target; or with
        False take them out of it. Runs that have begun continue."""
        path, headers = f"{namespace_path(namespace)}/shadow", version_header(if_revision)
        return self._namespace("POST", path, body={"shadow": on}, headers=headers)

    def get_quota(self, namespace: str = DEFAULT_NAMESPACE) -> Quota:
        """The namespace's quota, and how much of it is used."""
        return self._quota(self._http.send("GET", f"{namespace_path(namespace)}/quota"))

    def set_quota(
        self,
        namespace: str = DEFAULT_NAMESPACE,
        *,
        jobs: int | None = None,
        runs_per_minute: int | None = None,
        concurrency: int | None = None,
        if_revision: int | None = None,
    ) -> Quota:
        """Replace the namespace's quota; None for no limit. What exceeds it already stays.

        `if_revision`: of the namespace, as `get_namespace` has it.
        """
        body = {"jobs": jobs, "runs_per_minute": runs_per_minute, "concurrency": concurrency}
        path, headers = f"{namespace_path(namespace)}/quota", version_header(if_revision)
        return self._quota(self._http.send("PUT", path, body=body, headers=headers))

    def remove_quota(self, namespace: str = DEFAULT_NAMESPACE) -> None:
        """Remove the namespace's quota; nothing changes if it has none."""
        self._delete(f"{namespace_path(namespace)}/quota")

    def _quota(self, answer: dict[str, Any]) -> Quota:
        return cast("Quota", self._checked(answer, "namespace", "jobs", "runs_per_minute", "concurrency", "used"))

    def _namespace(
        self, method: str, path: str, *, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Namespace:
        answer = self._http.send(method, path, headers=headers, body=body)
        return cast("Namespace", self._checked(answer, "namespace", "max_concurrency", "status"))


def namespace_path(namespace: str) -> str:
    """The API's path of a namespace."""
    return f"/v1/namespaces/{segment(namespace)}"
