"""Rules that a test breaks on purpose, each by a function that patches the product."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.simulation.playing import play

Patch = pytest.MonkeyPatch
Mutation = Callable[[Patch], None]


def problems_of(seed: int) -> Sequence[str]:
    """The violations in a history of the ordinary scenario."""
    return play(seed).problems


def assert_noticed(
    mutation: Mutation,
    patch: Patch,
    problems: Callable[[int], Sequence[str]] = problems_of,
    *,
    first: int = 0,
    histories: int = 1500,
) -> None:
    """Fail if none of the histories from the seed `first` on shows a problem under the mutation."""
    mutation(patch)
    if not any(problems(seed) for seed in range(first, first + histories)):
        pytest.fail(f"{histories} histories did not show what {mutation.__name__} breaks")
