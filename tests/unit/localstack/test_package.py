"""Packing code and templates: the same content has the same name, so that what did not change is not deployed anew."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from localstack import package
from localstack.errors import LocalStackError
from localstack.place import Place

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
    """S3 as far as packing needs it."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def create_bucket(self, **_: Any) -> None: ...

    def put_object(self, *, Key: str, Body: bytes, **_: Any) -> None:  # noqa: N803 (AWS's names)
        self.objects[Key] = Body


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for name, text in {
        "template.yaml": TEMPLATE,
        "infra/storage.yaml": "Resources: {}\n",
        "functions/minutehand/tick.py": "print('tick')\n",
        "functions/minutehand/__pycache__/tick.pyc": "compiled",
        "functions/minutehand/cli/main.py": "print('cli')\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Place(checkout=tmp_path, functions=tmp_path / "functions", state=tmp_path / "state")


def _upload(place: Place) -> tuple[str, dict[str, bytes]]:
    bucket = Bucket()
    return package.upload(place, bucket), bucket.objects  # type: ignore[arg-type]


def test_the_template_points_to_what_was_stored(place: Place) -> None:
    url, objects = _upload(place)
    bundle = next(key for key in objects if key.endswith(".zip"))
    template = objects[url.rpartition("/")[2]].decode()
    nested = next(key for key, body in objects.items() if body == b"Resources: {}\n")
    assert f"    CodeUri: s3://minutehand-deployments/{bundle}\n" in template
    assert f"      TemplateURL: https://s3.amazonaws.com/minutehand-deployments/{nested}\n" in template
    assert "./infra" not in template


def test_the_bundle_holds_the_code_of_the_functions_and_nothing_compiled(place: Place) -> None:
    packed = zipfile.ZipFile(io.BytesIO(package.zip_folder(place.functions)))
    assert packed.namelist() == ["minutehand/tick.py"]
    assert packed.read("minutehand/tick.py") == b"print('tick')\n"


def test_the_same_content_has_the_same_names_whenever_and_however_it_was_written(place: Place) -> None:
    before = _upload(place)
    file = place.functions / "minutehand" / "tick.py"
    os.utime(file, (0, 0))
    file.chmod(0o777)
    assert _upload(place) == before


@pytest.mark.parametrize("changed", ["functions/minutehand/tick.py", "infra/storage.yaml", "template.yaml"])
def test_any_change_gives_another_template(place: Place, changed: str) -> None:
    url, _ = _upload(place)
    with (place.checkout / changed).open("a") as file:
        file.write("# changed\n")
    assert _upload(place)[0] != url


def test_changed_code_leaves_the_nested_templates_as_they_were(place: Place) -> None:
    _, before = _upload(place)
    (place.functions / "minutehand" / "tick.py").write_text("print('tock')\n")
    _, after = _upload(place)
    same = {key for key in before if key in after}
    assert [before[key] for key in same] == [b"Resources: {}\n"]


def test_a_template_whose_code_is_elsewhere_is_refused_with_the_line_it_needs(place: Place) -> None:
    (place.checkout / "template.yaml").write_text(TEMPLATE.replace("functions/", "src/"))
    with pytest.raises(LocalStackError, match="no line 'CodeUri: functions/'"):
        _upload(place)
