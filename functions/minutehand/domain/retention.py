"""How long records are kept by default."""

from __future__ import annotations

from datetime import timedelta

DEFAULT_RETENTION = timedelta(days=30)
"""For the runs of a job that does not set `retention`, unless the deployment sets another default (`RunRetentionDays`)."""
