"""Code that cannot be imported is not deployed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from localstack import handlers
from localstack.errors import LocalStackError
from localstack.handlers import check_handlers
from localstack.place import CHECKOUT, Place
from localstack.up import LOCAL_PARAMETERS, Wish, bring_up

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
def place(tmp_path: Path) -> Place:
    package = tmp_path / "functions" / "jobs"
    package.mkdir(parents=True)
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    for name in ("__init__", "one", "two"):
        (package / f"{name}.py").write_text(GOOD)
    return Place(checkout=tmp_path, functions=tmp_path / "functions", state=tmp_path / "state")


def _write(place: Place, name: str, code: str) -> None:
    (place.functions / "jobs" / f"{name}.py").write_text(code)


def test_each_function_has_its_handler_and_environment_with_parameters_filled_in(place: Place) -> None:
    one, two = handlers.handlers(place, {"Loopback": "true"})
    assert (one.function, one.path) == ("OneFunction", "jobs.one.handler")
    assert one.environment.items() >= {"SHARDS": "8", "LOOPBACK": "true", "LEVEL": "INFO"}.items()
    assert set(one.environment) == {"SHARDS", "LOOPBACK", "LEVEL", "TABLE", "BARE"}
    assert two.environment == {"LEVEL": "INFO", "LOOPBACK": "true"}


def test_code_that_can_be_imported_passes_and_sees_its_functions_environment_alone(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRANGER", "1")
    _write(
        place,
        "one",
        f"import os\nassert os.environ['SHARDS'] == '8'\nassert 'STRANGER' not in os.environ\nprint('hello')\n{GOOD}",
    )
    check_handlers(place, {})


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def broken(:", "SyntaxError: invalid syntax"),
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("import os; os.environ['NOT_SET']", "KeyError: 'NOT_SET'"),
        ("handle = 1", "AttributeError: module 'jobs.two' has no attribute 'handler'"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
    ],
)
def test_code_that_cannot_be_imported_is_refused_with_the_end_of_the_traceback(
    place: Place, code: str, said: str
) -> None:
    _write(place, "two", code)
    with pytest.raises(LocalStackError) as refused:
        check_handlers(place, {})
    text = str(refused.value)
    assert text.startswith("TwoFunction (jobs.two.handler) cannot be imported:\n")
    assert said in text
    assert "OneFunction" not in text
    assert text.endswith("Nothing was deployed, and what was running is as it was. Mend it, then: make up")


@pytest.mark.parametrize(("code", "error"), [("1 / 0", "ZeroDivisionError"), ("def broken(:", "SyntaxError")])
def test_what_breaks_every_function_is_told_once(place: Place, code: str, error: str) -> None:
    _write(place, "shared", code)
    for name in ("one", "two"):
        _write(place, name, f"import jobs.shared\n{GOOD}")
    with pytest.raises(LocalStackError) as refused:
        check_handlers(place, {})
    assert str(refused.value).count(error) == 1
    assert "OneFunction" in str(refused.value)
    assert "TwoFunction" in str(refused.value)


def test_code_that_ends_python_itself_is_refused(place: Place) -> None:
    _write(place, "two", "import os; os._exit(7)")
    with pytest.raises(LocalStackError, match="ended Python with status 7"):
        check_handlers(place, {})


def test_every_handler_of_this_checkout_can_be_imported() -> None:
    place = Place()
    assert {handler.function for handler in handlers.handlers(place, {})} >= {"TickFunction", "ApiFunction"}
    check_handlers(place, LOCAL_PARAMETERS)


def test_make_up_starts_and_changes_nothing_when_a_function_cannot_be_imported(tmp_path: Path) -> None:
    functions = tmp_path / "functions"
    shutil.copytree(CHECKOUT / "functions", functions, ignore=shutil.ignore_patterns("__pycache__"))
    with (functions / "minutehand" / "entrypoints" / "tick.py").open("a", encoding="utf-8") as file:
        file.write("def broken(:\n")
    place, said = Place(functions=functions, state=tmp_path / "state"), list[str]()
    with pytest.raises(LocalStackError, match=r"TickFunction \(minutehand\.entrypoints\.tick\.handler\)"):
        bring_up(place, Wish(), said.append)
    assert said == []
    assert not place.state.exists()
