"""Logs of commands: what agents send while a command runs, and afterwards."""

from __future__ import annotations

import gzip
import json
import os
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from minutehand.agent import attempt_log, log_text
from minutehand.agent.attempt_log import AttemptLog, Space, recovered
from minutehand.agent.order import Key
from minutehand.domain.attempt_log import LONGEST_ENTRY, LONGEST_PART, Budget, LogEntry, Stream, members_in
from tests.support.agent_server import AgentServer
from tests.support.http_server import Canned, Request, problem
from tests.unit.agent.conftest import Start

KEY = Key("shop/report", "20261120T090000Z", 1)
RUN = "run-1"
MUCH = 1 << 40


def entries_in(stored: bytes) -> list[LogEntry]:
    return [entry for member in members_in(stored, Budget(text=MUCH, members=MUCH)) for entry in member.entries()]


def text_in(stored: bytes) -> str:
    """What the command wrote."""
    return "".join(entry.text for entry in entries_in(stored) if entry.stream is Stream.OUTPUT)


def notes_in(stored: bytes) -> list[str]:
    return [entry.text for entry in entries_in(stored) if entry.stream is Stream.NOTE]


def log_in(folder: Path, *, space: int = MUCH) -> AttemptLog:
    return AttemptLog(KEY, "token", folder / "log", Space(space))


def written(log: AttemptLog, *chunks: bytes) -> bytes:
    """The whole of a log that gets these chunks, each of which is written down before the next comes."""
    for chunk in chunks:
        log.add(chunk)
        log.write(0)
    log.end(wanted=True)
    log.write(0)
    return log.whole() if log.size else b""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are made of whatever there is."""
    monkeypatch.setattr(attempt_log, "FIRST_PART", 0)


@pytest.mark.parametrize(
    "chunks",
    [
        (b"one\ntwo\n",),
        (b"on", b"e\n", b"\n\n", b"no end"),
        ("grö".encode()[:3], "grö".encode()[3:], b"\n"),
        (("€" * 40_000).encode(), b"\n"),
        (b"bar\r50%\r100%\n", b"\x1b[31mred\x1b[0m\n"),
    ],
)
def test_the_api_reads_what_the_command_wrote(tmp_path: Path, chunks: tuple[bytes, ...]) -> None:
    assert text_in(written(log_in(tmp_path), *chunks)) == b"".join(chunks).decode()


def test_entries_have_the_time_at_which_they_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_text, "instant", lambda: "2026-11-20T09:00:00.123Z")
    [entry] = entries_in(written(log_in(tmp_path), b"one\n"))
    assert entry == LogEntry("2026-11-20T09:00:00.123Z", Stream.OUTPUT, "one\n")


def test_the_api_reads_a_log_of_the_shortest_lines(tmp_path: Path) -> None:
    """Their text is 30 times as long as what the command wrote."""
    written_text = b"\n" * 300_000
    log = log_in(tmp_path)
    whole = written(log, written_text)
    assert text_in(whole) == written_text.decode()
    assert all(part.size <= LONGEST_PART for part in log.parts)


def test_the_api_reads_entries_as_long_as_agents_make_them() -> None:
    assert log_text.LONGEST_PIECE == LONGEST_ENTRY


def test_parts_make_up_the_whole(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    whole = written(log, b"one\n", b"two\n", b"three\n")
    assert [part.number for part in log.parts] == [1, 2, 3]
    assert b"".join(log.piece(part) for part in log.parts) == whole


def test_of_a_long_output_the_beginning_and_the_end_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_log, "HEAD", 30)
    monkeypatch.setattr(attempt_log, "TAIL", 20)
    whole = written(log_in(tmp_path), *(f"line {each:04}\n".encode() for each in range(100)))
    assert text_in(whole) == "".join(f"line {each:04}\n" for each in (0, 1, 2, 98, 99))
    [note] = notes_in(whole)
    assert note.startswith("950 bytes of the output are missing here")


def test_the_memory_of_a_log_is_bounded_and_what_is_lost_is_told(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for _ in range(20):
        log.add(b"x" * 1_000_000)
    whole = written(log)
    assert len(text_in(whole)) == 8_000_000
    assert notes_in(whole)[0].startswith("12,000,000 bytes")


def test_a_full_spool_folder_costs_the_log_and_not_the_run(tmp_path: Path) -> None:
    log = log_in(tmp_path, space=200)
    whole = written(log, b"one\n", *[b"two\n"] * 10)
    assert text_in(whole).startswith("one\n")
    assert len(whole) <= 200


def test_a_folder_that_cannot_be_written_costs_the_log(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file")
    assert written(log_in(tmp_path), b"one\n") == b""


def test_the_spool_folder_is_for_its_user_alone(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    written(log, b"one\n")
    log.keep()
    folder = tmp_path / "log"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o077 for each in folder.iterdir()} == {0}


def test_what_a_process_left_is_taken_over_up_to_its_last_whole_piece(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    written(log, b"one\n")
    log.keep()
    with (tmp_path / "log" / "log.gz").open("ab") as file:
        file.write(log_text.member(b"x")[:10])
    again = recovered(tmp_path / "log", Space(MUCH))
    assert again is not None
    assert (again.key, again.token, text_in(again.whole())) == (KEY, "token", "one\n")


def test_what_a_process_left_of_an_attempt_that_was_not_over_is_dropped(tmp_path: Path) -> None:
    written(log_in(tmp_path), b"one\n")
    assert [each.name for each in (tmp_path / "log").iterdir()] == ["log.gz"], "no token"
    assert recovered(tmp_path / "log", Space(MUCH)) is None
    assert not (tmp_path / "log").exists()


def test_what_is_older_than_a_day_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_in(tmp_path)
    written(log, b"one\n")
    log.keep()
    monkeypatch.setattr(attempt_log, "KEPT_FOR", -1)
    assert recovered(tmp_path / "log", Space(MUCH)) is None
    assert not (tmp_path / "log").exists()


@pytest.mark.slow
def test_parts_are_sent_while_a_command_runs_and_the_whole_after_its_report(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    server.order(RUN, f"echo one; while ! test -e {tmp_path}/go; do sleep 0.05; done; echo two")
    start()
    server.wait(lambda: (RUN, 1) in server.uploaded)
    assert text_in(server.uploaded[RUN, 1]) == "one\n"
    assert not server.reports
    (tmp_path / "go").touch()
    server.wait(lambda: (RUN, None) in server.uploaded)
    assert text_in(server.uploaded[RUN, None]) == "one\ntwo\n"
    assert server.uploaded[RUN, None].startswith(server.uploaded[RUN, 1])
    assert [each["token"] for each in server.uploads][-1] == f"token of {RUN}"
    assert server.states() == {RUN: "succeeded"}


@pytest.mark.slow
def test_a_short_command_whose_output_is_reported_sends_nothing(
    server: AgentServer, start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(attempt_log, "FIRST_PART", 60)
    server.order(RUN, "echo one")
    agent = start()
    server.reported(RUN)
    agent.stop()
    agent.ended()
    assert (server.uploads, list((tmp_path / "spool").glob("*"))) == ([], [])


@pytest.mark.slow
def test_a_long_output_is_sent_whole(server: AgentServer, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_log, "FIRST_PART", 60)
    server.order(RUN, ["head", "-c", "3000000", "/dev/zero"])
    start()
    server.wait(lambda: (RUN, None) in server.uploaded)
    assert len(text_in(server.uploaded[RUN, None])) == 3_000_000


@pytest.mark.slow
def test_what_an_agent_could_not_send_the_next_process_sends(server: AgentServer, start: Start, tmp_path: Path) -> None:
    server.say("/uploads", {"title": "no", "detail": "out of order"}, 503)
    server.order(RUN, "echo one; sleep 1")
    agent = start()
    server.reported(RUN)
    agent.wait_for("log")
    agent.stop()
    agent.ended()
    assert len(list((tmp_path / "spool").iterdir())) == 1
    server.instead = lambda request: None
    start(session="session-2")
    server.wait(lambda: (RUN, None) in server.uploaded)
    assert text_in(server.uploaded[RUN, None]) == "one\n"


@pytest.mark.parametrize("plant", [os.mkfifo, lambda path: path.symlink_to("/etc/passwd"), lambda path: path.mkdir()])
@pytest.mark.parametrize("name", ["about.json", "log.gz"])
def test_what_is_no_file_of_the_agent_is_not_sent(tmp_path: Path, name: str, plant: Callable[[Path], None]) -> None:
    about = {"job": "shop/report", "run_id": RUN, "attempt": 1, "token": "t"}
    (tmp_path / "about.json").write_text(json.dumps(about))
    (tmp_path / "log.gz").write_bytes(gzip.compress(b"2026-11-20T08:00:01.000Z out one\n"))
    (tmp_path / name).unlink()
    plant(tmp_path / name)
    assert recovered(tmp_path, Space(MUCH)) is None


def _with_attempt(attempt: str) -> str:
    return f'{{"job": "shop/report", "run_id": "{RUN}", "attempt": {attempt}, "token": "t"}}'


@pytest.mark.parametrize(
    "about",
    [
        "",
        "[]",
        _with_attempt("1").replace('"shop/report"', "5"),
        _with_attempt("1").replace('"t"', "null"),
        _with_attempt("[]"),
        _with_attempt("Infinity"),
        _with_attempt("[" * 100_000 + "]" * 100_000),
    ],
    ids=["empty", "no document", "job", "token", "attempt", "infinite", "nested"],
)
def test_a_log_of_no_attempt_is_not_sent(tmp_path: Path, about: str) -> None:
    (tmp_path / "about.json").write_text(about)
    (tmp_path / "log.gz").write_bytes(gzip.compress(b"2026-11-20T08:00:01.000Z out one\n"))
    assert recovered(tmp_path, Space(MUCH)) is None


def test_a_piece_that_says_very_much_is_looked_at_in_little_memory() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    tracemalloc.start()
    try:
        assert log_text.whole_members(bomb + bomb[:-1]) == len(bomb)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_spool_folder_that_others_may_write_is_told_and_not_used(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool").chmod(0o777)
    server.order(RUN, "echo one; sleep 1")
    agent = start()
    assert server.reported(RUN)["state"] == "succeeded"
    assert f"other users may write the spool folder {tmp_path}/spool; run: chmod go-w" in agent.told("log")
    assert list((tmp_path / "spool").iterdir()) == []


@pytest.mark.slow
def test_a_link_in_place_of_the_spool_folder_is_told_and_not_followed(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "spool").symlink_to(tmp_path / "elsewhere")
    server.order(RUN, "echo one; sleep 1")
    agent = start()
    assert server.reported(RUN)["state"] == "succeeded"
    assert f"the spool folder {tmp_path}/spool is no folder" in agent.told("log")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.slow
def test_a_log_that_cannot_be_written_is_told_once_and_costs_no_run(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    server.order("before", "true")
    agent = start()
    server.reported("before")
    (tmp_path / "spool").write_text("a file")
    server.order(RUN, "for n in 1 2 3 4; do echo $n; sleep 0.5; done; head -c 200000 /dev/zero")
    assert server.reported(RUN)["state"] == "succeeded"
    agent.wait_for("log")
    assert agent.told("log").count("part of the log is lost: the agent could not write its spool folder") == 1


@pytest.mark.slow
def test_an_upload_that_is_no_valid_one_is_dropped_and_holds_up_no_other(server: AgentServer, start: Start) -> None:
    def refuse(request: Request) -> Canned | None:
        asked = (request.body or {}).get("uploads", []) if request.path.endswith("/uploads") else []
        return problem(422) if RUN in [each["run_id"] for each in asked] else None

    server.instead = refuse
    agent = start()
    for run in (RUN, "run-2"):
        server.order(run, "echo one; sleep 1")
    server.wait(lambda: ("run-2", None) in server.uploaded)
    agent.wait_for("log")
    assert "dropped, since the API refuses it" in agent.told("log")
    assert (RUN, None) not in server.uploaded


@pytest.mark.slow
def test_a_log_that_the_store_does_not_take_holds_up_no_other(server: AgentServer, start: Start) -> None:
    other = "run-2"
    before = server.instead
    server.instead = lambda request: problem(503) if request.path.startswith(f"/objects/{RUN}") else before(request)
    start()
    for run in (RUN, other):
        server.order(run, "echo one; sleep 1")
        server.reported(run)
    server.wait(lambda: (other, None) in server.uploaded)
    assert (RUN, None) not in server.uploaded


@pytest.mark.slow
def test_the_token_of_an_attempt_is_in_the_spool_folder_only_once_its_end_is_reported(
    server: AgentServer, start: Start, tmp_path: Path
) -> None:
    def tokens() -> list[str]:
        return [json.loads(each.read_text())["token"] for each in tmp_path.glob("spool/*/about.json")]

    server.say("/uploads", {"title": "no", "detail": "out of order"}, 503)
    server.order(RUN, f"echo one; while ! test -e {tmp_path}/go; do sleep 0.05; done")
    agent = start(slots=1)
    server.wait(lambda: list(tmp_path.glob("spool/*/log.gz")))
    before, server.instead = server.instead, lambda _: problem(503)
    (tmp_path / "go").touch()
    agent.wait_for("cut_off")
    assert tokens() == []
    server.instead = before
    server.reported(RUN)
    server.wait(tokens)
    assert tokens() == [f"token of {RUN}"]


@pytest.mark.slow
def test_what_the_api_refuses_is_dropped(server: AgentServer, start: Start, tmp_path: Path) -> None:
    server.refuses_uploads = True
    server.order(RUN, "echo one; sleep 1; echo two")
    agent = start()
    server.reported(RUN)
    agent.wait_for("log")
    assert "the API refuses it: too late" in agent.told("log")
    agent.stop()
    agent.ended()
    assert (server.uploaded, list((tmp_path / "spool").iterdir())) == ({}, [])


@pytest.mark.slow
def test_a_command_that_writes_a_lot_is_not_held_up_by_a_store_that_hangs(server: AgentServer, start: Start) -> None:
    goes_on = threading.Event()
    server.before = lambda request: (
        None if not request.path.startswith("/objects/") else bool(goes_on.wait(60)) and None
    )
    server.order(RUN, ["head", "-c", "30000000", "/dev/zero"])
    start()
    assert json.dumps(server.reported(RUN)["result"]["output_bytes"]) == "30000000"
    goes_on.set()
    server.wait(lambda: (RUN, None) in server.uploaded)
