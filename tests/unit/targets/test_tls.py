"""HTTPS: verified certificates, and the time limit during the handshake."""

import ssl
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from minutehand.domain.run import Result, RunState
from minutehand.targets.http.caller import HttpCaller
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_limits import LIMIT, PATIENT, timed_out


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A self-signed certificate for 127.0.0.1 and good.example."""

    pem: Path
    server: ssl.SSLContext


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    key_id = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    made = (
        x509.CertificateBuilder(subject_name=name, issuer_name=name, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("good.example"), x509.IPAddress(ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(key_id, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(key_id), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    pem, secret = folder / "certificate.pem", folder / "key.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem, secret)
    return Certificate(pem=pem, server=server)


@pytest.fixture
def trusted(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> Certificate:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.pem))
    return certificate


def test_a_trusted_certificate_is_accepted(serve: Serve, trusted: Certificate) -> None:
    server = serve(answering(response(b"over TLS")), tls=trusted.server)
    outcome = call(server.url(), payload={"a": 1})
    assert outcome.error is None
    assert outcome.result == Result(type="http", status=200, body="over TLS")
    assert server.request.endswith('{"a":1}')


def test_the_certificate_is_checked_against_the_name_not_the_address(serve: Serve, trusted: Certificate) -> None:
    server = serve(answering(response()), tls=trusted.server)
    caller = HttpCaller(allow_loopback=True, lookup=lambda host: ["127.0.0.1"])
    assert call(server.url(host="good.example"), caller=caller).state is RunState.SUCCEEDED
    outcome = call(server.url(host="bad.example"), caller=caller)
    assert outcome.error is not None
    assert outcome.error.type == "CertificateInvalid"
    assert "bad.example" in outcome.error.message


def test_an_untrusted_certificate_is_refused(serve: Serve, certificate: Certificate) -> None:
    server = serve(answering(response()), tls=certificate.server)
    outcome = call(server.url())
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "CertificateInvalid"
    assert "self-signed certificate" in outcome.error.message
    assert "SSLCertVerificationError" in outcome.error.stack
    assert not server.requests


def test_a_server_that_does_not_speak_tls(serve: Serve) -> None:
    server = serve(lambda peer: peer.send(response()))
    outcome = call(server.url().replace("http://", "https://"))
    assert outcome.error is not None
    assert outcome.error.type == "TlsFailed"
    assert "does it serve https?" in outcome.error.message


@pytest.mark.slow
def test_a_handshake_that_never_ends(serve: Serve) -> None:
    server = serve(Peer.stay_silent)
    message = timed_out(call(server.url().replace("http://", "https://"), timeout=LIMIT))
    assert "during the TLS handshake" in message


@pytest.mark.slow
def test_a_handshake_that_arrives_byte_by_byte(serve: Serve) -> None:
    # The head of a TLS record that claims 8 KB to come.
    server = serve(lambda peer: peer.drip(b"\x16\x03\x03\x20\x00" + b"\0" * 8192))
    timed_out(call(server.url().replace("http://", "https://"), timeout=LIMIT))


@pytest.mark.slow
def test_an_answer_over_tls_that_arrives_byte_by_byte(serve: Serve, trusted: Certificate) -> None:
    server = serve(lambda peer: peer.drip(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 90), tls=trusted.server)
    assert "waiting for the answer" in timed_out(call(server.url(), timeout=LIMIT))


@pytest.mark.slow
def test_a_server_that_does_not_read_over_tls(serve: Serve, trusted: Certificate) -> None:
    server = serve(Peer.stay_silent, tls=trusted.server)
    assert "sending" in timed_out(call(server.url(), payload="x" * 20_000_000, timeout=PATIENT), PATIENT)


@pytest.mark.slow
def test_a_server_that_reads_slowly_over_tls(serve: Serve, trusted: Certificate) -> None:
    def script(peer: Peer) -> None:
        while not peer.over.wait(0.01):
            peer.connection.recv(10_000)

    server = serve(script, tls=trusted.server)
    assert "sending" in timed_out(call(server.url(), payload="x" * 20_000_000, timeout=PATIENT), PATIENT)


def test_a_body_that_breaks_off_over_tls(serve: Serve, trusted: Certificate) -> None:
    server = serve(answering(response(b"half", length=8)), tls=trusted.server)
    outcome = call(server.url())
    assert outcome.error is not None
    assert outcome.error.type == "ConnectionLost"


def test_checking_for_cancellation_over_tls_loses_no_data(
    serve: Serve, trusted: Certificate, quick_checks: None
) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.drip(response(b"slowly but surely"))

    outcome = call(serve(script, tls=trusted.server).url(), payload="x" * 3_000_000)
    assert outcome.result == Result(type="http", status=200, body="slowly but surely")


def test_a_call_over_tls_ends_when_the_run_is_cancelled(serve: Serve, trusted: Certificate, quick_checks: None) -> None:
    asked = threading.Event()

    def script(peer: Peer) -> None:
        peer.read_request()
        asked.set()
        peer.stay_silent()

    outcome = call(serve(script, tls=trusted.server).url(), cancelled=asked.is_set)
    assert outcome.state is RunState.CANCELLED
