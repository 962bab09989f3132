"""What a caller may do: the union of its grants."""

from __future__ import annotations

import pytest

from minutehand.domain.caller import NOBODY, Caller, CallerKind, Grant
from minutehand.domain.token import EVERYWHERE, Role, Token


def holder(role: Role, *namespaces: str) -> Caller:
    return Caller.of(Token(digest="x", name="ci", role=role, namespaces=namespaces))


def person(*grants: Grant) -> Caller:
    return Caller(digest="y", name="ada (https://id)", kind=CallerKind.PERSON, grants=grants)


@pytest.mark.parametrize(
    ("namespaces", "namespace", "allowed"),
    [
        (("shop",), "shop", True),
        (("shop", "bank"), "bank", True),
        (("shop",), "shopping", False),
        (("*",), "anything", True),
        ((), "shop", False),
    ],
)
def test_a_token_counts_in_its_own_namespaces(namespaces: tuple[str, ...], namespace: str, allowed: bool) -> None:
    caller = holder(Role.OPERATOR, *namespaces)
    assert caller.may(Role.VIEWER, namespace) is allowed
    assert not caller.may(Role.ADMIN, namespace), "its role counts too"


@pytest.mark.parametrize(
    ("own", "wanted", "all_managed"),
    [
        (("*",), ("*",), True),
        (("*",), ("a", "b"), True),
        (("a", "b"), ("b",), True),
        (("a", "b"), ("a", "c"), False),
        (("a",), ("*",), False),
    ],
)
def test_an_admin_manages_its_own_namespaces(own: tuple[str, ...], wanted: tuple[str, ...], all_managed: bool) -> None:
    assert holder(Role.ADMIN, *own).manages(wanted) is all_managed


def test_each_role_of_a_person_counts_in_its_own_namespaces_alone() -> None:
    ada = person(Grant(Role.ADMIN, ("a",)), Grant(Role.VIEWER, ("b",)), Grant(Role.AGENT, ("c",)))
    assert ada.may(Role.ADMIN, "a")
    assert ada.may(Role.VIEWER, "b")
    assert not ada.may(Role.OPERATOR, "b")
    assert not ada.may(Role.VIEWER, "c")
    assert not ada.may(Role.VIEWER, EVERYWHERE)
    assert ada.may_somewhere(Role.ADMIN)


def test_an_admin_of_one_namespace_manages_no_other_that_it_may_only_see() -> None:
    assert not person(Grant(Role.ADMIN, ("a",)), Grant(Role.VIEWER, ("*",))).manages(["a", "b"])


def test_nobody_may_do_nothing() -> None:
    assert not any(NOBODY.may_somewhere(role) for role in Role)


def test_callers_of_different_kinds_are_named_differently() -> None:
    principal = Caller("z", "arn:aws:iam::111122223333:user/ada", CallerKind.PRINCIPAL, ())
    assert [str(each) for each in (holder(Role.VIEWER), person(), principal)] == [
        "the token 'ci'",
        "'ada (https://id)'",
        "the principal 'arn:aws:iam::111122223333:user/ada'",
    ]
