"""The SDK against the product's API over memory, behind a socket."""

from collections.abc import Iterator

import pytest

from minutehand.client import Client
from tests.support.api_server import TOKEN, ApiServer
from tests.support.fixtures import api, api_server

__all__ = ["api", "api_server", "client"]


@pytest.fixture
def client(api: ApiServer) -> Iterator[Client]:
    with Client(api.url, TOKEN, backoff=0) as client:
        yield client
