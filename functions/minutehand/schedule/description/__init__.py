"""Descriptions: a compiled schedule as one English sentence. Functions that only decode schedules do not load this package."""
