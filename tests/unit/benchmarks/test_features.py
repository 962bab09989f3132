"""docs/reference/costs.md has the units and the arithmetic that the benchmark holds features to."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.cost.features import CHANGES, RUNS, Feature

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "costs.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("feature", [*RUNS, *CHANGES], ids=lambda feature: feature.what)
def test_each_measured_feature_is_documented_with_its_units(feature: Feature) -> None:
    assert f"| {feature.what} | {feature.units:g} | {feature.because} |" in PAGE
