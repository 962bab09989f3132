"""The systems that jobs can be imported from."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from minutehand.tools.importers import celery, dkron, eventbridge, kubernetes, xxl_job
from minutehand.tools.importers.celery_module import read_module
from minutehand.tools.importers.running import System

SYSTEMS: Mapping[str, System] = MappingProxyType(
    {each.SYSTEM.name: each.SYSTEM for each in (eventbridge, dkron, xxl_job, celery, kubernetes)}
)

TextReader = Callable[[str], Iterator[tuple[int, Any]]]
"""Documents of a text, each with its line. Raises ExportFault."""
TEXT_READERS: Mapping[tuple[str, str], TextReader] = MappingProxyType(
    {
        ("celery", ".py"): read_module,
        ("xxl-job", ".sql"): xxl_job.read_dump,
        ("xxl-job", ".csv"): xxl_job.read_dump,
        ("xxl-job", ".tsv"): xxl_job.read_dump,
    }
)
"""Readers of exports that are neither YAML nor JSON, by system and suffix of the file."""
