import json
from pathlib import Path

import pytest

from minutehand.client import Client, ConfigurationError, find_settings


def local_file(directory: Path, content: object) -> Path:
    path = directory / ".minutehand" / "local.json"
    path.parent.mkdir(parents=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_the_environment_comes_first(tmp_path: Path) -> None:
    local_file(tmp_path, {"url": "http://local", "token": "t-local"})
    found = find_settings({"MINUTEHAND_URL": "http://env", "MINUTEHAND_TOKEN": "t-env"}, tmp_path)
    assert (found.url, found.token, found.origin) == ("http://env", "t-env", "MINUTEHAND_URL")


def test_the_file_is_found_from_a_folder_below(tmp_path: Path) -> None:
    path = local_file(tmp_path, {"url": "http://local", "token": "t-local", "stack": {"more": 1}})
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    found = find_settings({}, below)
    assert (found.url, found.token, found.origin) == ("http://local", "t-local", str(path))


def test_a_token_alone_goes_with_the_address_of_the_file(tmp_path: Path) -> None:
    local_file(tmp_path, {"url": "http://localhost:4566/x", "token": "t-local"})
    found = find_settings({"MINUTEHAND_TOKEN": "t-viewer"}, tmp_path)
    assert (found.url, found.token) == ("http://localhost:4566/x", "t-viewer")


@pytest.mark.parametrize(
    "url", ["http://thief.example", "https://localhost.thief.example", "http://localhost@thief.example", "http://[x"]
)
def test_a_file_does_not_choose_where_else_the_token_of_the_environment_goes(tmp_path: Path, url: str) -> None:
    path = local_file(tmp_path, {"url": url, "token": "t-local"})
    with pytest.raises(ConfigurationError, match="is not on this machine") as caught:
        find_settings({"MINUTEHAND_TOKEN": "t-mine"}, tmp_path)
    assert str(path) in caught.value.message
    assert "set MINUTEHAND_URL" in str(caught.value.hint)
    assert find_settings({}, tmp_path).url == url, "the file's own token is its own affair"


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = local_file(tmp_path, {"url": "http://localhost", "token": "t-local"})
    monkeypatch.setattr("os.getuid", lambda: path.stat().st_uid + 1)
    for environment in ({}, {"MINUTEHAND_TOKEN": "t-mine"}):
        with pytest.raises(ConfigurationError, match="belongs to another user"):
            find_settings(environment, tmp_path)


def test_an_address_alone_never_gets_the_token_of_the_file(tmp_path: Path) -> None:
    local_file(tmp_path, {"url": "http://local", "token": "t-local"})
    with pytest.raises(ConfigurationError, match="MINUTEHAND_TOKEN is not"):
        find_settings({"MINUTEHAND_URL": "http://env"}, tmp_path)
    assert find_settings({"MINUTEHAND_URL": "http://env"}, tmp_path, needs_token=False).token is None


def test_without_either_the_error_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        find_settings({}, tmp_path)
    assert "make up" in str(caught.value.hint)
    assert "MINUTEHAND_URL" in str(caught.value.hint)


@pytest.mark.parametrize(
    "content", ["{", "[]", {"url": "http://local"}, {"token": "t-secret"}, {"url": 3, "token": "t-secret"}]
)
def test_a_file_that_cannot_be_used_is_named_and_its_token_is_not(tmp_path: Path, content: object) -> None:
    path = local_file(tmp_path, content)
    with pytest.raises(ConfigurationError) as caught:
        find_settings({}, tmp_path)
    assert str(path) in caught.value.message
    assert "t-secret" not in caught.value.message


def test_settings_do_not_show_the_token(tmp_path: Path) -> None:
    assert "t-secret" not in repr(
        find_settings({"MINUTEHAND_URL": "http://a", "MINUTEHAND_TOKEN": "t-secret"}, tmp_path)
    )


def test_a_client_is_made_from_what_was_found(tmp_path: Path) -> None:
    local_file(tmp_path, {"url": "http://127.0.0.1:9/api/", "token": "t"})
    with Client.configured({}, tmp_path) as client:
        assert client.url == "http://127.0.0.1:9/api"
