"""Crontabs as text: reading them, writing them, and what their lines become. Pure: no file, no clock, no API.

The rules are those of Debian's cron 3.0pl1, its crontab(5) and what its daemon does where the page is silent.
"""
