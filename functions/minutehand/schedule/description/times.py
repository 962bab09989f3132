"""Times of day in words.

cron-descriptor describes the simple forms: a few times, one interval, one range of hours. It is wrong about others ("Every 40
minutes" for */40, "every 2 hours" for 1-23/2 within a list), so this module describes those. cron-descriptor gets fields in one
normal form only: `*`, an even `*/n`, `a-b`, or a list.
"""

from functools import lru_cache
from typing import NamedTuple

from cron_descriptor import ExpressionDescriptor, Options

from minutehand.schedule.clocktime import set_bits
from minutehand.schedule.crontab import EVERY_HOUR, EVERY_MINUTE
from minutehand.schedule.description.english import clock, counted, every, listed, ordinal, progression, ranges

_FEW = 3
"""A description lists up to this many evenly spaced times of day one by one."""
_SOME = 6
"""Most unevenly spaced times of day that a description lists one by one."""


class ClockWords(NamedTuple):
    """The times of day, with which a description starts. times: whether the text only lists them, as in `At 09:00 and 17:00`."""

    text: str
    times: bool = False


@lru_cache(maxsize=1024)
def clock_words(seconds: int, minutes: int, hours: int) -> ClockWords:
    """Describe the times that the bit masks of second, minute and hour name. Different masks give different texts."""
    named = set_bits(seconds)
    if len(named) > 1:
        return ClockWords(_several_seconds(named, minutes, hours))
    minute_values, hour_values = set_bits(minutes), set_bits(hours)
    second, count = named[0], len(minute_values) * len(hour_values)
    evenly = _field(minutes, 60).startswith("*")
    if count <= _FEW or (count <= _SOME and not evenly and not progression(hour_values, 4)):
        return ClockWords(_times(second, minute_values, hour_values), times=True)
    if len(minute_values) == 1:
        return _one_minute(second, minute_values[0], hours, hour_values)
    text = _several_minutes(minutes, minute_values, hours, hour_values)
    if second == 0:
        return ClockWords(text)
    return ClockWords(f"{text}, at {counted(second, 'second')} past the minute")


def follows_the_clock(seconds: int, minutes: int, hours: int) -> bool:
    """Whether the text describes an interval ("every 5 minutes"), which readers expect to go on through clock changes."""
    return any(_field(mask, size).startswith("*") for mask, size in ((seconds, 60), (minutes, 60), (hours, 24)))


def _field(mask: int, size: int) -> str:
    """A bit mask as the text of a crontab field, in the one normal form that cron-descriptor gets."""
    values = set_bits(mask)
    if len(values) == size:
        return "*"
    step = progression(values, 2)
    if step and step > 1 and values[0] == 0 and step * len(values) == size:
        return f"*/{step}"
    if step == 1 and len(values) > 2:
        return f"{values[0]}-{values[-1]}"
    return ",".join(map(str, values))


@lru_cache(maxsize=1024)
def _by_cron_descriptor(expression: str) -> str:
    """Description by cron-descriptor, without its comma before "and" in longer lists."""
    options = Options(locale_code="en_US", use_24hour_time_format=True)
    text: str = ExpressionDescriptor(expression, options).get_description()
    return text.replace(", and ", " and ")


def _times(second: int, minutes: list[int], hours: list[int]) -> str:
    if second == 0 and len(minutes) == 1:
        return _by_cron_descriptor(f"{minutes[0]} {','.join(map(str, hours))} * * *")
    return f"At {listed([clock(hour * 3600 + minute * 60 + second) for hour in hours for minute in minutes])}"


def _one_minute(second: int, minute: int, hours: int, hour_values: list[int]) -> ClockWords:
    """Describe one and the same minute in each of several hours."""
    text = _field(hours, 24)
    if text.startswith("*") and minute == second == 0:
        return ClockWords(_by_cron_descriptor(f"0 {text} * * *"))
    if text == "*":
        parts = [counted(minute, "minute")] * (minute > 0 or second > 0) + [counted(second, "second")] * (second > 0)
        return ClockWords(f"At {listed(parts)} past the hour")
    step = progression(hour_values, 4)
    if step is None:
        return ClockWords(_times(second, [minute], hour_values), times=True)
    first, last = (clock(hour * 3600 + minute * 60 + second) for hour in (hour_values[0], hour_values[-1]))
    return ClockWords(f"E{every(step, 'hour')[1:]} from {first} to {last}")


def _several_minutes(minutes: int, minute_values: list[int], hours: int, hour_values: list[int]) -> str:
    text, hour_text = _field(minutes, 60), _field(hours, 24)
    step = None if text.startswith("*") else progression(minute_values, 4)
    if step and len(hour_values) == 1:
        first, last = (clock(hour_values[0] * 3600 + minute * 60) for minute in (minute_values[0], minute_values[-1]))
        return f"E{every(step, 'minute')[1:]} from {first} to {last}"
    if step:
        words = f"E{every(step, 'minute')[1:]} from {minute_values[0]} to {minute_values[-1]} minutes past the hour"
        return words + _hours(hours, hour_values)
    if text.startswith("*") and (hour_text == "*" or len(ranges(hour_values)) == 1):
        within = hour_text if hour_text in ("*", str(hour_values[0])) else f"{hour_values[0]}-{hour_values[-1]}"
        return _by_cron_descriptor(f"{text} {within} * * *")
    listed_minutes = text if text.startswith("*") else ",".join(map(str, minute_values))
    return _by_cron_descriptor(f"{listed_minutes} * * * *") + _hours(hours, hour_values)


def _hours(hours: int, values: list[int]) -> str:
    """The named hours as the end of a sentence's first phrase; empty for every hour."""
    if hours == EVERY_HOUR:
        return ""
    spans = ranges(values)
    if len(spans) <= _FEW:
        return f", {listed([f'between {low:02}:00 and {high:02}:59' for low, high in spans])}"
    step = progression(values, 4)
    if step:
        return f", in every {ordinal(step)} hour from {values[0]:02}:00 to {values[-1]:02}:59"
    return f", in the hours that begin at {listed([f'{hour:02}:00' for hour in values])}"


def _several_seconds(values: list[int], minutes: int, hours: int) -> str:
    text = _field(sum(1 << value for value in values), 60)
    whole_field = text.startswith("*")
    step = None if whole_field else progression(values, 4)
    if step:
        words = f"E{every(step, 'second')[1:]} from {values[0]} to {values[-1]} seconds past the minute"
    else:
        words = _by_cron_descriptor(f"{text if whole_field else ','.join(map(str, values))} * * * * *")
    if minutes == EVERY_MINUTE:
        return words + _hours(hours, set_bits(hours))
    within = clock_words(1, minutes, hours).text
    if whole_field or step:
        return f"{words}{' for a minute' if whole_field else ''}, {within[0].lower()}{within[1:]}"
    return f"{words.removesuffix(' past the minute')} of a single minute, {within[0].lower()}{within[1:]}"
