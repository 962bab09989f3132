"""The keys of an issuer: kept, read again, and kept while it does not answer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.oidc.issuer_keys import KEPT, MOST_KEYS, PAUSE, READ_AGAIN_AFTER, IssuerKeys
from minutehand.domain.errors import IssuerUnavailable
from tests.support.issuer import NOW, URL, Issuer, private_key, public_jwk

SECOND = timedelta(seconds=1)
A_READING = [f"{URL}/.well-known/openid-configuration", f"{URL}/certs"]


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def keys(issuer: Issuer) -> IssuerKeys:
    return IssuerKeys(URL, issuer)


def _listed(kid: str) -> dict[str, Any]:
    return public_jwk(private_key("P-256"), kid=kid)


def test_keys_are_read_when_the_first_is_needed_and_then_kept(keys: IssuerKeys, issuer: Issuer) -> None:
    assert issuer.read_at == []
    for after in (timedelta(0), SECOND, READ_AGAIN_AFTER - SECOND):
        assert keys.get("k1", NOW + after) is not None
    assert issuer.read_at == A_READING


def test_keys_are_read_again_after_a_while_so_that_a_withdrawn_one_no_longer_counts(
    keys: IssuerKeys, issuer: Issuer
) -> None:
    keys.get("k1", NOW)
    issuer.keys = [_listed("k2")]
    assert keys.get("k1", NOW + READ_AGAIN_AFTER - SECOND) is not None
    assert keys.get("k1", NOW + READ_AGAIN_AFTER) is None


def test_a_new_key_counts_as_soon_as_it_is_used(keys: IssuerKeys, issuer: Issuer) -> None:
    keys.get("k1", NOW)
    issuer.keys.append(_listed("k2"))
    assert keys.get("k2", NOW + PAUSE) is not None
    assert keys.get("k1", NOW + PAUSE) is not None


def test_unknown_keys_make_a_reading_twice_a_minute_at_most(keys: IssuerKeys, issuer: Issuer) -> None:
    for seconds in range(120):
        assert keys.get(f"invented-{seconds}", NOW + seconds * SECOND) is None
    assert issuer.read_at == A_READING * 4


def test_known_keys_serve_while_the_issuer_does_not_answer(keys: IssuerKeys, issuer: Issuer) -> None:
    keys.get("k1", NOW)
    issuer.down = True
    for after in (READ_AGAIN_AFTER, KEPT - SECOND):
        assert keys.get("k1", NOW + after) is not None
    with pytest.raises(IssuerUnavailable, match="does not answer at"):
        keys.get("k1", NOW + KEPT)


def test_an_issuer_that_does_not_answer_is_asked_twice_a_minute_at_most(keys: IssuerKeys, issuer: Issuer) -> None:
    issuer.down = True
    for seconds in range(60):
        with pytest.raises(IssuerUnavailable, match="does not answer"):
            keys.get("k1", NOW + seconds * SECOND)
    assert len(issuer.read_at) == 2
    issuer.down = False
    assert keys.get("k1", NOW + 2 * PAUSE) is not None


def test_a_clock_that_goes_backwards_keeps_nothing_from_being_read(keys: IssuerKeys, issuer: Issuer) -> None:
    keys.get("k1", NOW + timedelta(days=1))
    issuer.keys = [_listed("k2")]
    assert keys.get("k2", NOW) is not None


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"issuer": "https://evil.example.com"}, "is of the issuer 'https://evil.example.com'"),
        ({"issuer": f"{URL}/"}, "the parameter OidcIssuer must be this text"),
        ({"issuer": None}, "is of the issuer None"),
        ({"jwks_uri": None}, "names no keys"),
        ({"jwks_uri": 3}, "names no keys"),
    ],
)
def test_a_description_that_is_not_the_issuers_is_refused(
    keys: IssuerKeys, issuer: Issuer, changed: dict[str, Any], reason: str
) -> None:
    issuer.described |= changed
    with pytest.raises(IssuerUnavailable) as refused:
        keys.get("k1", NOW)
    assert reason in str(refused.value)


@pytest.mark.parametrize("listed", [None, {}, "k1", 3])
def test_a_list_of_keys_that_is_none_is_refused(keys: IssuerKeys, issuer: Issuer, listed: Any) -> None:
    issuer.keys = listed
    with pytest.raises(IssuerUnavailable, match="lists no keys"):
        keys.get("k1", NOW)


def test_entries_that_are_no_keys_are_left_out(keys: IssuerKeys, issuer: Issuer) -> None:
    odd: list[Any] = [None, "k1", {}, {"kid": 5}, {"kid": None}]
    issuer.keys = odd + issuer.keys
    assert keys.get("k1", NOW) is not None


def test_of_a_long_list_the_first_hundred_keys_count(keys: IssuerKeys, issuer: Issuer) -> None:
    issuer.keys = [{"kid": f"k{number}", "kty": "RSA"} for number in range(MOST_KEYS + 1)]
    assert keys.get("k99", NOW) is not None
    assert keys.get("k100", NOW) is None


def test_the_address_of_an_issuer_may_end_with_a_slash(issuer: Issuer) -> None:
    url = f"{URL}/"
    issuer.described["issuer"] = url
    assert IssuerKeys(url, issuer).get("k1", datetime.fromisoformat("2026-11-20T12:00:00+00:00")) is not None
