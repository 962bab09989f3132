"""Which token and address commands use in a folder, and whether a login changes that."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.api_server import TOKEN, ApiServer
from tests.unit.cli.test_contexts import login, run


@pytest.fixture(autouse=True)
def _no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)


def test_a_login_that_has_no_effect_in_this_folder_says_so(api: ApiServer, tmp_path: Path) -> None:
    assert "here, commands" not in login(api).stderr
    file = tmp_path / ".minutehand" / "local.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"url": api.url, "token": "t-local"}), encoding="utf-8")
    for said in (login(api).stderr, run("context", "use", "prod").stderr):
        assert f"address and token are from {file}; `--context prod`" in said
    both = run("context", "use", "prod", env={"MINUTEHAND_TOKEN": "t-env"}).stderr
    assert f"the address is from {file}, the token from MINUTEHAND_TOKEN;" in both


def test_whoami_says_where_the_token_is_from(api: ApiServer) -> None:
    login(api)
    assert "token from  context prod\n" in run("token", "whoami").stdout
    env = {"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": TOKEN}
    assert "token from  MINUTEHAND_TOKEN\n" in run("token", "whoami", env=env).stdout


def test_a_wrong_token_at_login_is_not_blamed_on_the_environment(api: ApiServer) -> None:
    said = run("login", api.url, stdin="mh_wrong").stderr
    assert "copy the whole token" in said
    assert "MINUTEHAND_TOKEN" not in said
    assert "make up" not in said
