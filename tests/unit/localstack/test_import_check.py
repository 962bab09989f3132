"""Broken code is not deployed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from localstack.errors import LocalStackError
from localstack.import_check import check_imports, handlers
from localstack.lifecycle import LOCAL_PARAMETERS, up
from localstack.workspace import CHECKOUT, Workspace

TEMPLATE = """
Parameters:
  Shards: {Type: Number, Default: 8}
  Loopback: {Type: String, Default: "false"}
  Bare: {Type: String}
Globals: {Function: {Environment: {Variables: {LEVEL: INFO, LOOPBACK: !Ref Loopback}}}}
Resources:
  Table: {Type: AWS::DynamoDB::Table}
  OneFunction:
    Type: AWS::Serverless::Function
    Properties:
      Handler: jobs.one.handler
      Environment: {Variables: {SHARDS: !Ref Shards, TABLE: !GetAtt Table.Arn, BARE: !Ref Bare}}
  TwoFunction: {Type: AWS::Serverless::Function, Properties: {Handler: jobs.two.handler}}
"""
GOOD = "def handler(event, context): ..."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    package = tmp_path / "functions" / "jobs"
    package.mkdir(parents=True)
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    for name in ("__init__", "one", "two"):
        (package / f"{name}.py").write_text(GOOD)
    return Workspace(checkout=tmp_path, functions=tmp_path / "functions", state=tmp_path / "state")


def _write(workspace: Workspace, name: str, code: str) -> None:
    (workspace.functions / "jobs" / f"{name}.py").write_text(code)


def test_each_function_has_its_handler_and_its_environment_with_the_parameters(workspace: Workspace) -> None:
    one, two = handlers(workspace, {"Loopback": "true"})
    assert (one.function, one.path) == ("OneFunction", "jobs.one.handler")
    assert one.environment.items() >= {"SHARDS": "8", "LOOPBACK": "true", "LEVEL": "INFO"}.items()
    assert set(one.environment) == {"SHARDS", "LOOPBACK", "LEVEL", "TABLE", "BARE"}
    assert two.environment == {"LEVEL": "INFO", "LOOPBACK": "true"}


def test_good_code_passes_and_sees_only_the_environment_of_its_function(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_USER", "1")
    _write(
        workspace,
        "one",
        f"import os\nassert os.environ['SHARDS'] == '8'\nassert 'OF_THE_USER' not in os.environ\nprint('hello')\n{GOOD}",
    )
    check_imports(workspace, {})


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def broken(:", "SyntaxError: invalid syntax"),
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("import os; os.environ['NOT_SET']", "KeyError: 'NOT_SET'"),
        ("handle = 1", "AttributeError: module 'jobs.two' has no attribute 'handler'"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
    ],
)
def test_broken_code_is_refused_with_the_end_of_the_traceback(workspace: Workspace, code: str, message: str) -> None:
    _write(workspace, "two", code)
    with pytest.raises(LocalStackError) as refused:
        check_imports(workspace, {})
    text = str(refused.value)
    assert text.startswith("TwoFunction (jobs.two.handler) cannot be imported:\n")
    assert message in text
    assert "OneFunction" not in text
    assert text.endswith("Nothing was deployed; a running stack is unchanged. Fix the code and run: make up")


@pytest.mark.parametrize(("code", "error"), [("1 / 0", "ZeroDivisionError"), ("def broken(:", "SyntaxError")])
def test_an_error_that_breaks_every_function_is_shown_once(workspace: Workspace, code: str, error: str) -> None:
    _write(workspace, "shared", code)
    for name in ("one", "two"):
        _write(workspace, name, f"import jobs.shared\n{GOOD}")
    with pytest.raises(LocalStackError) as refused:
        check_imports(workspace, {})
    assert str(refused.value).count(error) == 1
    assert "OneFunction" in str(refused.value)
    assert "TwoFunction" in str(refused.value)


def test_code_that_exits_python_is_refused(workspace: Workspace) -> None:
    _write(workspace, "two", "import os; os._exit(7)")
    with pytest.raises(LocalStackError, match="Python exited with status 7"):
        check_imports(workspace, {})


@pytest.mark.thorough
def test_every_handler_of_this_checkout_can_be_imported() -> None:
    workspace = Workspace()
    assert {handler.function for handler in handlers(workspace, {})} >= {"TickFunction", "ApiFunction"}
    check_imports(workspace, LOCAL_PARAMETERS)


@pytest.mark.thorough
def test_make_up_changes_nothing_if_a_function_cannot_be_imported(tmp_path: Path) -> None:
    functions = tmp_path / "functions"
    shutil.copytree(CHECKOUT / "functions", functions, ignore=shutil.ignore_patterns("__pycache__"))
    with (functions / "minutehand" / "entrypoints" / "tick.py").open("a", encoding="utf-8") as file:
        file.write("def broken(:\n")
    workspace, lines = Workspace(functions=functions, state=tmp_path / "state"), list[str]()
    with pytest.raises(LocalStackError, match=r"TickFunction \(minutehand\.entrypoints\.tick\.handler\)"):
        up(workspace, lines.append)
    assert lines == []
    assert not workspace.state.exists()
