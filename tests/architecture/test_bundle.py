"""What the functions' bundle leaves out, and that the functions do without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from infra.bundle import LEFT_OUT, in_bundle, trim

FUNCTIONS = Path(__file__).parents[2] / "functions"


@pytest.mark.thorough
def test_every_function_is_imported_from_the_bundle_alone(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(FUNCTIONS, bundle, ignore=shutil.ignore_patterns("__pycache__"))
    trim(bundle)
    program = """
import importlib, pathlib, sys
package = importlib.import_module("minutehand.entrypoints")
for path in pathlib.Path(package.__file__).parent.glob("*.py"):
    importlib.import_module(f"minutehand.entrypoints.{path.stem}")
print(package.__file__)
"""
    environment = {
        "AWS_DEFAULT_REGION": "us-east-1",
        "POWERTOOLS_SERVICE_NAME": "test",
        "PYTHONPATH": os.pathsep.join([str(bundle), *sys.path]),
    }
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert Path(done.stdout.strip()).is_relative_to(bundle)
    assert not [name for name in LEFT_OUT if (bundle / "minutehand" / name).exists()]


def test_only_whole_packages_of_our_own_are_left_out() -> None:
    assert all((FUNCTIONS / "minutehand" / name / "__init__.py").is_file() for name in LEFT_OUT)
    assert in_bundle(Path("minutehand/entrypoints/tick.py"))
    assert in_bundle(Path("requirements.txt"))
    assert in_bundle(Path("urllib3/tools/x.py"))
    assert not in_bundle(Path("minutehand/tools/costs/model.py"))
    assert not in_bundle(Path("minutehand/domain/__pycache__/job.pyc"))
