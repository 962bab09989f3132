"""Minutehand: a serverless distributed cron."""

__version__ = "0.1.0"
