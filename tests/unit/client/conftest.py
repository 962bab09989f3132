from collections.abc import Iterator

import pytest

from minutehand.client import Client
from tests.unit.client.fake_api import TOKEN, FakeApi


@pytest.fixture
def api() -> Iterator[FakeApi]:
    with FakeApi() as api:
        yield api


@pytest.fixture
def client(api: FakeApi) -> Iterator[Client]:
    with Client(api.url, TOKEN, backoff=0) as client:
        yield client
