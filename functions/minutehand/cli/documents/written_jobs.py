"""Writer of jobs as YAML that `minutehand apply` reads back unchanged."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from minutehand.cli.documents.yaml_json import CORE_SCHEMA, YAML_TAG


class _Writer(yaml.SafeDumper):
    """A dumper that quotes each text which either YAML 1.1 or the core schema of YAML 1.2 would read as something else."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        """Write a value as often as it occurs: references are harder to read than the value."""
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """A text: several lines as a block; in double quotes if it has line ends of YAML 1.1 or other characters that only escapes keep."""
        plain = all(character.isprintable() or character == "\n" for character in data)
        style = "|" if "\n" in data else None
        return self.represent_scalar(f"{YAML_TAG}str", data, style=style if plain else '"')


_Writer.add_representer(str, _Writer.represent_str)
for _tag, _pattern, _first in CORE_SCHEMA:
    _Writer.add_implicit_resolver(f"{YAML_TAG}{_tag}", re.compile(f"(?:{_pattern})$"), list(_first))


def write_jobs(
    heading: Sequence[str], jobs: Iterable[tuple[Sequence[str], dict[str, Any]]], ending: Sequence[str]
) -> str:
    """The text of a file with several jobs, each below its comments."""
    parts = [_comments(heading)]
    parts += [f"---\n{_comments(comments)}{job_text(job)}" for comments, job in jobs]
    return "".join(parts) + (f"---\n{_comments(ending)}" if ending else "")


def job_text(job: dict[str, Any]) -> str:
    """A job as YAML."""
    return yaml.dump(job, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=120)


def _comments(lines: Sequence[str]) -> str:
    return "".join(f"# {''.join(map(_shown, line))}\n" for line in lines)


def _shown(character: str) -> str:
    """A character of a comment; one that would end the comment, or that no YAML may hold, is escaped."""
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
