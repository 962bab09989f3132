"""How long records are kept by default."""

from __future__ import annotations

from datetime import timedelta

DEFAULT_RETENTION = timedelta(days=30)
"""How long a job without `retention` keeps its runs, unless the deployment sets another default (`RunRetentionDays`)."""
AUDIT_RETENTION = timedelta(days=400)
"""How long records of changes are kept, unless the deployment sets another time (`AuditRetentionDays`): a year and its review."""
