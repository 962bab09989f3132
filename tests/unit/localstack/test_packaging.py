"""Packaging of code and templates: the same content has the same name, so that an update deploys only changes."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from localstack import packaging
from localstack.errors import LocalStackError
from localstack.workspace import Workspace

TEMPLATE = """\
Globals:
  Function:
    CodeUri: functions/
Resources:
  Storage:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: ./infra/storage.yaml
"""


class Bucket:
    """The part of S3 that packaging needs."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def create_bucket(self, **_: Any) -> None: ...

    def put_object(self, *, Key: str, Body: bytes, **_: Any) -> None:  # noqa: N803 (AWS's names)
        self.objects[Key] = Body


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name, text in {
        "template.yaml": TEMPLATE,
        "infra/storage.yaml": "Resources: {}\n",
        "functions/minutehand/tick.py": "print('tick')\n",
        "functions/minutehand/__pycache__/tick.pyc": "compiled",
        "functions/minutehand/cli/main.py": "print('cli')\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Workspace(checkout=tmp_path, functions=tmp_path / "functions", state=tmp_path / "state")


def _upload(workspace: Workspace) -> tuple[str, dict[str, bytes]]:
    bucket = Bucket()
    return packaging.upload(workspace, bucket), bucket.objects


def test_the_template_refers_to_the_stored_objects(workspace: Workspace) -> None:
    url, objects = _upload(workspace)
    bundle = next(key for key in objects if key.endswith(".zip"))
    template = objects[url.rpartition("/")[2]].decode()
    nested = next(key for key, body in objects.items() if body == b"Resources: {}\n")
    assert f"    CodeUri: s3://minutehand-deployments/{bundle}\n" in template
    assert f"      TemplateURL: https://s3.amazonaws.com/minutehand-deployments/{nested}\n" in template
    assert "./infra" not in template


def test_the_bundle_holds_the_code_and_no_bytecode(workspace: Workspace) -> None:
    packed = zipfile.ZipFile(io.BytesIO(packaging.zip_folder(workspace.functions)))
    assert packed.namelist() == ["minutehand/tick.py"]
    assert packed.read("minutehand/tick.py") == b"print('tick')\n"


def test_the_same_content_has_the_same_names_whatever_its_times_and_modes(workspace: Workspace) -> None:
    before = _upload(workspace)
    file = workspace.functions / "minutehand" / "tick.py"
    os.utime(file, (0, 0))
    file.chmod(0o777)
    assert _upload(workspace) == before


@pytest.mark.parametrize("changed", ["functions/minutehand/tick.py", "infra/storage.yaml", "template.yaml"])
def test_any_change_gives_another_template_url(workspace: Workspace, changed: str) -> None:
    url, _ = _upload(workspace)
    with (workspace.checkout / changed).open("a") as file:
        file.write("# changed\n")
    assert _upload(workspace)[0] != url


def test_changed_code_leaves_the_nested_templates_unchanged(workspace: Workspace) -> None:
    _, before = _upload(workspace)
    (workspace.functions / "minutehand" / "tick.py").write_text("print('tock')\n")
    _, after = _upload(workspace)
    same = {key for key in before if key in after}
    assert [before[key] for key in same] == [b"Resources: {}\n"]


def test_a_template_without_the_code_uri_is_refused_with_the_line_it_needs(workspace: Workspace) -> None:
    (workspace.checkout / "template.yaml").write_text(TEMPLATE.replace("functions/", "src/"))
    with pytest.raises(LocalStackError, match="no line 'CodeUri: functions/'"):
        _upload(workspace)
