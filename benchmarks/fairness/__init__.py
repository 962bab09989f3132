"""Lateness of a healthy job beside another namespace whose calls hang."""
