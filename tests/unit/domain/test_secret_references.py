"""References to secrets: what is one, where another text goes wrong, and what it names in a secret."""

from __future__ import annotations

import json

import pytest

from minutehand.domain.declaration.field import Refused
from minutehand.domain.secret_reference import SecretReference, Store, Unusable

SSM, MANAGER = Store.SSM, Store.SECRETS_MANAGER


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("ssm:/shop/key", SecretReference(SSM, "/shop/key")),
        ("ssm:/key", SecretReference(SSM, "/key")),
        ("ssm:/shop/all.of_it-1#a key", SecretReference(SSM, "/shop/all.of_it-1", "a key")),
        ("secretsmanager:shop/db#password", SecretReference(MANAGER, "shop/db", "password")),
        ("secretsmanager:/shop/a+b=c@d", SecretReference(MANAGER, "/shop/a+b=c@d")),
        ("secretsmanager:db#a#b", SecretReference(MANAGER, "db", "a#b")),
    ],
)
def test_a_reference_is_read_and_shown_as_written(text: str, reference: SecretReference) -> None:
    assert SecretReference.parse(text) == reference
    assert str(reference) == text
    assert str(reference.whole) == text.partition("#")[0]


@pytest.mark.parametrize(
    ("text", "said", "hint", "column"),
    [
        ("", "this names no store of secrets", "write ssm:/path", 0),
        ("/shop/key", "this names no store of secrets", "write ssm:/path", 0),
        ("vault:/a", "'vault' is no store of secrets", "secretsmanager:name", 0),
        ("SSM:/a", "'SSM' is no store", "did you mean ssm?", 0),
        (" ssm:/a", "' ssm' is no store", "did you mean ssm?", 0),
        ("arn:aws:ssm:eu-west-1:111122223333:parameter/a", "'arn' is no store", "the name, not the ARN", 0),
        ("ssm:shop/key", "begins with /", "ssm:/path", 4),
        ("ssm:", "begins with /", "ssm:/path", 4),
        ("ssm:/", "a part of the name is empty", "one / between two", 5),
        ("ssm:/shop/", "a part of the name is empty", "none at the end", 10),
        ("ssm:/shop//key", "a part of the name is empty", "one / between two", 10),
        ("ssm://shop", "a part of the name is empty", "one / between two", 5),
        ("ssm:/shop/../key", "'..' is no part of a name", "each part once", 10),
        ("ssm:/shop/./key", "'.' is no part of a name", "each part once", 10),
        ("ssm:/shop/key:3", "':' is not allowed", "no ARN and no version", 13),
        ("ssm:arn:aws:ssm:::parameter/a", "begins with /", "ssm:/path", 4),
        ("ssm:/shop/a b", "' ' is not allowed", "write letters", 11),
        ("ssm:/shop/%2e%2e", "'%' is not allowed", "write letters", 10),
        ("ssm:/" + "a" * 1011, "more than 1,011", "another", 1015),
        ("secretsmanager:", "is empty", "one / between", 15),
        ("secretsmanager:shop/", "is empty", "none at the end", 20),
        ("secretsmanager:arn:aws:secretsmanager:::secret:a", "':' is not allowed", "no ARN", 18),
        ("secretsmanager:a#", "no key follows #", "leave # out", 16),
        ("secretsmanager:a#b}c", "no key of a secret", "without braces", 18),
        ("secretsmanager:a#" + "b" * 129, "no key of a secret", "128 characters", 145),
        ("ssm:/minutehand/minutehand/admin-token", "the first token of a stack", "another parameter", 4),
        ("ssm:/minutehand/prod/admin-token#a", "the first token of a stack", "another parameter", 4),
    ],
)
def test_any_other_text_is_refused_with_its_column(text: str, said: str, hint: str, column: int) -> None:
    with pytest.raises(Refused) as refused:
        SecretReference.parse(text)
    assert said in refused.value.message
    assert hint in refused.value.hint
    assert refused.value.column == column


def test_a_key_leads_into_a_json_object() -> None:
    text = json.dumps({"user": "report", "password": "correct horse", "port": 5432})
    assert SecretReference.parse("secretsmanager:db#password").value_in(text) == "correct horse"
    assert SecretReference.parse("secretsmanager:db").value_in(text) == text


@pytest.mark.parametrize(
    ("reference", "text", "said"),
    [
        ("ssm:/a#b", "hidden-text", "is not a JSON object"),
        ("ssm:/a#b", '["hidden-text"]', "is not a JSON object"),
        ("ssm:/a#b", "[" * 100_000, "is not a JSON object"),
        ("ssm:/a#b", '{"c": "hidden-text"}', "has no such key"),
        ("ssm:/a#b", '{"b": 12345678}', "is not a text"),
        ("ssm:/a#b", '{"b": "hid"}', "fewer than 4 characters"),
        ("ssm:/a", "hid", "fewer than 4 characters"),
        ("ssm:/a", " hid\n", "fewer than 4 characters"),
    ],
)
def test_what_is_no_usable_text_is_refused_without_a_quotation(reference: str, text: str, said: str) -> None:
    with pytest.raises(Unusable, match=said) as unusable:
        SecretReference.parse(reference).value_in(text)
    assert "hid" not in str(unusable.value)
    assert "12345678" not in str(unusable.value)
