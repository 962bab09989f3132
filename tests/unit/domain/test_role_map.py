"""Role maps, and what they give to groups of people and to principals of AWS."""

from __future__ import annotations

import pytest

from minutehand.domain.caller import Grant
from minutehand.domain.role_map import grants_of_groups, grants_of_principal, parse_principals, parse_role_map
from minutehand.domain.token import Role

ACCOUNT = "111122223333"
SESSION = f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy/ci-42"
USER = f"arn:aws:iam::{ACCOUNT}:user/ops/ada"


def test_a_role_map_gives_roles_to_groups() -> None:
    entries = parse_role_map("platform=admin:*; team a=operator:team-a,team-a-test;cn=x,ou=y=viewer:shop")
    assert [entry.name for entry in entries] == ["platform", "team a", "cn=x,ou=y"]
    assert grants_of_groups(entries, {"team a", "platform"}) == (
        Grant(Role.ADMIN, ("*",)),
        Grant(Role.OPERATOR, ("team-a", "team-a-test")),
    )
    assert grants_of_groups(entries, {"Platform", "team", "*", ""}) == ()


@pytest.mark.parametrize(
    "text",
    ["platform", "platform=owner:*", "platform=admin", "platform=admin:", "=admin:*", "a=admin:*,b", "a=admin:B", "a=admin:b,"],
)  # fmt: skip
def test_any_other_text_is_refused_with_what_would_be_right(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not NAME=ROLE:NAMESPACES; write such as platform=admin:\*"):
        parse_role_map(text)


@pytest.mark.parametrize(
    ("pattern", "arn", "matches"),
    [
        (SESSION, SESSION, True),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy/*", SESSION, True),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy/ci-??", SESSION, True),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/dep*/*", SESSION, True),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/*", SESSION, False),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy", SESSION, False),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/*/ci-42", SESSION.replace("deploy", "deploy/x"), False),
        (f"arn:aws:iam::{ACCOUNT}:role/deploy", SESSION, True),
        (f"arn:aws:iam::{ACCOUNT}:role/ci/paths/deploy", SESSION, True),
        (f"arn:aws:iam::{ACCOUNT}:role/dep*", SESSION, True),
        (f"arn:aws:iam::{ACCOUNT}:role/deplo?", SESSION, True),
        (f"arn:aws:iam::{ACCOUNT}:role/ops-*", SESSION, False),
        (f"arn:aws:iam::{ACCOUNT}:role/deploy", SESSION.replace("deploy", "deployer"), False),
        (f"arn:aws:iam::{ACCOUNT}:role/deploy", SESSION.replace("1111", "2222"), False),
        (f"arn:aws-cn:iam::{ACCOUNT}:role/deploy", SESSION, False),
        (f"arn:aws:iam::{ACCOUNT}:user/ops/*", USER, True),
        (f"arn:aws:iam::{ACCOUNT}:user/*", USER, False),
        (f"arn:aws:iam::{ACCOUNT}:user/ops/ada", USER + "x", False),
        (f"arn:aws:iam::{ACCOUNT}:user/ops/ada", "x" + USER, False),
        (f"arn:aws:iam::{ACCOUNT}:user/ops.ada", USER, False),
        (f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws:iam::{ACCOUNT}:root", True),
        (f"arn:aws:iam::{ACCOUNT}:root", USER, False),
        (SESSION, SESSION + "\n", False),
    ],
)
def test_a_pattern_matches_whole_parts_of_an_arn(pattern: str, arn: str, matches: bool) -> None:
    entries = parse_principals(f"{pattern}=viewer:shop")
    assert bool(grants_of_principal(entries, arn)) is matches


def test_a_principal_has_the_roles_of_all_entries_that_match_it() -> None:
    entries = parse_principals(f"arn:aws:iam::{ACCOUNT}:role/deploy=admin:shop;{SESSION}=viewer:*;{USER}=admin:*")
    assert grants_of_principal(entries, SESSION) == (Grant(Role.ADMIN, ("shop",)), Grant(Role.VIEWER, ("*",)))


@pytest.mark.parametrize(
    "name", ["deploy", "*", "arn:aws:iam::*:role/deploy", "arn:aws:s3:::bucket", "arn:aws:iam::1111:role/deploy"]
)
def test_only_arns_with_an_account_are_names_of_principals(name: str) -> None:
    with pytest.raises(ValueError, match="is not the ARN of a principal"):
        parse_principals(f"{name}=admin:*")


@pytest.mark.parametrize("named", ["ops/*", "*/deploy", "aws-reserved/*", "a/?/deploy", "ops/deploy-*", "*/*"])
def test_a_role_below_a_path_is_named_in_full_since_a_session_has_no_path(named: str) -> None:
    with pytest.raises(
        ValueError, match=r"a role below a path must be named in full; write such as .*:role/ops/deploy"
    ):
        parse_principals(f"arn:aws:iam::{ACCOUNT}:role/{named}=admin:*")
