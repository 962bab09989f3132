"""Payloads against the annotations of handlers."""

from __future__ import annotations

import pytest

from minutehand.handlers import AppError, InvalidPayload
from minutehand.handlers.loading import find_app
from tests.unit.handlers.conftest import Handlers, Package

SHOWING = """
    class Color(Enum):
        RED = "red"
        BLUE = "blue"

    @dataclass
    class Table:
        name: str
        limit: int = 10
        inner: Table | None = None

    @job("show")
    def show(value: {annotation}) -> str:
        return repr(value)
"""


@pytest.mark.parametrize(
    ("annotation", "given", "shown"),
    [
        ("str", "a", "'a'"),
        ("int", 7, "7"),
        ("float", 7, "7.0"),
        ("bool", True, "True"),
        ("None", None, "None"),
        ("date", "2026-11-20", "datetime.date(2026, 11, 20)"),
        ("datetime", "2026-11-20T02:00:00+09:00", "timezone(datetime.timedelta(seconds=32400)))"),
        ("timedelta", "1h30m", "datetime.timedelta(seconds=5400)"),
        ("int | None", None, "None"),
        ("int | str", "7", "'7'"),
        ("Literal['a', 2]", 2, "2"),
        ("Color", "red", "<Color.RED: 'red'>"),
        ("list[date]", ["2026-11-20"], "[datetime.date(2026, 11, 20)]"),
        ("tuple[int, ...]", [1, 2], "(1, 2)"),
        ("dict[str, float]", {"a": 1}, "{'a': 1.0}"),
        ("list", [1, "a"], "[1, 'a']"),
        ("Any", {"a": [None]}, "{'a': [None]}"),
        ("Table", {"name": "t"}, "Table(name='t', limit=10, inner=None)"),
        ("Table", {"name": "t", "inner": {"name": "u"}}, "inner=Table(name='u', limit=10, inner=None))"),
    ],
)
def test_a_value_becomes_what_its_annotation_says(
    handlers: Handlers, annotation: str, given: object, shown: str
) -> None:
    result = handlers(SHOWING.format(annotation=annotation)).run("show", {"value": given}).result
    assert result.endswith(shown)


@pytest.mark.parametrize(
    ("annotation", "given", "message"),
    [
        ("str", 7, "argument value is 7; write text"),
        ("int", "7", 'argument value is "7"; write a whole number'),
        ("int", True, "argument value is true; write a whole number"),
        ("float", "much", 'argument value is "much"; write a number'),
        ("bool", 1, "argument value is 1; write true or false"),
        ("date", "tomorrow", 'argument value is "tomorrow"; write a date such as "2026-11-20"'),
        ("date", "2026-11-20T00:00:00Z", "write a date such as"),
        ("datetime", "2026-11-20T02:00:00", "write an instant with its offset"),
        ("timedelta", "90", 'write a duration such as "90s" or "1h30m"'),
        ("int | None", "x", 'argument value is "x"; write a whole number or null'),
        ("Literal['a', 2]", "b", 'argument value is "b"; write "a" or 2'),
        ("Color", "green", 'argument value is "green"; write "red" or "blue"'),
        ("list[int]", [1, "b"], 'argument value[1] is "b"; write a whole number'),
        ("list[int]", 1, "argument value is 1; write a list, each of it a whole number"),
        ("list[int] | None", [None], "argument value[0] is null; write a whole number"),
        ("dict[str, int]", {"a": None}, "argument value.a is null; write a whole number"),
        (
            "Table",
            {"name": "t", "limt": 3},
            "argument value has a field 'limt', which Table lacks; did you mean 'limit'?",
        ),
        ("Table", {}, "argument value lacks the field 'name'; write text"),
        ("Table", {"name": "t", "inner": {"name": 1}}, "argument value.inner.name is 1; write text"),
        ("Table", 7, "argument value is 7; write an object with the fields of Table"),
        ("str", ["x" * 90], "x…; write text"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_name_and_what_is_right(
    handlers: Handlers, annotation: str, given: object, message: str
) -> None:
    ran = handlers(SHOWING.format(annotation=annotation)).run("show", {"value": given})
    assert ran.error is not None
    assert ran.error[0] == "InvalidPayload"
    assert message in ran.error[1]
    assert ran.outcome.error is not None
    assert ran.outcome.error.stack == ""  # the payload is wrong, not the code


REPORT = """
    @job("report")
    def report(context: Context, day: date, *, tables: list[str] = []) -> Any:
        return [str(day), tables, context.run_id]
"""


def test_arguments_are_the_payload_s_fields_and_the_rest_has_its_defaults(handlers: Handlers) -> None:
    assert handlers(REPORT).run("report", {"day": "2026-11-20"}).result == ["2026-11-20", [], "20261120T120000Z"]


def test_all_wrong_arguments_are_named(handlers: Handlers) -> None:
    ran = handlers(REPORT).run("report", {"dya": "2026-11-20", "tables": 7})
    with pytest.raises(InvalidPayload) as caught:
        ran.result  # noqa: B018 - raises
    assert str(caught.value).splitlines() == [
        "report takes no argument 'dya'; did you mean 'day'?",
        "argument tables is 7; write a list, each of it text",
        'argument day is missing; write a date such as "2026-11-20"',
    ]


def test_a_payload_that_is_no_object_is_refused(handlers: Handlers) -> None:
    assert handlers(REPORT).run("report", [1]).error == (
        "InvalidPayload",
        "the payload of report is list, not an object; write an object; report takes day, tables",
    )


def test_a_handler_of_the_context_alone_takes_any_payload(handlers: Handlers) -> None:
    tester = handlers('@job("echo")\ndef echo(context: Context) -> Any:\n    return context.payload\n')
    for payload in (None, 7, [1], {"a": 1}):
        assert tester.run("echo", payload).result == payload


def test_a_handler_without_arguments_takes_no_payload(handlers: Handlers) -> None:
    tester = handlers('@job("beat")\ndef beat() -> None: ...\n')
    assert tester.run("beat").error is None
    assert tester.run("beat", {}).error is None
    assert tester.run("beat", {"a": 1}).error == ("InvalidPayload", "beat takes no argument 'a'; it takes none")


def test_further_arguments_may_be_taken_together(handlers: Handlers) -> None:
    tester = handlers(
        '@job("sum")\ndef add(first: int, **others: int) -> int:\n    return first + sum(others.values())\n'
    )
    assert tester.run("sum", {"first": 1, "a": 2, "b": 3}).result == 6
    assert tester.run("sum", {"first": 1, "a": "2"}).error == (
        "InvalidPayload",
        'argument a is "2"; write a whole number',
    )


@pytest.mark.parametrize(
    ("signature", "why"),
    [
        ("*names: str", "cannot be given by name"),
        ("day: date, /", "cannot be given by name"),
        ("a: Context, b: Context", "takes the context twice"),
        ("a: Unknown", "name 'Unknown', which is unknown; import it at run time"),
        ("a: dict[int, str]", "a dictionary in JSON has text as keys"),
        ("a: tuple[int, str]", "write tuple"),
        ("a: bytes", "the type bytes cannot be read from JSON"),
    ],
)
def test_a_signature_that_no_payload_fits_is_refused(package: Package, signature: str, why: str) -> None:
    name = package(f'@job("a")\ndef a({signature}) -> None: ...\n')
    with pytest.raises(AppError, match=why):
        find_app(name).handlers  # noqa: B018 - loads them


def test_the_annotation_of_the_result_is_not_read(handlers: Handlers) -> None:
    assert handlers('@job("a")\ndef a(n: int) -> OnlyForTypeCheckers:\n    return n\n').run("a", {"n": 1}).result == 1
