from __future__ import annotations

from pathlib import Path

import pytest
from infra.deploy.errors import DeployError
from infra.deploy.settings import Settings, load_settings, save_settings

MINE = Settings(
    stack="cron",
    region="eu-west-1",
    profile="work",
    parameters={"DueShards": "16", "AllowedTargets": "a.example, 10.0.0.0/8"},
    tags={"team": "platform"},
    snapstart="on",
)


def test_saved_settings_are_loaded_unchanged_for_each_environment(tmp_path: Path) -> None:
    path = tmp_path / "samconfig.local.toml"
    save_settings(path, "default", MINE)
    save_settings(path, "staging", Settings(stack="cron-2", region="us-east-1"))
    assert load_settings(path, "default") == MINE
    assert load_settings(path, "staging") == Settings(stack="cron-2", region="us-east-1")
    assert load_settings(path, "prod") == Settings()


def test_settings_written_by_the_sam_cli_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "samconfig.local.toml"
    path.write_text(
        '[default.deploy.parameters]\nstack_name = "cron"\n'
        'parameter_overrides = "DueShards=\\"16\\" LogLevel=\\"INFO\\""\nconfirm_changeset = true\n'
    )
    assert load_settings(path, "default") == Settings(stack="cron", parameters={"DueShards": "16", "LogLevel": "INFO"})


def test_new_settings_override_earlier_ones() -> None:
    now = Settings(region="us-west-2", parameters={"DueShards": "32"}).over(MINE)
    assert (now.stack, now.region) == ("cron", "us-west-2")
    assert now.parameters == {"DueShards": "32", "AllowedTargets": "a.example, 10.0.0.0/8"}
    assert now.snapstart == "on"
    assert Settings(snapstart="off").over(MINE).snapstart == "off"


def test_a_file_that_is_not_toml_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "samconfig.local.toml").write_text("stack: cron")
    with pytest.raises(DeployError, match=r"samconfig.local.toml is not TOML"):
        load_settings(tmp_path / "samconfig.local.toml", "default")
