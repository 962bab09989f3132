"""Contexts whose requests are signed with AWS IAM: `login --iam`."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from minutehand.cli.contexts import Context, Place, contexts_file, read_contexts
from tests.support.api_server import TOKEN
from tests.support.signed_api import KEY, PRINCIPAL, SECRET, SignedApi
from tests.unit.cli.test_contexts import Keyring, run, stored


@pytest.fixture(autouse=True)
def _no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)


@pytest.fixture
def signing(monkeypatch: pytest.MonkeyPatch) -> Iterator[SignedApi]:
    """An API that asks for signatures, and credentials of AWS that it knows."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with SignedApi() as server:
        yield server


def test_a_context_may_sign_requests_instead_of_sending_a_token(signing: SignedApi) -> None:
    logged_in = run("login", "--iam", signing.url, "--name", "prod")
    assert logged_in.exit_code == 0, logged_in.stderr
    assert "requests are signed with AWS IAM" in logged_in.stdout
    assert PRINCIPAL in run("token", "whoami").stdout
    assert all(request.headers["authorization"].startswith("AWS4-") for request in signing.requests)
    assert run("context", "list").stdout.splitlines()[-1].split()[-1] == "iam"
    assert "stays valid" not in run("logout").stderr
    assert "context prod has no token" in run("token", "whoami").stderr


def test_a_context_that_signs_forgets_the_token_that_it_had(
    signing: SignedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring = Keyring()
    functions = {name: getattr(keyring, name) for name in ("set_password", "get_password", "delete_password")}
    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(**functions))
    keyring.set_password("minutehand", f"prod {signing.url}", TOKEN)
    stored(Context(name="prod", url=signing.url, place=Place.KEYRING), current="prod")
    assert run("login", "--iam", "--name", "prod").exit_code == 0
    assert keyring.kept == {}
    assert read_contexts(contexts_file()).named("prod").signs


def test_a_login_whose_signature_is_refused_stores_nothing(signing: SignedApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another secret")
    assert run("login", "--iam", signing.url, "--name", "prod").exit_code == 5
    assert not contexts_file().exists()
