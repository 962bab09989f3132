"""TCP ports."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from localstack import ports
from localstack.errors import LocalStackError
from localstack.ports import LOOPBACK, is_free, next_free, parse_port


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server((LOOPBACK, 0)) as server:
        yield server.getsockname()[1]


def test_a_port_with_a_listener_is_not_free(taken: int) -> None:
    assert not is_free(taken)


def test_a_port_with_a_listener_on_every_interface_is_not_free() -> None:
    with socket.create_server(("", 0)) as server:
        assert not is_free(server.getsockname()[1])


def test_a_port_is_free_after_its_listener_has_closed() -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        port = server.getsockname()[1]
    assert is_free(port)


def test_the_next_free_port_is_the_first_free_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "is_free", lambda port: port not in {4566, 4567})
    assert next_free(4566) == 4568
    assert next_free(4569) == 4569


@pytest.mark.parametrize("start", [4566, 65500])
def test_if_none_is_free_the_message_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch, start: int) -> None:
    tried: list[int] = []
    monkeypatch.setattr(ports, "is_free", lambda port: bool(tried.append(port)))
    with pytest.raises(LocalStackError, match=r"make up PORT="):
        next_free(start)
    assert max(tried) <= 65535
    assert len(tried) <= 100


@pytest.mark.parametrize("text", ["1", "4570", "65535"])
def test_any_port_can_be_named(text: str) -> None:
    assert parse_port(text) == int(text)


@pytest.mark.parametrize("text", ["99999", "65536", "0", "-1", "abc", "", "4566.0", "٤٥٦٦", "1e3", "9" * 5000])
def test_text_that_is_no_port_is_refused_in_one_short_line(text: str) -> None:
    with pytest.raises(LocalStackError, match="PORT must be a number from 1 to 65535") as refused:
        parse_port(text)
    assert len(str(refused.value)) < 130
    assert "\n" not in str(refused.value)
