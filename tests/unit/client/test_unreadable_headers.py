"""Late answers to requests with unreadable headers, and of exceptions without a text."""

from __future__ import annotations

import pytest

from minutehand.client import ConfigurationError, LateAnswer
from tests.unit.client.test_late_answer import TOKEN, Attempt, attempt, headers_of

__all__ = ["attempt"]  # a fixture


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("Minutehand-Attempt", "first", "a whole number"),
        ("Minutehand-Attempt", "", "a whole number"),
        ("Minutehand-Attempts-Left", "-1", "a whole number"),
        ("Minutehand-Attempts-Left", "9" * 5000, "a whole number"),
        ("Minutehand-Deadline", "soon", "an instant with an offset"),
        ("Minutehand-Deadline", "2026-11-20T15:00:00", "an instant with an offset"),
        ("Minutehand-Deadline", "0001-01-01T00:00:00+14:00", "an instant with an offset"),
    ],
)
def test_a_header_that_cannot_be_read_is_named_with_what_is_sent(
    attempt: Attempt, name: str, text: str, wanted: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        LateAnswer.from_headers(headers_of(attempt) | {name: text})
    assert caught.value.message.startswith(f"the header {name} is '{text[:50]}")
    assert caught.value.message.endswith(f"which is not {wanted}")
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("hand over the headers as they came")


class Wordless(Exception):
    """An exception whose text cannot be made."""

    def __str__(self) -> str:
        raise LookupError("no text")


def test_an_exception_whose_text_cannot_be_made_is_reported_by_its_type(attempt: Attempt) -> None:
    answer = LateAnswer(attempt.url, TOKEN, backoff=0, every=3600)
    answer.failed_with(Wordless())
    answer.close()
    [report] = attempt.reports()
    assert report["error"]["type"] == "Wordless"
    assert report["error"]["message"] == "the text of this error could not be made: its __str__ raised LookupError"
