"""What the documentation says that features cost is what the benchmark holds them to."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.features import CHANGES, RUNS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "costs.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("feature", [*RUNS, *CHANGES], ids=lambda feature: feature.what)
def test_each_feature_that_is_measured_is_documented_with_its_units(feature):
    assert f"| {feature.what} | {feature.units:g} | {feature.because} |" in PAGE
