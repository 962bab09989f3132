"""Schedules, times, days and changes of clocks in plain English. Nothing that only decodes loads this."""
