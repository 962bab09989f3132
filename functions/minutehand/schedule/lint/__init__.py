"""Warnings about valid schedules that may not mean what their author expects. Functions that only decode load none of them."""
