"""Retries: an update that another writer was faster than, and a store that did not answer."""

from __future__ import annotations

import pytest

from minutehand.domain.errors import Conflict, Unavailable
from minutehand.usecases.retries import (
    CONTENDED,
    TRIES,
    TRIES_AT_AN_ANSWER,
    Contended,
    retry_on_conflict,
    retry_on_stored,
    retry_when_unavailable,
)


def test_an_update_is_repeated_until_it_is_not_contended() -> None:
    answers = iter([CONTENDED, CONTENDED, "saved"])
    assert retry_on_conflict(lambda: next(answers), "job shop/load") == "saved"


def test_an_update_that_stays_contended_is_a_conflict_that_names_the_record() -> None:
    calls: list[int] = []

    def update() -> Contended[None]:
        calls.append(1)
        return CONTENDED

    with pytest.raises(Conflict, match="too many concurrent updates of job shop/load; try again"):
        retry_on_conflict(update, "job shop/load")
    assert len(calls) == TRIES


def test_an_update_goes_on_from_what_the_faster_writer_left() -> None:
    def update(version: int) -> str | Contended[int]:
        return "saved" if version == 3 else Contended(version + 1)

    assert retry_on_stored(1, update) == "saved"
    assert retry_on_stored(1, update, tries=2) == Contended(3)


def test_a_call_is_repeated_while_the_store_does_not_answer() -> None:
    left = [Unavailable("first"), Unavailable("second")]

    def call() -> str:
        if left:
            raise left.pop()
        return "answered"

    assert retry_when_unavailable(call) == "answered"


def test_a_store_that_never_answers_is_unavailable_after_a_few_calls() -> None:
    calls: list[int] = []

    def call() -> None:
        calls.append(1)
        raise Unavailable("no answer")

    with pytest.raises(Unavailable):
        retry_when_unavailable(call)
    assert len(calls) == TRIES_AT_AN_ANSWER
