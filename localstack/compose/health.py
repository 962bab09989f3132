"""Health check of the emulators' containers: wait for the ready hook; exit with 0 if it succeeded, or 1 as soon as it failed.

Its argument is the address at which the emulator reports on its ready hook. It runs with the emulator's Python, which has no package
of this project.
"""

import json
import sys
import time
import urllib.error
import urllib.request
from typing import Any


def succeeded(report: dict[str, Any]) -> bool | None:
    """Whether the ready hook succeeded; None while it runs or waits. Both emulators' reports are understood."""
    if "scripts" in report:  # LocalStack
        states = {script["state"] for script in report["scripts"]}
        if "ERROR" in states:
            return False
        return states == {"SUCCESSFUL"} if report["completed"] else None
    if report["failed"]:  # MiniStack
        return False
    return report["total"] == 1 if report["status"] == "completed" else None


def read(url: str) -> Any:
    """The emulator's report, or None as long as it does not answer. MiniStack answers 503 until its hook has ended."""
    try:
        with urllib.request.urlopen(url, timeout=3) as answer:  # noqa: S310 (http, as the compose files give it)
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error) if error.code == 503 else None
    except (OSError, ValueError):
        return None


def main() -> int:
    """Ask every second, until the hook has ended or the check's own time limit ends this program."""
    while True:
        report = read(sys.argv[1])
        ended = succeeded(report) if report is not None else None
        if ended is not None:
            print(
                "the ready hook succeeded" if ended else "the ready hook failed; its output is in the container's log"
            )
            return 0 if ended else 1
        time.sleep(1)


if __name__ == "__main__":
    sys.exit(main())
