"""The commands `token`."""

import json
import re
from pathlib import Path

import pytest

from minutehand.domain.token import Role, Token, digest_of
from tests.support.api_server import TOKEN, ApiServer
from tests.unit.cli.conftest import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
CREATE = ("token", "create", "dashboard", "--role", "viewer", "-n", "demo", "--expires", "90d")


def test_the_examples_print_what_the_page_says(cli: Cli, api: ApiServer) -> None:
    section = "".join(re.findall(r"^## `minutehand token.+?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    examples = re.findall(r"```console\n\$ minutehand (.+?)\n(.+?)```", section, re.DOTALL)
    assert [line.split()[1] for line, _ in examples] == ["create", "list", "show", "revoke", "whoami"]
    made = cli(*examples[0][0].split())
    note, secret = made.stderr, made.stdout
    token_id = note.partition(":")[0]
    assert re.sub(r"t-\w+", "ID", note) + "SECRET\n" == re.sub(
        r"t-\w+", "ID", re.sub(r"\S+\n\Z", "SECRET\n", examples[0][1])
    )
    assert re.fullmatch(r"[\w-]{40}\n", secret)
    for line, output in examples[1:]:
        result = cli(*line.replace("t-4k2m7xq5ab", token_id).split())
        assert result.exit_code == 0, result.stderr
        assert result.stdout == output.replace("t-4k2m7xq5ab", token_id)


def test_programs_get_the_documents_of_the_api(cli: Cli, api: ApiServer) -> None:
    made = json.loads(cli(*CREATE, "-o", "json").stdout)
    assert api.state.tokens[digest_of(made.pop("secret"))].id == made["id"]
    assert json.loads(cli("token", "show", made["id"], "-o", "json").stdout) == made
    listed = json.loads(cli("token", "list", "-o", "json").stdout)
    assert (listed["next"], made in listed["items"]) == (None, True)
    revoked = cli("token", "revoke", made["id"], "--yes", "-o", "json")
    assert json.loads(revoked.stdout) == {"id": made["id"], "result": "revoked"}


def test_a_secret_can_go_into_a_variable(cli: Cli, api: ApiServer) -> None:
    secret = cli("token", "create", "ci", "--role", "operator", "-n", "shop", "-n", "bank").stdout.strip()
    made = api.state.tokens[digest_of(secret)]
    assert (made.name, made.role, made.namespaces, made.expires_at) == ("ci", Role.OPERATOR, ("shop", "bank"), None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("--expires", "soon"), "is not an instant"),
        (("--expires", "90"), "write 90d, 09:00,"),
        (("--expires", "2027-01-01T00:00:00+25:00"), "has an offset of a day or more"),
        (("--role", "owner"), "'owner' is not one of"),
    ],
)
def test_a_wrong_option_makes_no_token(cli: Cli, api: ApiServer, changed: tuple[str, str], said: str) -> None:
    before = dict(api.state.tokens)
    result = cli(*CREATE, *changed)
    assert result.exit_code == 2
    assert said in result.stderr
    assert api.state.tokens == before


def test_a_token_needs_a_role_and_a_namespace(cli: Cli) -> None:
    assert "Missing option '--role'" in cli("token", "create", "ci", "-n", "shop").stderr
    assert "Missing option '-n'" in cli("token", "create", "ci", "--role", "viewer").stderr


def test_a_revocation_asks_and_says_what_the_token_may_do(cli: Cli, api: ApiServer) -> None:
    token = Token(digest=digest_of("s3cret"), name="ci", role=Role.OPERATOR, namespaces=("shop",))
    api.state.tokens[token.digest] = token
    assert "confirm with --yes" in cli("token", "revoke", token.id).stderr
    asked = cli("token", "revoke", token.id, attended=True, stdin="n\n")
    assert "ci is operator in shop, last used - UTC. Delete " in asked.stderr
    assert token.digest in api.state.tokens
    assert cli("token", "revoke", token.id, attended=True, stdin="y\n").exit_code == 0
    assert token.digest not in api.state.tokens


def test_an_unknown_token_is_not_found(cli: Cli) -> None:
    for verb in (("show",), ("revoke", "--yes")):
        assert cli("token", verb[0], "t-aaaaaaaaaa", *verb[1:]).exit_code == 3


def test_what_a_token_may_not_do_ends_with_exit_code_5(cli: Cli, api: ApiServer) -> None:
    api.allow(Role.ADMIN, "shop")
    refused = cli("token", "create", "ci", "--role", "viewer", "-n", "*")
    assert refused.exit_code == 5
    assert "cannot make a token for every namespace" in refused.stderr
    assert refused.stdout == ""


@pytest.mark.parametrize("verb", ["create", "list", "show", "revoke", "whoami"])
def test_the_help_of_every_command_has_an_example(cli: Cli, verb: str) -> None:
    assert f"  minutehand token {verb}" in cli("token", verb, "--help").stdout


def test_whoami_shows_the_callers_own_token(cli: Cli, api: ApiServer) -> None:
    api.allow(Role.AGENT, "shop")
    shown = json.loads(cli("token", "whoami", "-o", "json").stdout)
    assert (shown["name"], shown["role"], shown["namespaces"]) == ("admin", "agent", ["shop"])
    assert TOKEN not in cli("token", "whoami").stdout
