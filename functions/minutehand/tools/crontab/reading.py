"""Parser of a crontab: its entries, or all its errors."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from minutehand.schedule import ScheduleError
from minutehand.schedule.zones import check_zone
from minutehand.tools.crontab.comments import description_of, ends_a_description, text_of
from minutehand.tools.crontab.fields import Entry, LineFault, read_entry
from minutehand.tools.crontab.settings import Setting, read_setting, setting_fault


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


def read_crontab(text: str, *, system: bool, guessed: bool = False) -> Crontab:
    """Parse it top to bottom, as cron does: a variable applies to the lines below it; the last line may lack its end.

    system: whether a user column comes before the command, as in /etc/crontab.

    guessed: whether `system` is an assumption, so that a first word `root` is an error.
    """
    reader = _Reader(system=system, guessed=guessed)
    for number, line in enumerate(text.split("\n"), start=1):
        reader.read(number, line)
    return Crontab(lines=tuple(reader.lines), problems=tuple(reader.problems), notes=tuple(reader.notes))


@dataclass(kw_only=True)
class _Reader:
    system: bool
    guessed: bool
    lines: list[Line] = field(default_factory=list)
    problems: list[Remark] = field(default_factory=list)
    notes: list[Remark] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    zone: str | None = None
    zone_is_cron_tz: bool = False
    above: list[str] = field(default_factory=list)
    before: str = ""
    told_of_returns: bool = False

    def read(self, number: int, raw: str) -> None:
        line = self._without_return(number, raw)
        stripped = line.strip()
        if stripped.startswith("#"):
            self._comment(text_of(stripped))
        else:
            if stripped:
                self._active(number, line)
            self.above.clear()
        self.before = line

    def _without_return(self, number: int, raw: str) -> str:
        if not raw.endswith("\r"):
            return raw
        if not self.told_of_returns:
            self.told_of_returns = True
            message = "the line ends with a carriage return, which cron would pass to the command"
            self._problem(number, raw, LineFault(len(raw) - 1, message, "save the file with Unix line ends"))
        return raw[:-1]

    def _comment(self, text: str) -> None:
        if ends_a_description(text):
            self.above.clear()
        else:
            self.above.append(text)

    def _active(self, number: int, line: str) -> None:
        setting = read_setting(line)
        if setting is not None:
            self._set(number, line, setting)
            return
        fault = setting_fault(line)
        if fault is not None:
            self._problem(number, line, LineFault(*fault))
            return
        try:
            entry = read_entry(line, system=self.system, guessed=self.guessed)
        except LineFault as error:
            self._problem(number, line, error)
            return
        self.lines.append(
            Line(
                number=number,
                entry=entry,
                environment=dict(self.environment),
                timezone=self.zone,
                description=description_of(self.above),
            )
        )

    def _set(self, number: int, line: str, setting: Setting) -> None:
        if setting.name in ("CRON_TZ", "TZ"):
            self._set_zone(number, line, setting)
        if setting.name != "CRON_TZ":
            self.environment[setting.name] = setting.value

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
