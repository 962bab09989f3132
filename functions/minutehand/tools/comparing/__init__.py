"""Comparison of a job's runs with what another scheduler did, by its log."""
