"""Choosing ports."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from localstack import ports
from localstack.errors import LocalStackError
from localstack.ports import LOOPBACK, is_free, next_free


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server((LOOPBACK, 0)) as server:
        yield server.getsockname()[1]


def test_a_port_that_a_program_listens_on_is_not_free(taken: int) -> None:
    assert not is_free(taken)


def test_a_port_taken_on_every_interface_is_not_free() -> None:
    with socket.create_server(("", 0)) as server:
        assert not is_free(server.getsockname()[1])


def test_a_port_is_free_again_when_its_program_has_ended() -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        port = server.getsockname()[1]
    assert is_free(port)


def test_the_next_free_port_is_the_first_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "is_free", lambda port: port not in {4566, 4567})
    assert next_free(4566) == 4568
    assert next_free(4569) == 4569


@pytest.mark.parametrize("start", [4566, 65500])
def test_when_there_is_none_the_message_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch, start: int) -> None:
    asked: list[int] = []
    monkeypatch.setattr(ports, "is_free", lambda port: bool(asked.append(port)))
    with pytest.raises(LocalStackError, match=r"make up PORT="):
        next_free(start)
    assert max(asked) <= 65535
    assert len(asked) <= 100
