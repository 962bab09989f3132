"""``python -m tests.soak``: break a local stack for some minutes and judge what became of its jobs; see ``make soak``."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.soak.checker import judge
from tests.soak.playing import Settings, play
from tests.soak.report import report


def main() -> int:
    arguments = _arguments()
    seed = random.SystemRandom().randrange(1_000_000) if arguments.seed is None else arguments.seed
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]  # the user's profile or endpoint must not reach the emulator's clients
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the stack is ended then too
    folder = Path(tempfile.mkdtemp(prefix="minutehand-soak-"))
    print(f"soak of {arguments.minutes:g} minutes with {arguments.jobs} jobs, seed {seed}", flush=True)
    try:
        settings = Settings(seed=seed, seconds=60 * arguments.minutes, jobs=arguments.jobs)
        evidence = play(settings, folder, lambda line: print(f"  {line}", flush=True))
        if arguments.keep:
            (folder / "evidence.json").write_text(evidence.dumped(), encoding="utf-8")
        verdict = judge(evidence)
        print(f"\n{report(evidence, verdict, seed)}", flush=True)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    finally:
        if arguments.keep:
            print(f"kept: {folder}", flush=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if verdict.violations else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="how long the jobs run (default 30)")
    parser.add_argument("--seed", type=int, help="decides jobs, faults and requests (default: a random one)")
    parser.add_argument("--jobs", type=int, default=100, help="number of jobs (default 100)")
    parser.add_argument("--keep", action="store_true", help="keep the stack's files and the evidence as JSON")
    arguments = parser.parse_args()
    if arguments.minutes < 2 or arguments.jobs < 1:
        parser.error("--minutes must be at least 2, and --jobs at least 1")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
