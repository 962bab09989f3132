from __future__ import annotations

from pathlib import Path

import pytest
from infra.deploy.choices import Choices, load, save
from infra.deploy.errors import DeployError

MINE = Choices(
    stack="cron",
    region="eu-west-1",
    profile="work",
    parameters={"DueShards": "16", "AllowedTargets": "a.example, 10.0.0.0/8"},
    tags={"team": "platform"},
    snapstart="on",
)


def test_what_was_answered_once_is_there_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "samconfig.local.toml"
    save(path, "default", MINE)
    save(path, "staging", Choices(stack="cron-2", region="us-east-1"))
    assert load(path, "default") == MINE
    assert load(path, "staging") == Choices(stack="cron-2", region="us-east-1")
    assert load(path, "prod") == Choices()


def test_what_sam_wrote_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "samconfig.local.toml"
    path.write_text(
        '[default.deploy.parameters]\nstack_name = "cron"\n'
        'parameter_overrides = "DueShards=\\"16\\" LogLevel=\\"INFO\\""\nconfirm_changeset = true\n'
    )
    assert load(path, "default") == Choices(stack="cron", parameters={"DueShards": "16", "LogLevel": "INFO"})


def test_what_is_said_now_goes_over_what_was_said_earlier() -> None:
    now = Choices(region="us-west-2", parameters={"DueShards": "32"}).over(MINE)
    assert (now.stack, now.region) == ("cron", "us-west-2")
    assert now.parameters == {"DueShards": "32", "AllowedTargets": "a.example, 10.0.0.0/8"}
    assert now.snapstart == "on"
    assert Choices(snapstart="off").over(MINE).snapstart == "off"


def test_a_file_that_is_not_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "samconfig.local.toml").write_text("stack: cron")
    with pytest.raises(DeployError, match=r"samconfig.local.toml is not TOML"):
        load(tmp_path / "samconfig.local.toml", "default")
