"""The logger of this process."""

from __future__ import annotations

import logging
import os

from aws_lambda_powertools.logging import Logger

logger = Logger()
# Powertools takes its level from Lambda's own log filter, if there is one, rather than from its own variable. That filter must pass
# INFO, because it treats metrics as INFO. So the level in the variable, which the template sets for log lines, is applied here.
logging.getLogger(logger.service).setLevel(os.environ.get("POWERTOOLS_LOG_LEVEL", "INFO"))
