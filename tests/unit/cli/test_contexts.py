"""Contexts: `login`, `logout`, `context`, and which address and token a command uses."""

import json
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from minutehand.cli.command import Session
from minutehand.cli.connection import settings_of
from minutehand.cli.contexts import Context, Contexts, Place, contexts_file, read_contexts, write_contexts
from minutehand.cli.main import app
from minutehand.cli.screen.render import Screen
from minutehand.client import Caller, Client, ConfigurationError, Unreachable
from tests.support.api_server import TOKEN, ApiServer


@pytest.fixture(autouse=True)
def _no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)


class Keyring:
    """A keyring in memory, with the functions of the library."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def set_password(self, service: str, name: str, secret: str) -> None:
        self._check()
        self.kept[service, name] = secret

    def get_password(self, service: str, name: str) -> str | None:
        self._check()
        return self.kept.get((service, name))

    def delete_password(self, service: str, name: str) -> None:
        self._check()
        del self.kept[service, name]

    def _check(self) -> None:
        if self.locked:
            raise RuntimeError("the keyring is locked")


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    made = Keyring()
    functions = {name: getattr(made, name) for name in ("set_password", "get_password", "delete_password")}
    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(**functions))
    return made


def run(*arguments: str, stdin: str | None = None, env: dict[str, str] | None = None, attended: bool = False) -> Result:
    """A command line as a user types it, configured by the environment, the folder and the contexts."""
    session = Session(is_attended=lambda: attended)
    return CliRunner().invoke(app, arguments, input=stdin, env=env, obj=session)


def login(api: ApiServer, name: str = "prod") -> Result:
    return run("login", api.url, "--name", name, stdin=f"{TOKEN}\n")


def stored(*contexts: Context, current: str | None = None) -> None:
    write_contexts(contexts_file(), Contexts(known={each.name: each for each in contexts}, current=current))


def kept(name: str, url: str, token: str) -> Context:
    return Context(name=name, url=url, place=Place.FILE, token=token)


def test_commands_use_the_api_that_one_has_logged_in_to(api: ApiServer) -> None:
    api.add_job("demo/beat")
    logged_in = login(api)
    assert logged_in.exit_code == 0
    assert "admin in all namespaces" in logged_in.stdout
    assert run("show", "demo/beat").exit_code == 0


def test_a_token_is_typed_without_echo(api: ApiServer) -> None:
    result = run("login", api.url, "--name", "prod", stdin=f"{TOKEN}\n", attended=True)
    assert result.exit_code == 0
    assert "Token for" in result.stderr
    assert TOKEN not in result.output


@pytest.mark.parametrize("attended", [True, False])
def test_a_warning_about_plain_http_comes_before_the_token_is_read_or_sent(
    monkeypatch: pytest.MonkeyPatch, attended: bool
) -> None:
    steps: list[str] = []
    note = Screen.note

    def noted(screen: Screen, text: str) -> None:
        steps.append(text)
        note(screen, text)

    def sent(client: Client) -> Caller:
        steps.append("sent")
        raise Unreachable("the test has no network")

    monkeypatch.setattr(Screen, "note", noted)
    monkeypatch.setattr(Client, "own_token", sent)
    result = run("login", "http://api.example.com", stdin=f"{TOKEN}\n", attended=attended)
    warning = "warning: http://api.example.com is not https, so that others on the way can read the token"
    assert steps == [warning, "sent"]
    assert result.stderr.startswith(f"{warning}\n{'Token for' if attended else ''}")
    steps.clear()
    assert run("login", "http://api.example.com", stdin="", attended=attended).exit_code != 0
    assert steps == [warning], "it comes even where no token is given in the end"


def test_an_address_on_this_machine_or_with_https_needs_no_warning(
    api: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "warning" not in login(api).stderr
    monkeypatch.setattr(Client, "own_token", lambda client: {"name": "a", "role": "viewer", "namespaces": ["*"]})
    assert "warning" not in run("login", "https://api.example.com", stdin=TOKEN).stderr


def test_without_a_keyring_the_token_is_in_a_file_that_only_its_user_can_read(api: ApiServer) -> None:
    login(api)
    path = contexts_file()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert read_contexts(path).known["prod"].secret() == TOKEN


def test_a_file_that_others_can_read_is_refused(api: ApiServer) -> None:
    login(api)
    contexts_file().chmod(0o640)
    result = run("list")
    assert result.exit_code == 2
    assert "chmod 600" in result.stderr
    assert TOKEN not in result.output


def test_a_keyring_that_works_keeps_the_token_and_the_file_does_not(api: ApiServer, keyring: Keyring) -> None:
    assert "token in the keyring" in login(api).stdout
    assert TOKEN not in contexts_file().read_text(encoding="utf-8")
    assert run("list").exit_code == 0
    assert run("logout").exit_code == 0
    assert keyring.kept == {}


def test_a_keyring_that_refuses_leaves_the_token_to_the_file(api: ApiServer, keyring: Keyring) -> None:
    keyring.locked = True
    assert json.loads(run("login", api.url, "-o", "json", stdin=TOKEN).stdout)["token"] == "file"


def test_a_locked_keyring_is_reported_with_what_to_do(api: ApiServer, keyring: Keyring) -> None:
    login(api)
    keyring.locked = True
    result = run("list")
    assert result.exit_code == 2
    assert "unlock the keyring" in result.stderr


def test_the_keyring_has_a_token_for_the_address_alone_that_it_was_given_for(api: ApiServer, keyring: Keyring) -> None:
    login(api)
    document = json.loads(contexts_file().read_text(encoding="utf-8"))
    document["contexts"]["prod"]["url"] = "https://elsewhere.example.com"
    contexts_file().write_text(json.dumps(document), encoding="utf-8")
    assert "has no token of context prod" in run("list").stderr


def test_a_token_that_the_api_refuses_is_not_stored(api: ApiServer) -> None:
    result = run("login", api.url, stdin="mh_wrong")
    assert result.exit_code == 5
    assert not contexts_file().exists()
    assert "mh_wrong" not in result.output


@pytest.mark.parametrize("given", ["", " \n"])
def test_a_login_without_a_token_is_bad_usage(api: ApiServer, given: str) -> None:
    assert run("login", api.url, stdin=given).exit_code == 2


def test_an_address_that_is_none_is_refused_before_the_token_is_read() -> None:
    result = run("login", "prod.example.com", stdin=TOKEN)
    assert result.exit_code == 2
    assert "is not the address of an API" in result.stderr


def test_the_name_of_a_context_is_the_host_unless_one_is_given(api: ApiServer) -> None:
    shown = json.loads(run("login", api.url, "-o", "json", stdin=TOKEN).stdout)
    assert shown["name"] == api.url.split("/")[2]


def test_a_name_belongs_to_one_address(api: ApiServer) -> None:
    login(api)
    result = run("login", "https://elsewhere.example.com", "--name", "prod", stdin=TOKEN)
    assert result.exit_code == 2
    assert f"context prod is {api.url}" in result.stderr


def test_a_context_gets_another_token_without_its_address(api: ApiServer) -> None:
    stored(kept("prod", api.url, "mh_old"))
    assert run("login", "--name", "prod", stdin=TOKEN).exit_code == 0
    assert run("list").exit_code == 0


def test_a_logout_forgets_the_token_and_keeps_the_address(api: ApiServer) -> None:
    login(api)
    run("logout")
    assert TOKEN not in contexts_file().read_text(encoding="utf-8")
    result = run("list")
    assert result.exit_code == 2
    assert "`minutehand login --name prod`" in result.stderr


def test_contexts_are_listed_chosen_and_removed(api: ApiServer) -> None:
    login(api)
    stored(*read_contexts(contexts_file()).known.values(), kept("other", "https://other.example.com", "mh_other"))
    assert run("context", "use", "other").exit_code == 0
    listed = json.loads(run("context", "list", "-o", "json").stdout)["items"]
    assert [(each["name"], each["current"], each["token"]) for each in listed] == [
        ("prod", False, "file"),
        ("other", True, "file"),
    ]
    assert run("context", "remove", "other").exit_code == 0
    assert list(read_contexts(contexts_file()).known) == ["prod"]
    assert read_contexts(contexts_file()).current is None


def test_an_unknown_context_is_reported_with_those_that_exist(api: ApiServer) -> None:
    login(api)
    for arguments in (["context", "use", "prd"], ["list", "--context", "prd"], ["context", "remove", "prd"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "contexts: prod" in result.stderr


def test_a_context_is_chosen_before_the_command_or_after_it_or_by_the_environment(api: ApiServer) -> None:
    stored(kept("prod", api.url, TOKEN), kept("away", "http://127.0.0.1:9", "t"), current="away")
    assert run("list", "--context", "prod").exit_code == 0
    assert run("--context", "prod", "list").exit_code == 0
    assert run("list", env={"MINUTEHAND_CONTEXT": "prod"}).exit_code == 0


def test_an_error_says_that_the_address_is_from_a_context(api: ApiServer) -> None:
    stored(kept("prod", api.url, "mh_old"), current="prod")
    result = run("list")
    assert result.exit_code == 5
    assert "from context prod: `minutehand login --name prod`" in result.stderr


ENVIRONMENT = {"MINUTEHAND_URL": "https://env", "MINUTEHAND_TOKEN": "t-env"}
SIGNED = {"MINUTEHAND_AUTH": "iam"}


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A folder with a local stack's file, beside two contexts of which `now` is the current one."""
    stored(kept("now", "https://now", "t-now"), kept("then", "https://then", "t-then"), current="now")
    (tmp_path / ".minutehand").mkdir()
    file = tmp_path / ".minutehand" / "local.json"
    file.write_text(json.dumps({"url": "http://localhost", "token": "t-local"}), encoding="utf-8")
    return tmp_path


def found(folder: Path, environment: dict[str, str], chosen: str | None = None) -> tuple[str, str | None]:
    settings = settings_of(environment, folder, contexts_file(), chosen=chosen)
    return settings.url, settings.token


def test_the_order_is_environment_chosen_context_file_current_context(three: Path) -> None:
    assert found(three, ENVIRONMENT) == ("https://env", "t-env")
    assert found(three, {}, "then") == ("https://then", "t-then")
    assert found(three, {"MINUTEHAND_CONTEXT": "then"}) == ("https://then", "t-then")
    assert found(three, {}) == ("http://localhost", "t-local")
    assert found(three.parent, {}) == ("https://now", "t-now")


def test_a_token_in_the_environment_goes_to_no_context(three: Path) -> None:
    alone = {"MINUTEHAND_TOKEN": "t-env"}
    assert found(three, alone) == ("http://localhost", "t-env")
    with pytest.raises(ConfigurationError, match="MINUTEHAND_URL is not set"):
        found(three.parent, alone)


def test_an_address_in_the_environment_gets_no_token_of_a_context(three: Path) -> None:
    with pytest.raises(ConfigurationError, match="MINUTEHAND_TOKEN is not"):
        found(three.parent, {"MINUTEHAND_URL": "https://env"})


@pytest.mark.parametrize("name", ENVIRONMENT | SIGNED)
def test_a_context_chosen_beside_the_environment_is_an_error(three: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{name} is set, too"):
        found(three, {name: (ENVIRONMENT | SIGNED)[name]}, "then")
    with pytest.raises(ConfigurationError, match="MINUTEHAND_CONTEXT chooses"):
        found(three, {name: (ENVIRONMENT | SIGNED)[name], "MINUTEHAND_CONTEXT": "then"})


def test_show_tells_which_address_applies_here_and_why(three: Path) -> None:
    shown = json.loads(run("context", "show", "-o", "json").stdout)
    file = str(three / ".minutehand" / "local.json")
    assert shown == {"url": "http://localhost", "from": file, "token_from": file}
    assert "still call http://local" in run("context", "use", "then").stderr


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"contexts": {"a": {}}, "current": null}', '{"contexts": {"a": 1}}', "{}"]
)
def test_a_damaged_file_is_named(text: str) -> None:
    stored()
    contexts_file().write_text(text, encoding="utf-8")
    result = run("list")
    assert result.exit_code == 2
    assert str(contexts_file()) in result.stderr


@pytest.mark.parametrize("name", ["", "-x", "a b", "a/b", "x" * 64])
def test_a_name_that_no_context_can_have_is_refused(api: ApiServer, name: str) -> None:
    result = run("login", api.url, f"--name={name}", stdin=TOKEN)
    assert result.exit_code == (0 if name == "" else 2)


def test_contexts_do_not_show_their_tokens() -> None:
    assert "t-secret" not in repr(kept("a", "https://a", "t-secret"))
