"""Parser and writer of crontabs, and their conversion to jobs. Pure: no file, no clock, no API.

The rules are those of Debian's cron 3.0pl1, its crontab(5), and its source where the page is silent.
"""
