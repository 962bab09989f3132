"""Parser of a crontab, which finds its entries and all of its errors."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.zones import check_zone
from minutehand.tools.crontab.lines import (
    DESCRIPTORS,
    REBOOT,
    Entry,
    LineFault,
    Setting,
    read_entry,
    read_setting,
    setting_fault,
)

LONGEST = 1000
"""Maximum length of a description, in characters (docs/reference/api.md)."""

_HEADING = re.compile(r"m(in(ute)?)?[ \t]+h(our)?[ \t]", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, kw_only=True)
class Line:
    """An entry with the settings and comments above it.

    number: its line, from 1. environment: the variables set above it, without CRON_TZ. timezone: of CRON_TZ or TZ above it.
    description: the comments directly above it.
    """

    number: int
    entry: Entry
    environment: Mapping[str, str]
    timezone: str | None
    description: str


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A remark about line `number`, from 1: a problem, which makes the crontab unusable, or a note. `column` is 0-based in `text`."""

    number: int
    message: str
    hint: str = ""
    column: int = 0
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Crontab:
    """A parsed crontab. With problems, `lines` holds only the valid ones."""

    lines: tuple[Line, ...]
    problems: tuple[Remark, ...]
    notes: tuple[Remark, ...]


def read_crontab(text: str, *, system: bool, guessed: bool = False, at_start: bool = False) -> Crontab:
    """Parse a crontab top to bottom, as cron does: a variable applies to the lines below it; the last line may lack its line end.

    system: whether a user column comes before the command, as in /etc/crontab.

    guessed: whether `system` is an assumption, so that a first word `root` is an error.

    at_start: whether @reboot is a schedule; otherwise it is a problem.
    """
    reader = _Reader(system=system, guessed=guessed, at_start=at_start)
    for number, line in enumerate(text.split("\n"), start=1):
        reader.read(number, line)
    return Crontab(lines=tuple(reader.lines), problems=tuple(reader.problems), notes=tuple(reader.notes))


@dataclass(kw_only=True)
class _Reader:
    system: bool
    guessed: bool
    at_start: bool
    lines: list[Line] = field(default_factory=list)
    problems: list[Remark] = field(default_factory=list)
    notes: list[Remark] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    zone: str | None = None
    zone_is_cron_tz: bool = False
    above: list[str] = field(default_factory=list)
    before: str = ""
    warned_of_returns: bool = False

    def read(self, number: int, raw: str) -> None:
        line = raw.removesuffix("\r")
        if line != raw and not self.warned_of_returns:
            self.warned_of_returns = True
            message = "the line ends with a carriage return, which cron would pass to the command"
            self._problem(number, raw, LineFault(len(line), message, "save the file with Unix line ends"))
        stripped = line.strip()
        if stripped.startswith("#"):
            text = _CONTROL.sub("", stripped.lstrip("#").removeprefix(" ")).rstrip()
            if _ends_a_description(text.strip()):
                self.above.clear()
            else:
                self.above.append(text)
        else:
            if stripped:
                self._active(number, line)
            self.above.clear()
        self.before = line

    def _active(self, number: int, line: str) -> None:
        setting = read_setting(line)
        if setting is not None:
            if setting.name in ("CRON_TZ", "TZ"):
                self._set_zone(number, line, setting)
            if setting.name != "CRON_TZ":
                self.environment[setting.name] = setting.value
            return
        fault = setting_fault(line)
        if fault is not None:
            self._problem(number, line, fault)
            return
        try:
            entry = read_entry(line, system=self.system, guessed=self.guessed, at_start=self.at_start)
        except LineFault as error:
            self._problem(number, line, error)
            return
        self.lines.append(
            Line(
                number=number,
                entry=entry,
                environment=dict(self.environment),
                timezone=self.zone,
                description=_description_of(self.above),
            )
        )

    def _set_zone(self, number: int, line: str, setting: Setting) -> None:
        # glibc's tzset(3) reads a colon in front as "a file of the database".
        zone = setting.value.removeprefix(":")
        try:
            check_zone(zone)
        except ScheduleError as error:
            hint = f"write {setting.name} on a line of its own" if " " in zone.strip() else error.hint
            self._problem(number, line, LineFault(setting.column, error.message, hint))
            return
        if setting.name == "TZ":
            if self.zone_is_cron_tz:
                return
            message = (
                "TZ is used as the time zone of the schedules below it; Debian's cron only passes it to the commands"
            )
            self.notes.append(Remark(number=number, message=message))
        self.zone_is_cron_tz = setting.name == "CRON_TZ"
        self.zone = zone

    def _problem(self, number: int, line: str, fault: LineFault) -> None:
        hint = fault.hint
        if self.before.endswith("\\") and not self.before.strip().startswith("#"):
            hint += "; a crontab cannot continue a line that ends with \\: write it in one"
        self.problems.append(Remark(number=number, column=fault.column, text=line, message=fault.message, hint=hint))


def _ends_a_description(comment: str) -> bool:
    """Whether a comment is not a description, but a disabled line or a column heading (`m h dom mon dow`)."""
    words = comment.split()
    if _HEADING.match(comment):
        return True
    if comment.startswith("@"):
        return words[0] in (*DESCRIPTORS, REBOOT) and len(words) > 1
    if len(words) <= 5 or comment[0] not in "*0123456789":
        return False
    try:
        Schedule.parse(" ".join(words[:5]), "UTC", "vixie")
    except ScheduleError:
        return False
    return True


def _description_of(comments: Sequence[str]) -> str:
    """The comments above a line as one text of at most `LONGEST` characters, without separator lines around them."""
    said = [place for place, text in enumerate(comments) if any(character.isalnum() for character in text)]
    whole = "\n".join(comments[said[0] : said[-1] + 1]) if said else ""
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"
