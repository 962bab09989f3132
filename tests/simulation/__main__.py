"""Replay one history: `python -m tests.simulation SEED [--trace]`; or play many: `--seeds 5000 [--from N]`."""

from __future__ import annotations

import argparse
import sys

from tests.simulation.checker import violations
from tests.simulation.scenario import Scenario


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--trace", action="store_true")
    given = parser.parse_args()
    bad = 0
    for seed in range(given.seed, given.seed + given.seeds):
        scenario = Scenario(seed, trace=given.trace)
        scenario.play()
        found = violations(scenario)
        bad += bool(found)
        for problem in found:
            print(f"seed {seed}: {problem}")
    print(f"{given.seeds} histories, {bad} with violations")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
