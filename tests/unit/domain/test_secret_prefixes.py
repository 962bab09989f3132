"""Which secrets the jobs of a namespace may use, by the setting of the operator."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.domain.declaration.field import Refused
from minutehand.domain.secret_prefixes import SecretPrefix, parse_prefixes, refusal
from minutehand.domain.secret_reference import SecretReference
from tests.architecture.templates.loaded import MAIN

PREFIXES = parse_prefixes(
    "shop=ssm:/shop/, shop=secretsmanager:shop/,*=ssm:/minutehand/{namespace}/,bank=secretsmanager:shared"
)


def may(namespace: str, reference: str, prefixes: tuple[SecretPrefix, ...] = PREFIXES) -> bool:
    return refusal(prefixes, SecretReference.parse(reference), namespace) is None


@pytest.mark.parametrize(
    ("namespace", "reference"),
    [
        ("shop", "ssm:/shop/key"),
        ("shop", "ssm:/shop/deep/key#part"),
        ("shop", "secretsmanager:shop/db#password"),
        ("shop", "ssm:/minutehand/shop/key"),
        ("bank", "ssm:/minutehand/bank/key"),
        ("bank", "secretsmanager:shared#key"),
    ],
)
def test_a_secret_below_a_prefix_of_its_namespace_is_allowed(namespace: str, reference: str) -> None:
    assert may(namespace, reference)


@pytest.mark.parametrize(
    ("namespace", "reference"),
    [
        ("bank", "ssm:/shop/key"),
        ("shop", "ssm:/shopping/key"),
        ("shop", "ssm:/shop"),
        ("shop", "ssm:/Shop/key"),
        ("shop", "ssm:/other/shop/key"),
        ("shop", "secretsmanager:/shop/db"),
        ("shop", "secretsmanager:shopping/db"),
        ("shop", "ssm:/minutehand/bank/key"),
        ("shop", "secretsmanager:shared"),
        ("bank", "secretsmanager:shared/key"),
        ("bank", "secretsmanager:shared2"),
        ("shops", "ssm:/shop/key"),
    ],
)
def test_any_other_secret_is_refused_with_what_is_allowed(namespace: str, reference: str) -> None:
    refused = refusal(PREFIXES, SecretReference.parse(reference), namespace)
    assert refused is not None
    message, hint = refused
    assert message == f"jobs of the namespace {namespace} may not use the secret {reference}"
    assert f"ssm:/minutehand/{namespace}/" in hint
    assert "SecretPrefixes" in hint


def test_without_a_setting_no_secret_is_allowed() -> None:
    assert not parse_prefixes(" , ")
    refused = refusal((), SecretReference.parse("ssm:/shop/key"), "shop")
    assert refused is not None
    assert refused[1].startswith("none is allowed; the operator")


REFUSED = {
    "shop": "names no namespace",
    "Shop=ssm:/shop/": "'Shop' in 'Shop=ssm:/shop/' is no namespace",
    "=ssm:/shop/": "'' in '=ssm:/shop/' is no namespace",
    "shop=/shop/": "'/shop/' in 'shop=/shop/' is no store",
    "shop=SSM:/shop/": "'SSM' in 'shop=SSM:/shop/' is no store",
    "shop=ssm:shop/": "begins with /",
    "shop=ssm:/": "begins with /",
    "shop=ssm://shop/": "is empty",
    "shop=ssm:/shop//": "is empty",
    "shop=ssm:/shop/../": "'..' is no part of a name",
    "shop=ssm:/shop/*": "'*' is not allowed",
    "shop=ssm:/{name}/": "'{' is not allowed",
    "shop=secretsmanager:": "is empty",
    "shop=secretsmanager:arn:aws:secretsmanager:eu-west-1:111122223333:secret:shop/": "no ARN",
}


@pytest.mark.parametrize("text", REFUSED)
def test_an_entry_that_cannot_be_read_is_refused_and_so_it_is_before_a_deployment(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(REFUSED[text])):
        parse_prefixes(f"bank=ssm:/bank/,{text}")
    assert not re.fullmatch(MAIN["Parameters"]["SecretPrefixes"]["AllowedPattern"], text)


@given(st.lists(st.sampled_from(["*", "a", "B", "=", "ssm", ":", "/", ".", "{namespace}", "secretsmanager", ",", "@"])))
def test_what_a_deployment_accepts_is_read_when_a_function_starts(parts: list[str]) -> None:
    text = "".join(parts)
    if re.fullmatch(MAIN["Parameters"]["SecretPrefixes"]["AllowedPattern"], text):
        assert bool(parse_prefixes(text)) == bool(text)


@given(st.text(alphabet="/.sShop{}:%", max_size=12))
def test_no_spelling_leads_out_of_a_prefix(rest: str) -> None:
    try:
        reference = SecretReference.parse(f"ssm:/shop{rest}")
    except Refused:
        return
    inside = reference.name.startswith("/shop/") and not {"", ".", ".."} & {*reference.name.split("/")[1:]}
    assert may("shop", str(reference)) == inside
