"""The drain's handler, and the sweep that starts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from minutehand.adapters.dead_letters import Letter
from minutehand.domain.errors import Unavailable
from minutehand.entrypoints import drain, sweep
from tests.unit.adapters.fakes import Scripted, client_error
from tests.unit.entrypoints.handling import SETTINGS, Context, body_of, record, text_of
from tests.unit.usecases.stage import Stage


class Letters:
    """A dead-letter queue in memory, which gives up to two messages at a time."""

    def __init__(self, *bodies: Any) -> None:
        self.held = [Letter(f"m{n}", text_of(body), f"r{n}") for n, body in enumerate(bodies, start=1)]
        self._new = [*self.held]
        self.received = 0

    def waiting(self) -> int:
        return len(self._new)

    def receive(self) -> list[Letter]:
        self.received += 1
        taken, self._new = self._new[:2], self._new[2:]
        return taken

    def delete(self, letters: Sequence[Letter]) -> None:
        self.held = [letter for letter in self.held if letter not in letters]


def dead(monkeypatch: pytest.MonkeyPatch, *bodies: Any) -> Letters:
    """Give the drain a queue with these messages."""
    letters = Letters(*bodies)
    monkeypatch.setattr(drain, "dead_letters", lambda: [letters])
    return letters


def test_a_dead_letter_whose_run_can_start_is_sent_again_and_an_unreadable_one_stays(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.state.messages.clear()
    letters = dead(monkeypatch, body_of("09:01"), "{}")
    assert drain.handler({}, Context()) == {"drained": 1, "kept": 1}
    assert [letter.message_id for letter in letters.held] == ["m2"]
    assert stage.sent() == ["09:01:00"]


def test_a_drain_goes_on_until_its_queue_is_empty(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = dead(monkeypatch, *[body_of("09:01")] * 5)
    assert drain.handler({}, Context()) == {"drained": 5, "kept": 0}
    assert (letters.held, letters.received) == ([], 4)


def test_a_drain_receives_nothing_for_which_it_has_no_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(Context):
        def get_remaining_time_in_millis(self) -> int:
            return 15_000

    letters = dead(monkeypatch, body_of("09:01"))
    assert drain.handler({}, Late()) == {"drained": 0, "kept": 0}
    assert letters.received == 0, "what is received is hidden for minutes"


def test_letters_that_a_mapping_of_an_earlier_version_sends_are_refused_so_that_it_deletes_none(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = dead(monkeypatch, body_of("09:01"))
    with pytest.raises(drain.NotDrained, match=r"event source mapping still sends dead letters .* delete it"):
        drain.handler({"Records": [record(1, body_of("09:01"))]}, Context())
    assert letters.received == 0


@pytest.mark.parametrize("waiting", [0, 3])
def test_a_sweep_starts_the_drain_only_if_there_are_dead_letters(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, waiting: int
) -> None:
    letters, started = Letters(*["{}"] * waiting), Scripted({})
    monkeypatch.setattr(sweep, "dead_letters", lambda: [letters])
    monkeypatch.setattr(sweep, "aws_lambda", lambda: started)
    monkeypatch.setattr(sweep, "settings", lambda: replace(SETTINGS, drain_function="drain-1"))
    assert sweep.handler({}, Context())["dead_letters"] == waiting
    started_drain = {"FunctionName": "drain-1", "InvocationType": "Event", "Payload": b"{}"}
    assert started.requests == ([started_drain] if waiting else [])
    assert letters.received == 0


def test_a_drain_that_cannot_be_started_fails_the_sweep_but_stops_none_of_its_steps(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.at("10:01")
    stage.state.messages.clear()
    denied = Scripted(client_error("AccessDeniedException"))
    monkeypatch.setattr(sweep, "dead_letters", lambda: [Letters("{}")])
    monkeypatch.setattr(sweep, "aws_lambda", lambda: denied)
    monkeypatch.setattr(sweep, "settings", lambda: replace(SETTINGS, drain_function="drain-1"))
    with pytest.raises(Unavailable, match=r"the function drain-1 could not be started: .*AccessDeniedException"):
        sweep.handler({}, Context())
    assert stage.state.messages, "overdue runs are sent all the same"


def test_the_log_says_why_a_dead_letter_stays(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(drain.logger, "error", lambda _message, **about: lines.append(about))
    stage.runs.fails("get")
    dead(monkeypatch, body_of("09:01"), "{}")
    assert drain.handler({}, Context()) == {"drained": 0, "kept": 2}
    assert [(line["message_id"], line["problem"]) for line in lines] == [
        ("m1", "Unavailable: get did not answer"),
        ("m2", "ValueError: the message's body is not an object with job, run_id and attempt"),
    ]
