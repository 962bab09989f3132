"""Writes down and sends the logs of attempts, in two threads: one for the disk, one for the network. Neither holds up a command."""

import hashlib
import os
import stat
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

from minutehand.agent.attempt_log import AttemptLog, Part, Space, recovered
from minutehand.agent.events import Journal, about
from minutehand.agent.order import Key
from minutehand.agent.pauses import Pauses, Span
from minutehand.client.agents import MOST_AT_ONCE, AgentCalls, UploadPlace
from minutehand.client.errors import Invalid, MinutehandError

SPOOL = 1024 * 1024 * 1024
"""Most bytes of all logs in a spool folder."""
_WRITE_EVERY = 0.5
_SELDOM = 60.0

_Wanted = tuple[AttemptLog, Part | None]
"""A part of a log, or None for the whole."""


class LogSender:
    """The logs of an agent's attempts.

    Args:
        folder: the spool folder of this node, for it alone.
        holds: whether the end of an attempt is yet to be reported. The rest of a log waits for that.
    """

    def __init__(
        self, calls: AgentCalls, folder: Path, journal: Journal, *, holds: Callable[[Key], bool], retries: Span
    ) -> None:
        self._calls = calls
        self._folder = folder
        self._journal = journal
        self._holds = holds
        self._space = Space(SPOOL)
        self._every = _SELDOM
        self._logs: list[AttemptLog] = []
        self._lock = threading.Lock()
        self._written = threading.Event()
        self._over = threading.Event()
        self._broken = False
        self._pauses = Pauses(retries, self._over)

    def recover(self) -> None:
        """Take up what a process before this one has left. A folder that others may write costs the logs, which they could read and forge."""
        self._until_defect(self._recover)

    def _recover(self) -> None:
        if (problem := self._foreign_folder()) is not None:
            self._broken = True
            self._journal.error("log", f"no log is kept or sent: {problem}")
            return
        with suppress(OSError):
            for folder in sorted(self._folder.iterdir()):
                log = recovered(folder, self._space)
                if log is not None:
                    self._add(log)

    def _foreign_folder(self) -> str | None:
        """Why the spool folder is not for this user alone; None if it is, or is yet to be made."""
        try:
            found = self._folder.lstat()
        except OSError:
            return None
        if not stat.S_ISDIR(found.st_mode):
            return f"the spool folder {self._folder} is no folder; remove what is there"
        if found.st_uid != os.geteuid():
            return f"the spool folder {self._folder} belongs to another user; give another by --spool"
        if found.st_mode & 0o022:
            return f"other users may write the spool folder {self._folder}; run: chmod go-w {self._folder}"
        return None

    def begin(self, key: Key, token: str) -> AttemptLog:
        """The log of an attempt that begins."""
        name = hashlib.sha256("\n".join(map(str, key)).encode()).hexdigest()[:32]
        log = AttemptLog(key, token, self._folder / name, self._space)
        if self._broken:
            log.end(wanted=False)
        else:
            self._add(log)
        return log

    def close(self, seconds: float) -> None:
        """End both threads, as soon as what is complete was sent, or after so many seconds. The rest stays in the spool folder."""
        end = monotonic() + seconds
        while self._waiting() and monotonic() < end:
            self._over.wait(0.05)
        self._over.set()
        for log in self._all():
            if self._is_over(log):
                log.keep()

    def write(self) -> None:
        """Write logs down until the agent is over."""
        self._until_defect(self._write)

    def send(self) -> None:
        """Send what was written until the agent is over."""
        self._until_defect(self._send_all)

    def _until_defect(self, work: Callable[[], None]) -> None:
        """Do work. A defect ends the sending of logs, and neither a command nor the agent."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whatever it is, what the agent is for is the commands
            import traceback  # noqa: PLC0415 - only a defect needs it

            self._broken = True
            self._over.set()
            stack = "".join(traceback.format_exception(error))
            self._journal.error("defect", f"sends no more logs until it is started again: {stack}")
            for log in self._all():
                log.end(wanted=False)
            with self._lock:
                self._logs.clear()

    def _write(self) -> None:
        while not self._over.is_set():
            for log in self._all():
                log.write(self._every)
                if trouble := log.trouble():
                    self._journal.warning("log", f"part of the log is lost: {trouble}", **about(log.key))
                if log.ended and not log.wanted:
                    self._remove(log)
                elif self._is_over(log):
                    log.keep()
            self._written.set()
            if not any(log.is_full for log in self._all()):
                self._over.wait(_WRITE_EVERY)

    def _send_all(self) -> None:
        failures = 0
        while not self._over.is_set():
            self._written.wait(1)
            self._written.clear()
            while not self._over.is_set() and (wanted := self._ready()):
                problem = self._problem(wanted)
                failures = 0 if problem is None else failures + 1
                if problem is not None:
                    if failures == 1:
                        self._journal.warning("log", f"not sent yet: {problem}")
                    self._pauses.after(failures)

    def _ready(self) -> Sequence[_Wanted]:
        """What may be sent now, oldest first: parts, which somebody may be waiting for, and then one whole, which may take long."""
        parts: list[_Wanted] = []
        wholes: list[_Wanted] = []
        for log in self._all():
            if log.ended and log.wanted and log.is_late:
                self._journal.warning("log", "dropped: it could not be sent for a day", **about(log.key))
                self._remove(log)
            elif self._is_over(log):
                wholes.append((log, None))
            elif not log.ended and log.parts:
                parts += [(log, part) for part in list(log.parts)]
        return parts[: MOST_AT_ONCE - 1] + wholes[:1]

    def _problem(self, wanted: Sequence[_Wanted]) -> MinutehandError | None:
        """Send parts and wholes. Returns why all must be sent again; None if any was sent."""
        uploads = [
            {
                **log.key._asdict(),
                "token": log.token,
                "part": None if part is None else part.number,
                "bytes": log.size if part is None else part.size,
            }
            for log, part in wanted
        ]
        try:
            places, self._every = self._calls.uploads(uploads)  # type: ignore[arg-type]  # the fields of an Upload
        except Invalid as error:
            if len(wanted) > 1:  # the API does not say which: the others must not wait for it
                problems = [self._problem([each]) for each in wanted]
                return None if None in problems else problems[0]
            self._journal.warning("log", f"dropped, since the API refuses it: {error}", **about(wanted[0][0].key))
            self._remove(wanted[0][0])
            return None
        except MinutehandError as error:
            return error
        problem, sent = None, False
        for (log, part), place in zip(wanted, places, strict=True):
            try:
                self._send(log, part, place)
                sent = True
            except MinutehandError as error:  # the others may be sent nevertheless
                problem = error
                self._last(log)
        return None if sent else problem

    def _send(self, log: AttemptLog, part: Part | None, place: UploadPlace) -> None:
        if place["url"] is None:
            why = place.get("problem") or "no reason was given"
            self._journal.warning("log", f"dropped, since the API refuses it: {why}", **about(log.key))
            self._remove(log)
            return
        try:
            data = log.whole() if part is None else log.piece(part)
        except OSError as error:
            self._journal.error("log", f"dropped: it cannot be read any more: {error}", **about(log.key))
            self._remove(log)
            return
        self._calls.upload(place["url"], data)
        if part is None:
            self._remove(log)
        else:
            with suppress(ValueError):
                log.parts.remove(part)

    def _is_over(self, log: AttemptLog) -> bool:
        """Whether a log is complete, and the end of its attempt reported."""
        return log.ended and log.wanted and not self._holds(log.key)

    def _waiting(self) -> bool:
        """Whether something complete is yet to be sent, or something is yet to be written down."""
        return bool(self._all())

    def _all(self) -> list[AttemptLog]:
        with self._lock:
            return list(self._logs)

    def _add(self, log: AttemptLog) -> None:
        with self._lock:
            self._logs.append(log)

    def _last(self, log: AttemptLog) -> None:
        """Have the others sent before it."""
        with self._lock:
            if log in self._logs:
                self._logs.remove(log)
                self._logs.append(log)

    def _remove(self, log: AttemptLog) -> None:
        with self._lock:
            if log in self._logs:
                self._logs.remove(log)
        log.drop()
