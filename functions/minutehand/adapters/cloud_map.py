"""Services in AWS Cloud Map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import NotAllowed, Unavailable

_MOST = 1000
"""Most instances that are read. Of a service with more, Cloud Map answers some at random; by default 100."""


class CloudMap:
    """AWS Cloud Map as an implementation of the port `Discovery`. `client` makes the client when it is first needed."""

    def __init__(self, client: Callable[[], Any]) -> None:
        self._client = client

    def instances(self, namespace: str, service: str) -> Sequence[Mapping[str, str]]:
        """The attributes of the healthy instances; of all, if the service has no health check.

        Raises:
            NotAllowed: if the worker's role may not look there.
            Unavailable: also if there is no such service.
        """
        try:
            answer = self._client().discover_instances(
                NamespaceName=namespace, ServiceName=service, HealthStatus="HEALTHY", MaxResults=_MOST
            )
        except ClientError as error:
            detail = error.response["Error"]
            if detail["Code"] == "AccessDeniedException":
                may = f"the worker may not look for endpoints in the namespace {namespace} of AWS Cloud Map"
                raise NotAllowed(f"{may}; the operator of this service can allow it (CloudMapNamespaces)") from error
            what = f"{detail['Code']}: {detail.get('Message', '')}"
            raise Unavailable(f"DiscoverInstances of {service} in {namespace} failed: {what}") from error
        except BotoCoreError as error:
            raise Unavailable(f"DiscoverInstances of {service} in {namespace} failed: {error}") from error
        return [instance.get("Attributes", {}) for instance in answer["Instances"]]
