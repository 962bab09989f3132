"""Wait for the end of a run, and show its states on the way."""

from minutehand.cli.command import Session
from minutehand.cli.failures import Exit, failure
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.run_text import outcome
from minutehand.cli.screen.times import milliseconds
from minutehand.client import Client, Run, StillRunning, wait_for_run
from minutehand.client.models import FINISHED

WAIT_SECONDS = 300.0


def waited_for(session: Session, screen: Screen, client: Client, run: Run, timeout: float | None) -> Run:
    """The run at its end. Its state is shown meanwhile. After a timeout, an error or Ctrl-C, the run continues: its last record or a
    note is printed."""
    screen.note(f"waiting for run {run['run_id']} of {run['job']}")
    begun = session.monotonic()
    try:
        with screen.live() as say:

            def show(latest: Run) -> None:
                nonlocal run
                run = latest
                attempt = f"attempt {run['attempt']}" if run.get("attempt") else ""
                if run["state"] not in FINISHED:
                    status = ", ".join(filter(None, (run["state"], attempt, outcome(run, session.now()))))
                    say(status, milliseconds((session.monotonic() - begun) * 1000))

            return wait_for_run(
                client,
                run,
                timeout=timeout or WAIT_SECONDS,
                sleep=session.sleep,
                monotonic=session.monotonic,
                on_poll=show,
            )
    except StillRunning as error:
        if screen.as_json:
            screen.data(error.run)
        raise
    except BaseException:
        if screen.as_json:
            screen.data(run)
        screen.note(f"the run continues; `minutehand run {run['job']} {run['run_id']}` shows how it ends")
        raise


def require_success(run: Run) -> None:
    """Raise Failure unless the run has succeeded."""
    if run["state"] != "succeeded":
        detail = f"run {run['run_id']} of {run['job']} ended as {run['state']}"
        hint = f"`minutehand run {run['job']} {run['run_id']}` shows its full record"
        raise failure("the run did not succeed", detail, hint=hint, exit_code=Exit.FAILED)
