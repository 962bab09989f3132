"""Tests of targets of type `command`."""
