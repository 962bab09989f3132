"""Fixtures of tests that talk to the API over a socket; a conftest imports those it needs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.api_server import ApiServer


@pytest.fixture(scope="session")
def api_server() -> Iterator[ApiServer]:
    """One server for all tests of a process."""
    with ApiServer() as server:
        yield server


@pytest.fixture
def api(api_server: ApiServer) -> ApiServer:
    """The API, with nothing in it."""
    api_server.forget()
    return api_server
