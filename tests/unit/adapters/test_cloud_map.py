"""What is asked of AWS Cloud Map, and what its refusals mean."""

from __future__ import annotations

import pytest

from minutehand.adapters.cloud_map import CloudMap
from minutehand.domain.errors import NotAllowed, Unavailable
from tests.unit.adapters.fakes import Scripted, client_error


def test_as_many_instances_are_read_as_cloud_map_can_answer() -> None:
    client = Scripted({"Instances": [{"Attributes": {"AWS_INSTANCE_IPV4": "10.0.0.1"}}]})
    assert CloudMap(lambda: client).instances("shop.internal", "reports") == [{"AWS_INSTANCE_IPV4": "10.0.0.1"}]
    assert client.requests[0]["MaxResults"] == 1000


def test_a_denial_names_the_parameter_that_allows_it() -> None:
    with pytest.raises(NotAllowed, match=r"the namespace shop\.internal .* \(CloudMapNamespaces\)"):
        CloudMap(lambda: Scripted(client_error("AccessDeniedException"))).instances("shop.internal", "reports")


def test_any_other_error_means_no_answer() -> None:
    with pytest.raises(Unavailable, match="ThrottlingException"):
        CloudMap(lambda: Scripted(client_error("ThrottlingException"))).instances("shop.internal", "reports")
