"""`make deploy` from the command to the SAM CLI, without AWS."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from infra.deploy import __main__ as program
from infra.deploy.account import Account
from infra.deploy.settings import Settings, load_settings

from tests.unit.deploy.expansion import TEMPLATE
from tests.unit.deploy.test_concurrency import FakeSession, account


class Deployment:
    """A terminal that says yes, an account, and what the SAM CLI was given."""

    def __init__(self, patch: pytest.MonkeyPatch, checkout: Path, answer: dict[str, Any]) -> None:
        self.patch = patch
        self.checkout = checkout
        self.built: list[dict[str, str]] = []
        self.deployed: list[dict[str, str]] = []
        (checkout / "template.yaml").write_text(TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
        session = FakeSession(answer)
        stacks = {"Stacks": [{"Outputs": []}]}
        aws = Account(
            number="123456789012",
            caller="arn:aws:iam::123456789012:user/ada",
            region="eu-west-1",
            cloudformation=cast("Any", SimpleNamespace(describe_stacks=lambda **_: stacks)),
        )
        patch.setattr(
            program.account, "session", lambda _: SimpleNamespace(region_name="eu-west-1", client=session.client)
        )
        patch.setattr(program.account, "check_region", lambda _, region: region)
        patch.setattr(program.account, "identify", lambda *_: aws)
        patch.setattr(program.stacks, "plan", lambda *_: "does not exist yet and will be created")
        patch.setattr(program.sam, "build", lambda _, parameters, **__: self.built.append(dict(parameters)))
        patch.setattr(program.sam, "deploy", self._deploy)
        patch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
        patch.setattr("builtins.input", lambda question: "y" if question.startswith("Build") else "")

    def _deploy(self, _: Path, settings: Settings, *, ask: bool) -> bool:
        assert ask
        self.deployed.append(dict(settings.parameters))
        return True

    def run(self, parameters: str = "", *more: str) -> int:
        self.patch.setattr(sys, "argv", ["deploy", "deploy", "--parameters", parameters, *more])
        return program.main(self.checkout)

    @property
    def saved(self) -> dict[str, str]:
        return dict(load_settings(self.checkout / program.LOCAL, "default").parameters)


@pytest.mark.thorough
def test_a_small_account_gets_fewer_workers_until_its_quota_is_raised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)
    small = Deployment(monkeypatch, tmp_path, account(50))
    assert small.run("DueShards=16") == 0
    assert (
        small.built
        == small.deployed
        == [{"DueShards": "16", "WorkerMaxConcurrency": "30", "SlowWorkerMaxConcurrency": "15"}]
    )
    assert small.saved == {"DueShards": "16"}
    said = capsys.readouterr().out
    assert "  concurrency 50 executions at once in this account and region\n" in said
    assert "\n              WorkerMaxConcurrency is 30 instead of 100\n" in said
    raised = Deployment(monkeypatch, tmp_path, account(1000))
    assert raised.run() == 0
    assert raised.deployed == [{"DueShards": "16", "WorkerMaxConcurrency": "100", "SlowWorkerMaxConcurrency": "100"}]


@pytest.mark.thorough
def test_access_logs_that_the_account_cannot_write_stop_the_deployment_before_the_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)
    refused = Deployment(monkeypatch, tmp_path, account(1000))
    assert refused.run("ApiAccessLogs=true") == 1
    assert refused.built == []
    assert "aws apigateway update-account" in capsys.readouterr().err
