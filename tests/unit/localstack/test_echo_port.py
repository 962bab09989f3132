"""The port of the echo service: that of last time, for jobs hold it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from localstack import processes, up
from localstack.place import Place
from localstack.ports import LOOPBACK

from tests.unit.localstack.test_place import RECORD


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(state=tmp_path)
    yield place
    processes.stop(place.pid_file(up.ECHO), patience=30)


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as server:
        port: int = server.getsockname()[1]
    return port


def _echo(place: Place, before: up.Record | None = None) -> tuple[int, list[str]]:
    said: list[str] = []
    return up._echo(place, before, said.append), said


def test_the_port_of_last_time_is_kept_though_a_lower_one_is_free_and_the_record_is_gone(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(up, "FIRST_ECHO_PORT", _free_port())
    first, _ = _echo(place)
    processes.stop(place.pid_file(up.ECHO), patience=30)
    monkeypatch.setattr(up, "FIRST_ECHO_PORT", _free_port())
    second, said = _echo(place)
    assert second == first
    assert said == [f"echo service started at http://127.0.0.1:{first}"]


def test_a_running_echo_service_stays_where_it_is_though_the_record_tells_of_another(place: Place) -> None:
    port, _ = _echo(place)
    elsewhere = replace(RECORD, echo_port=port + 1, echo_url="http://echo:4600")
    assert _echo(place, elsewhere) == (port, [f"echo service runs at http://127.0.0.1:{port}"])


def test_a_port_known_from_the_record_alone_is_kept(place: Place) -> None:
    port = _free_port()
    assert _echo(place, replace(RECORD, echo_port=port, echo_url=f"http://127.0.0.1:{port}"))[0] == port


def test_when_the_port_is_taken_the_new_one_is_told_with_the_address_that_jobs_still_call(place: Place) -> None:
    with socket.create_server((LOOPBACK, 0)) as stranger:
        taken = stranger.getsockname()[1]
        (place.state / "echo.port").write_text(f"{taken}\n")
        port, said = _echo(place)
    assert port != taken
    started, note = said
    assert started == f"echo service started at http://127.0.0.1:{port}"
    assert note.startswith(f"note: another program has port {taken} now")
    assert f"Jobs of yours that call http://127.0.0.1:{taken} do not reach it any more" in note
    assert note.endswith(f"save them again with http://127.0.0.1:{port}")
