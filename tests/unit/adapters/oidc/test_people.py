"""JWTs with real keys: which are accepted, and every attack that is not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from minutehand.adapters.oidc.issuer_keys import IssuerKeys
from minutehand.adapters.oidc.people import ALGORITHMS, LONGEST_JWT, People
from minutehand.domain.errors import IssuerUnavailable, Unidentified
from minutehand.domain.oidc import OidcTerms
from minutehand.domain.role_map import parse_role_map
from tests.support.issuer import AUDIENCE, NOW, URL, Issuer, claims, private_key, public_jwk, signed


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def people(issuer: Issuer) -> People:
    return People(OidcTerms(URL, (AUDIENCE,), parse_role_map("team-a=operator:team-a")), IssuerKeys(URL, issuer))


def _part(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _raw(header: object, payload: object, signature: bytes = b"x" * 256) -> str:
    return ".".join([_part(header), _part(payload), _part(signature)])


def _hmac_with_the_public_key() -> str:
    """The classic confusion: HS256 with the text of the public key as its secret."""
    secret = private_key("RSA").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    body = f"{_part({'alg': 'HS256', 'kid': 'k1'})}.{_part(claims())}"
    return f"{body}.{_part(hmac.new(secret, body.encode(), hashlib.sha256).digest())}"


def _altered(**changed: Any) -> str:
    header, _, signature = signed().split(".")
    return f"{header}.{_part(claims(**changed))}.{signature}"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_jwt_with_a_key_of_the_issuer_identifies_a_person(people: People, issuer: Issuer, algorithm: str) -> None:
    kty, curve = ALGORITHMS[algorithm]
    key = private_key(curve or kty)
    issuer.keys = [public_jwk(key, kid="k9")]
    assert people.identify(signed(key=key, algorithm=algorithm, kid="k9"), NOW).name == f"ada@example.com ({URL})"


ATTACKS: dict[str, tuple[Callable[[], str], str]] = {
    "alg none": (lambda: _raw({"alg": "none", "kid": "k1"}, claims(), b""), "algorithm is 'none'"),
    "alg None": (lambda: _raw({"alg": "None", "kid": "k1"}, claims()), "algorithm is 'None'"),
    "no alg": (lambda: _raw({"kid": "k1"}, claims()), "algorithm is None"),
    "alg is a list": (lambda: _raw({"alg": ["RS256"], "kid": "k1"}, claims()), "algorithm is ['RS256']"),
    "HS256 with the public key": (_hmac_with_the_public_key, "algorithm is 'HS256'"),
    "an algorithm of another key type": (
        lambda: signed(key=private_key("P-256"), algorithm="ES256"),
        "is not one for signatures with ES256",
    ),
    "another algorithm than the key's": (lambda: signed(algorithm="PS256"), "is not one for signatures with PS256"),
    "somebody else's key under a known id": (lambda: signed(key=private_key("RSA", 1)), "Signature verification"),
    "a key in the header": (
        lambda: signed(
            key=private_key("RSA", 1), jwk=public_jwk(private_key("RSA", 1)), jku="https://evil.example.com"
        ),
        "Signature verification",
    ),
    "an unknown key": (lambda: signed(kid="k2"), "'k2' is not among those of the issuer"),
    "no kid": (lambda: signed(kid=None), "names no key ('kid')"),
    "an empty kid": (lambda: signed(kid=""), "names no key ('kid')"),
    "a long kid": (lambda: signed(kid="k" * 300), "names no key ('kid')"),
    "a kid that is a number": (lambda: _raw({"alg": "RS256", "kid": 1}, claims()), "its form or its header is wrong"),
    "critical extensions": (lambda: signed(crit=["exp"]), "its form or its header is wrong"),
    "an unencoded payload": (
        lambda: _raw({"alg": "RS256", "kid": "k1", "b64": False}, claims()),
        "its form or its header is wrong",
    ),
    "changed claims": (lambda: _altered(groups=["platform"]), "Signature verification"),
    "no signature": (lambda: signed().rpartition(".")[0] + ".", "Signature verification"),
    "claims that are no object": (lambda: signed_text(b"[]"), "must be a json object"),
    "claims that are no JSON": (lambda: signed_text(b"{"), "refused"),
    "claims of deep nesting": (lambda: signed_text(b'{"a":' + b"[" * 2_000), "refused"),
    "a header of deep nesting": (
        lambda: _part(b'{"a":' + b"[" * 5_000) + ".e30.AAAA",
        "its form or its header is wrong",
    ),
    "a header that is no object": (lambda: f"{_part([])}.e30.AAAA", "its form or its header is wrong"),
    "one part": (lambda: "eyJhbGciOiJSUzI1NiJ9", "its form or its header is wrong"),
    "four parts": (lambda: signed() + ".x", "its form or its header is wrong"),
    "an encrypted JWT": (lambda: signed() + "..x", "its form or its header is wrong"),
    "a huge one": (lambda: signed(claims(padding="x" * LONGEST_JWT)), "8192 is the most"),
    "no expiry": (lambda: signed(claims(exp=None)), 'missing the "exp" claim'),
    "no time of issue": (lambda: signed(claims(iat=None)), 'missing the "iat" claim'),
    "no audience": (lambda: signed(claims(aud=None)), 'missing the "aud" claim'),
    "another audience": (lambda: signed(claims(aud="other")), "is for the audience 'other'"),
    "another issuer": (lambda: signed(claims(iss="https://evil.example.com")), "is of the issuer"),
    "expired": (lambda: signed(claims(exp=int(NOW.timestamp()) - 3600)), "has expired"),
    "not yet valid": (lambda: signed(claims(nbf=int(NOW.timestamp()) + 3600)), "is not valid yet"),
}


def signed_text(payload: bytes) -> str:
    """A correctly signed JWS whose payload is any text."""
    import jwt  # noqa: PLC0415 - only this needs it

    return jwt.api_jws.encode(payload, private_key("RSA"), "RS256", headers={"kid": "k1"})


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_with_the_reason(people: People, attack: str) -> None:
    forged, reason = ATTACKS[attack]
    with pytest.raises(Unidentified) as refused:
        people.identify(forged(), NOW)
    assert reason in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "fields",
    [
        {"use": "enc"},
        {"key_ops": ["encrypt"]},
        {"key_ops": "verify"},
        {"kty": "oct", "k": "AAAA"},
        {"alg": "RSA-OAEP"},
        {"d": "AAAA"},
        {"n": 5},
        {"n": "!!"},
        {"e": "AQ"},
        {"n": None},
    ],
)
def test_a_key_that_is_not_for_signatures_is_not_used(people: People, issuer: Issuer, fields: dict[str, Any]) -> None:
    issuer.keys = [public_jwk(private_key("RSA"), kid="k1") | fields]
    with pytest.raises(Unidentified, match="key"):
        people.identify(signed(), NOW)


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_a_short_rsa_key_is_not_used(people: People, issuer: Issuer) -> None:
    issuer.keys = [public_jwk(private_key("RSA1024"), kid="k1")]
    with pytest.raises(Unidentified, match="too short"):
        people.identify(signed(key=private_key("RSA1024")), NOW)


def test_a_curve_of_another_algorithm_is_not_used(people: People, issuer: Issuer) -> None:
    issuer.keys = [public_jwk(private_key("P-384"), kid="k1")]
    with pytest.raises(Unidentified, match="is not one for signatures with ES256"):
        people.identify(signed(key=private_key("P-256"), algorithm="ES256"), NOW)


def test_without_the_issuers_keys_nobody_is_identified_and_the_error_says_why(people: People, issuer: Issuer) -> None:
    issuer.down = True
    with pytest.raises(IssuerUnavailable, match="the OIDC issuer does not answer at"):
        people.identify(signed(), NOW)
