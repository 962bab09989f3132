from __future__ import annotations

from minutehand.domain.errors import FieldProblem, Invalid, MinutehandError


def test_an_invalid_document_names_every_problem_and_where_it_is() -> None:
    found = (
        FieldProblem(path="target.url", message="no host", hint="write https://…"),
        FieldProblem(path="", message="too large"),
    )
    error = Invalid(*found)
    assert isinstance(error, MinutehandError)
    assert (str(error), error.problems) == ("target.url: no host; too large", found)
