"""Templates: how placeholders are read, and how values fill them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.domain.declaration.field import Refused
from minutehand.domain.template import Missing, Placeholder, TooLong, filled, filled_text, follow, parts, placeholders

VALUES: dict[str, Any] = {
    "n": 5,
    "half": 0.5,
    "yes": True,
    "none": None,
    "text": 'say "ü"',
    "list": [1, [2, 3], {"a": None}],
    "tree": {"a": {"b-c": {"0": "zero", "a key": "deep"}}},
    "braces": "{{n}}",
}


def look(placeholder: Placeholder) -> Any:
    return follow(VALUES[placeholder.name], placeholder)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("", ""),
        ("plain } } {", "plain } } {"),
        ("{{n}}", "5"),
        ("{{ n }}-{{half}}-{{yes}}-{{none}}-", "5-0.5-true--"),
        ("{{text}}", 'say "ü"'),
        ("{{list}}", '[1,[2,3],{"a":null}]'),
        ("{{list.0}}{{list[1][0]}}{{list[1].1}}", "123"),
        ('{{tree.a.b-c.0}} {{tree.a["b-c"]["a key"]}}', "zero deep"),
        ("{{{{n}}", "{{n}}"),
        ("{{{{{{n}}}}", "{{5}}"),
        ("{{braces}}", "{{n}}"),
        ('{"a":{"b":{{n}}}}', '{"a":{"b":5}}'),
    ],
)
def test_a_text_is_filled(template: str, text: str) -> None:
    assert filled_text(template, look, 100) == text


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{n}}", 5),
        (" {{n}}", " 5"),
        ("{{none}}", None),
        ("{{list}}", VALUES["list"]),
        ({"a": "{{yes}}", "{{n}}": ["{{half}}", 1, None, "x{{n}}"]}, {"a": True, "{{n}}": [0.5, 1, None, "x5"]}),
        ("{{{{", "{{"),
    ],
)
def test_a_json_value_is_filled_and_a_whole_placeholder_keeps_its_type(template: Any, value: Any) -> None:
    assert filled(template, look, 100) == value


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{n.a}}", "{{n.a}} names nothing: n has no parts"),
        ("{{none.a}}", "none is null"),
        ("{{tree.a.x}}", "{{tree.a.x}} names nothing: tree.a has no 'x'"),
        ("{{list.9}}", "list is a list of 3, without '9'"),
        ("{{list[99999999999999999999]}}", "is a list of 3"),
        ("{{list.a}}", "is a list of 3, without 'a'"),
        ("{{text.0}}", "text has no parts"),
    ],
)
def test_a_part_that_a_value_lacks_is_named(template: str, said: str) -> None:
    for fill in (filled_text, filled):
        with pytest.raises(Missing) as missing:
            fill(template, look, 100)
        assert said in str(missing.value)


@pytest.mark.parametrize(
    ("template", "said", "column"),
    [
        ("a {{n", "does not end", 2),
        ("{{}}", "is not a placeholder", 0),
        ("{{n}} {{n m}}", "{{n m}} is not a placeholder", 6),
        ("{{n.}}", "is not a placeholder", 0),
        ("{{n[a]}}", "is not a placeholder", 0),
        ("{{n['a']}}", "is not a placeholder", 0),
        ("{{n()}}", "is not a placeholder", 0),
        ("{{n|upper}}", "is not a placeholder", 0),
        ("{{1}}", "is not a placeholder", 0),
        ("{{n}\n}}", "is not a placeholder", 0),
        ("Bearer {{ secret:vault:a }}", "'vault' is no store of secrets", 17),
        ("{{secret:ssm:/shop//key}}", "a part of the name is empty", 19),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(template: str, said: str, column: int) -> None:
    with pytest.raises(Refused) as refused:
        list(parts(template))
    assert said in refused.value.message
    assert refused.value.hint
    assert refused.value.column == column


def test_placeholders_are_found_with_their_paths_and_errors() -> None:
    found = list(placeholders({"a": ["{{n}} {{half.x}}", {"b": "{{"}], "c": 1}, "body"))
    assert [path for path, _ in found] == ["body.a[0]", "body.a[0]", "body.a[1].b"]
    assert [one.name for _, one in found if isinstance(one, Placeholder)] == ["n", "half"]
    assert isinstance(found[2][1], Refused)


@pytest.mark.parametrize("template", ["{{text}}" * 3, "x" * 21, ["{{text}}", "{{text}}", "{{text}}"]])
def test_a_result_over_the_limit_is_refused(template: Any) -> None:
    with pytest.raises(TooLong):
        filled(template, look, 20) if isinstance(template, list) else filled_text(template, look, 20)


def test_a_long_template_without_an_end_is_read_in_linear_time() -> None:
    with pytest.raises(Refused):
        list(parts("{{" + "a." * 50_000))
    with pytest.raises(Refused):
        list(parts("{{" * 33_333))


@given(st.text(alphabet='{}.[]"a0 _-\u00fc', max_size=40))
def test_every_text_is_filled_or_refused(text: str) -> None:
    result, column = text, None
    try:
        result = filled_text(text, lambda placeholder: "x", 1000)
    except Refused as refused:
        column = refused.column
    if column is not None:
        assert text[column:].startswith("{{")
    assert "{{" in text or result == text
