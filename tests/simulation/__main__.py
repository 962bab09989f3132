"""Replay one history: `python -m tests.simulation SEED [--trace]`; or play many: `[SEED] --seeds 5000 [--jobs 2]`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable

from tests.simulation.playing import Played, cores, play, play_all
from tests.simulation.rules import Rule, table

TOLD_EVERY = 1000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", default=0, help="seed of the first history (default 0)")
    parser.add_argument("--seeds", type=int, help="number of histories to play, from that seed on")
    parser.add_argument("--jobs", type=int, default=cores(), help="parallel processes (default: one for each core)")
    parser.add_argument("--trace", action="store_true", help="print everything that happens in one history")
    given = parser.parse_args()
    if given.seeds is not None and (given.trace or given.seeds < 1 or given.jobs < 1):
        parser.error("--seeds and --jobs must be at least 1; --trace prints one history, so leave --seeds out")
    if given.seeds is None:
        return tell([play(given.seed, trace=given.trace)])
    return tell(play_all(range(given.seed, given.seed + given.seeds), jobs=given.jobs))


def tell(histories: Iterable[Played]) -> int:
    """Print violations as they are found, then the totals and, of several histories, how often each rule was applied.

    Returns the exit status.
    """
    played = bad = 0
    judged: Counter[Rule] = Counter()
    for history in histories:
        played += 1
        judged.update(history.judged)
        if history.problems:
            bad += 1
            print(history, flush=True)
        if played % TOLD_EVERY == 0:
            print(f"{played} histories, {bad} with violations", flush=True)
    if played % TOLD_EVERY:
        print(f"{played} histories, {bad} with violations")
    if played > 1:
        print(table(judged))
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
