"""Who the claims of a JWT are about, and what that person may do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.caller import CallerKind, Grant
from minutehand.domain.errors import Unidentified
from minutehand.domain.oidc import LONGEST_NAME, OidcTerms, person_of
from minutehand.domain.role_map import parse_role_map
from minutehand.domain.token import Role
from tests.support.issuer import AUDIENCE, NOW, URL, claims

ROLES = parse_role_map("platform=admin:*;team-a=operator:team-a;team-b=viewer:team-b")
TERMS = OidcTerms(URL, (AUDIENCE, "cli"), ROLES)
AT = int(NOW.timestamp())


def test_a_person_is_named_by_a_verified_address_and_the_issuer() -> None:
    ada = person_of(claims(), TERMS, NOW)
    assert (ada.name, ada.kind) == (f"ada@example.com ({URL})", CallerKind.PERSON)
    assert ada.grants == (Grant(Role.OPERATOR, ("team-a",)),)


@pytest.mark.parametrize("verified", [None, False, "true", 1])
def test_an_address_that_the_issuer_has_not_verified_names_nobody(verified: object) -> None:
    assert person_of(claims(email_verified=verified), TERMS, NOW).name == f"u-4711 ({URL})"


def test_another_claim_may_name_people() -> None:
    terms = TERMS._replace(name_claim="preferred_username")
    assert person_of(claims(preferred_username="ada"), terms, NOW).name == f"ada ({URL})"
    assert person_of(claims(preferred_username=["ada"]), terms, NOW).name == f"u-4711 ({URL})"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb", "a?b"),
        ("mallory (https://other)", "mallory ?https://other?"),
        ("x" * 500, "x" * LONGEST_NAME),
        ("\u202etxt", "?txt"),
        ("", "?"),
        ("   ", "?"),
    ],
)
def test_a_name_is_one_short_line_that_cannot_pretend_to_be_of_another_issuer(name: str, shown: str) -> None:
    terms = TERMS._replace(name_claim="nickname")
    assert person_of(claims(nickname=name), terms, NOW).name == f"{shown} ({URL})"


def test_people_are_told_apart_by_their_subject_and_not_by_their_name() -> None:
    one, other = person_of(claims(), TERMS, NOW), person_of(claims(sub="u-4712"), TERMS, NOW)
    assert one.name == other.name
    assert one.digest != other.digest


@pytest.mark.parametrize(
    ("groups", "grants"),
    [
        (["team-a", "team-b"], 2),
        (["TEAM-A", "team"], 0),
        ("team-a", 1),
        ("team-a team-b", 0),
        (None, 0),
        ([], 0),
        ([["team-a"], {"team-a": 1}, 3, None], 0),
        ({"team-a": True}, 0),
        (True, 0),
    ],
)
def test_the_groups_of_a_person_decide_about_roles(groups: object, grants: int) -> None:
    assert len(person_of(claims(groups=groups), TERMS, NOW).grants) == grants


@pytest.mark.parametrize(
    ("claim", "given"),
    [
        ("realm_access.roles", {"realm_access": {"roles": ["team-a"]}}),
        ("https://example.com/groups", {"https://example.com/groups": ["team-a"]}),
        ("scope", {"scope": "openid team-a email"}),
        ("scp", {"scp": ["openid", "team-a"]}),
    ],
)
def test_groups_may_be_in_another_claim_or_within_one(claim: str, given: dict[str, Any]) -> None:
    terms = TERMS._replace(roles_claim=claim)
    assert len(person_of(claims(groups=None, **given), terms, NOW).grants) == 1
    assert not person_of(claims(realm_access="x", scope=3), terms, NOW).grants


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"iss": "https://evil.example.com"}, "is of the issuer 'https://evil.example.com'; this stack accepts"),
        ({"iss": f"{URL}/"}, "is of the issuer"),
        ({"iss": None}, "is of the issuer None"),
        ({"aud": "another-service"}, "is for the audience 'another-service'; this stack accepts 'minutehand' or 'cli'"),
        ({"aud": ["a", 3]}, "is for the audience"),
        ({"aud": []}, "is for the audience"),
        ({"aud": None}, "is for the audience None"),
        ({"aud": {"minutehand": 1}}, "is for the audience"),
        ({"exp": AT - 60}, "has expired"),
        ({"exp": None}, "no claim 'exp' that is a number"),
        ({"exp": str(AT + 60)}, "no claim 'exp' that is a number"),
        ({"exp": True}, "no claim 'exp' that is a number"),
        ({"exp": float("nan")}, "no claim 'exp' that is a number"),
        ({"exp": float("inf")}, "no claim 'exp' that is a number"),
        ({"exp": 10**400}, "no claim 'exp' that is a number"),
        ({"nbf": AT + 61}, "is not valid yet: its claim 'nbf'"),
        ({"iat": AT + 61}, "is not valid yet: its claim 'iat'"),
        ({"nbf": "now"}, "no claim 'nbf' that is a number"),
        ({"sub": None}, "no claim 'sub'"),
        ({"sub": ""}, "no claim 'sub'"),
        ({"sub": 5}, "no claim 'sub'"),
        ({"sub": "x" * 256}, "no claim 'sub'"),
    ],
)
def test_claims_that_do_not_hold_are_refused_with_the_reason(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unidentified) as refused:
        person_of(claims(**changed), TERMS, NOW)
    assert reason in str(refused.value)


def test_clocks_may_differ_by_the_skew() -> None:
    assert person_of(claims(exp=AT - 59), TERMS, NOW)
    assert person_of(claims(nbf=AT + 60, iat=AT + 60), TERMS, NOW)
    exact = TERMS._replace(skew=timedelta(0))
    for changed in ({"exp": AT}, {"nbf": AT + 1}):
        with pytest.raises(Unidentified):
            person_of(claims(**changed), exact, NOW)


def test_one_of_several_audiences_is_enough() -> None:
    assert person_of(claims(aud=["another-service", "cli"]), TERMS, NOW)
