"""An OIDC issuer with real keys, whose documents are read in memory or over HTTPS."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from minutehand.domain.errors import IssuerUnavailable

URL = "https://login.example.com/realms/staff"
AUDIENCE = "minutehand"
NOW = datetime(2026, 11, 20, 12, 0, 30, tzinfo=UTC)


@cache
def private_key(kind: str, number: int = 0) -> Any:
    """A private key: `RSA`, a curve, or `Ed25519`. Each number is another key."""
    if kind.startswith("RSA"):
        return rsa.generate_private_key(65537, int(kind.removeprefix("RSA") or 2048))
    if kind == "Ed25519":
        return ed25519.Ed25519PrivateKey.generate()
    curves = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1(), "P-521": ec.SECP521R1()}
    return ec.generate_private_key(curves[kind])


def public_jwk(key: Any, **fields: Any) -> dict[str, Any]:
    """The JSON Web Key of a key's public part."""
    kinds: Mapping[type, Any] = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    algorithm = next((each for kind, each in kinds.items() if isinstance(key, kind)), OKPAlgorithm)
    return json.loads(algorithm.to_jwk(key.public_key())) | {"use": "sig"} | fields


class Issuer:
    """The issuer.

    Attributes:
        keys: what it lists as its keys.
        described: its description.
        down: whether it answers nothing.
        read_at: the addresses that were read.
    """

    def __init__(self, url: str = URL) -> None:
        self.url = url
        self.keys = [public_jwk(private_key("RSA"), kid="k1", alg="RS256")]
        self.described: dict[str, Any] = {"issuer": url, "jwks_uri": f"{url}/certs"}
        self.down = False
        self.read_at: list[str] = []

    def read(self, url: str) -> Mapping[str, Any]:
        """One of its documents."""
        self.read_at.append(url)
        if self.down:
            raise IssuerUnavailable(f"the OIDC issuer does not answer at {url!r}")
        documents = {"/.well-known/openid-configuration": self.described, "/certs": {"keys": self.keys}}
        return documents[url.removeprefix(self.url)]


def claims(now: datetime = NOW, **changed: Any) -> dict[str, Any]:
    """The claims of a valid JWT; those that are changed to None are left out."""
    at = int(now.timestamp())
    every = {
        "iss": URL,
        "aud": AUDIENCE,
        "sub": "u-4711",
        "iat": at - 10,
        "exp": at + 3600,
        "email": "ada@example.com",
        "email_verified": True,
        "groups": ["team-a"],
    }
    return {name: value for name, value in (every | changed).items() if value is not None}


def signed(
    given: Mapping[str, Any] | None = None,
    *,
    key: Any = None,
    algorithm: str = "RS256",
    kid: str | None = "k1",
    **header: Any,
) -> str:
    """A signed JWT, by the first RSA key unless another is given."""
    headers = header | ({"kid": kid} if kid is not None else {})
    return jwt.encode(dict(given or claims()), key or private_key("RSA"), algorithm, headers=headers)


@contextmanager
def served(tls: ssl.SSLContext) -> Iterator[Issuer]:
    """An issuer that answers over HTTPS on loopback; while it is down, with 503."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Log nothing."""

        def do_GET(self) -> None:
            try:
                status, body = 200, json.dumps(issuer.read(f"{issuer.url}{self.path}")).encode()
            except IssuerUnavailable:
                status, body = 503, b"{}"
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    issuer = Issuer(f"https://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
