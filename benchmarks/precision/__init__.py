"""Lateness of jobs with seconds, at the worker and at the target: Minutehand and other schedulers."""
