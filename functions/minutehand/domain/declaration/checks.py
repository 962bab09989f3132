"""Checks of single texts, for fields whose type does not suffice. Each raises `Refused` with a hint for an invalid text."""

from __future__ import annotations

import re

from minutehand.domain.declaration.field import Refused

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}", re.ASCII)
NAME_RULE = "1 to 128 of a-z, 0-9, `.`, `_` and `-`, the first a letter or digit"
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,62}", re.ASCII)
ATTEMPT_OUTCOME = re.compile(r"[1-5][0-9][0-9]|[1-5]xx|timed_out|[A-Z][A-Za-z]+", re.ASCII)
"""An attempt's outcome in `retry_on` and `give_up_on`: a status, a class of statuses, a type of error, or `timed_out`."""
LONGEST_OUTCOME = 64
LONGEST_LABEL_VALUE = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROL_BUT_BREAKS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def one_line(text: str) -> None:
    """Refuse control characters and line breaks."""
    without(_CONTROL, text, "write one line of plain text")


def paragraphs(text: str) -> None:
    """Refuse control characters other than line breaks and tabs."""
    without(_CONTROL_BUT_BREAKS, text, "leave this character out")


def name(text: str) -> None:
    """Refuse what cannot be the name of a namespace, a job or a calendar."""
    if NAME.fullmatch(text):
        return
    near = re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:128]
    hint = f"did you mean {near!r:.60}? " if near and len(text) <= 128 else ""
    raise Refused(f"{text!r:.60} is not a valid name", f"{hint}write {NAME_RULE}")


def label_name(text: str) -> None:
    """Refuse what cannot be the name of a label."""
    if not LABEL.fullmatch(text):
        rule = "write a letter or digit, then up to 62 of A-Z, a-z, 0-9, `.`, `_`, `/` and `-`"
        raise Refused(f"{text!r:.60} is not a valid label name", rule)


def job_name(text: str) -> None:
    """Refuse what is neither `name` nor `namespace/name`."""
    if not all(NAME.fullmatch(part) for part in text.split("/", 1)):
        raise Refused(f"{text!r:.60} is not a job name", f"write name, or namespace/name; each is {NAME_RULE}")


def attempt_outcome(text: str) -> None:
    """Refuse what `retry_on` and `give_up_on` cannot list as the outcome of an attempt."""
    if len(text) <= LONGEST_OUTCOME and ATTEMPT_OUTCOME.fullmatch(text):
        return
    near = text.lower()
    likely = "timed_out" if near in ("timeout", "timedout", "timed-out", "timed out") else near
    hint = f"did you mean {likely}? " if likely != text and ATTEMPT_OUTCOME.fullmatch(likely) else ""
    hint += "write a status from 100 to 599 (503), a class of statuses (5xx), timed_out, or a type of error (ConnectionRefused)"
    raise Refused(f"{text!r:.60} is not an attempt outcome", hint)


def without(forbidden: re.Pattern[str], text: str, hint: str) -> None:
    """Refuse a text with a forbidden character, pointing at the first."""
    found = forbidden.search(text)
    if found:
        raise Refused(f"{found[0]!a} is not allowed here", hint, found.start())


def label_value(text: str) -> None:
    """Refuse what cannot be the value of a label: more than one line, or too long a text."""
    if len(text) > LONGEST_LABEL_VALUE:
        raise Refused(f"this has {len(text):,} characters; {LONGEST_LABEL_VALUE} is the most", "shorten it")
    one_line(text)
