"""Services of AWS Cloud Map, as MiniStack plays it."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.config import Config

from minutehand.adapters.cloud_map import CloudMap
from minutehand.domain.errors import Unavailable
from tests.contract.conftest import Server

pytestmark = pytest.mark.services


@pytest.fixture
def client(ministack: Server) -> Any:
    return boto3.client(
        "servicediscovery",
        endpoint_url=ministack.client.meta.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(inject_host_prefix=False),
    )


@pytest.fixture
def service(client: Any, namespace: str) -> str:
    """The id of a service `reports` in a namespace."""
    client.create_http_namespace(Name=namespace)
    [found] = [each["Id"] for each in client.list_namespaces()["Namespaces"] if each["Name"] == namespace]
    created: str = client.create_service(Name="reports", NamespaceId=found, HealthCheckCustomConfig={})["Service"]["Id"]
    return created


def register(client: Any, service: str, name: str, **attributes: str) -> None:
    client.register_instance(ServiceId=service, InstanceId=name, Attributes=attributes)


def test_the_healthy_instances_are_found_with_their_attributes(client, namespace, service):
    register(client, service, "a", AWS_INSTANCE_IPV4="10.0.3.7", AWS_INSTANCE_PORT="8443", weight="7")
    register(client, service, "b", AWS_INSTANCE_IPV4="10.0.3.8")
    register(client, service, "c", AWS_INSTANCE_IPV4="10.0.3.9")
    client.update_instance_custom_health_status(ServiceId=service, InstanceId="c", Status="UNHEALTHY")
    found = CloudMap(lambda: client).instances(namespace, "reports")
    known = [
        {name: each[name] for name in each if name.startswith("AWS_INSTANCE") or name == "weight"} for each in found
    ]
    assert sorted(known, key=lambda each: each["AWS_INSTANCE_IPV4"]) == [
        {"AWS_INSTANCE_IPV4": "10.0.3.7", "AWS_INSTANCE_PORT": "8443", "weight": "7"},
        {"AWS_INSTANCE_IPV4": "10.0.3.8"},
    ]


def test_a_service_without_instances_has_none(client, namespace, service):
    assert CloudMap(lambda: client).instances(namespace, "reports") == []


def test_an_unknown_service_is_said_to_be_unavailable_with_the_name_of_the_error(client, namespace, service):
    with pytest.raises(Unavailable, match=f"DiscoverInstances of report in {namespace} failed: ServiceNotFound"):
        CloudMap(lambda: client).instances(namespace, "report")
