"""How long records are kept by default."""

from __future__ import annotations

from datetime import timedelta

DEFAULT_RETENTION = timedelta(days=30)
"""How long a job without `retention` keeps its runs, unless the deployment sets another default (`RunRetentionDays`)."""
