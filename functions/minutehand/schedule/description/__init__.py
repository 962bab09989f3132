"""Descriptions: a compiled schedule as one English sentence. Functions that only decode do not load this package."""
