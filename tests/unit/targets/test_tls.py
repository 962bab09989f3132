"""HTTPS: verified certificates, and the time limit during the handshake."""

import ssl
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme

from minutehand.domain.declaration.field import Refused
from minutehand.domain.run import Result, RunState
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.fields import Tls
from minutehand.targets.http.texts import check_certificates
from minutehand.targets.http.tls import Contexts
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_limits import LIMIT, PATIENT, timed_out


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A certificate of a test authority for 127.0.0.1 and good.example.

    Attributes:
        authority: the authority's own certificate, in PEM.
        pem: the file with it.
    """

    authority: str
    pem: Path
    server: ssl.SSLContext


def issued(folder: Path) -> Certificate:
    """A certificate of a new authority."""
    authority = trustme.CA()
    pem = folder / "authority.pem"
    authority.cert_pem.write_to_path(str(pem))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "good.example").configure_cert(server)
    return Certificate(authority=authority.cert_pem.bytes().decode(), pem=pem, server=server)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return issued(tmp_path_factory.mktemp("tls"))


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
    assert "unable to get local issuer certificate" in outcome.error.message
    assert "SSLCertVerificationError" in outcome.error.stack
    assert not server.requests


def test_a_job_may_trust_an_authority_of_its_own(serve: Serve, certificate: Certificate, tmp_path: Path) -> None:
    server = serve(answering(response(b"over TLS")), tls=certificate.server)
    several = issued(tmp_path).authority + "a comment\n" + certificate.authority
    for ca in (certificate.authority, several):
        outcome = call(server.url(host="good.example"), caller=_here(), tls=Tls(ca=ca))
        assert outcome.result == Result(type="http", status=200, body="over TLS")


def test_an_authority_of_a_job_vouches_neither_for_other_names_nor_other_authorities(
    serve: Serve, certificate: Certificate, tmp_path: Path
) -> None:
    server = serve(answering(response()), tls=certificate.server)
    for host, ca in (("bad.example", certificate.authority), ("good.example", issued(tmp_path).authority)):
        outcome = call(server.url(host=host), caller=_here(), tls=Tls(ca=ca))
        assert outcome.error is not None
        assert outcome.error.type == "CertificateInvalid"


def test_an_authority_of_one_job_is_not_trusted_by_another_through_a_kept_connection(
    serve: Serve, certificate: Certificate
) -> None:
    def script(peer: Peer) -> None:
        while True:
            peer.read_request()
            peer.send(response(headers="Connection: keep-alive"))

    server, caller = serve(script, tls=certificate.server), _here()
    trusting = Tls(ca=certificate.authority)
    assert call(server.url(), caller=caller, tls=trusting).state is RunState.SUCCEEDED
    outcome = call(server.url(), caller=caller)
    assert outcome.error is not None
    assert outcome.error.type == "CertificateInvalid"
    assert call(server.url(), caller=caller, tls=trusting).state is RunState.SUCCEEDED
    assert server.connections == 2


def test_the_authorities_of_the_system_stay_trusted(serve: Serve, trusted: Certificate, tmp_path: Path) -> None:
    server = serve(answering(response()), tls=trusted.server)
    assert call(server.url(), tls=Tls(ca=issued(tmp_path).authority)).state is RunState.SUCCEEDED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no certificate", "no certificate begins in this"),
        ("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "cannot be read as certificates"),
        ("-----BEGIN CERTIFICATE-----\nü\n-----END CERTIFICATE-----\n", "cannot be read as certificates"),
        ("-----BEGIN CERTIFICATE-----\n", "cannot be read as certificates"),
        ("-----BEGIN EC PRIVATE KEY-----\n", "contains EC PRIVATE KEY"),
    ],
)
def test_what_is_no_certificate_is_refused(text: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        check_certificates(text)
    assert said in refused.value.message
    assert refused.value.hint


@pytest.mark.thorough
def test_settings_are_made_once_for_each_set_of_authorities(certificate: Certificate, tmp_path: Path) -> None:
    contexts, others = Contexts(), [issued(tmp_path).authority for _ in range(16)]
    first = contexts.of(certificate.authority)
    assert contexts.of(certificate.authority) is first
    assert contexts.of("") is not first
    for each in others:
        assert contexts.of(each)
    assert contexts.of(certificate.authority) is not first, "only those used last are kept"


def _here() -> HttpCaller:
    """A caller for whom every name is on this machine."""
    return HttpCaller(allow_loopback=True, lookup=lambda host: ["127.0.0.1"])


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


@pytest.mark.thorough
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
