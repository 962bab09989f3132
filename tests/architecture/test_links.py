"""Every relative link of the documentation leads to a file and a heading, and the index lists every page."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "localstack" / "README.md",
    ROOT / "clients" / "typescript" / "README.md",
    *sorted(DOCS.rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
_PAGE_IN_CODE = re.compile(r"(?<![\w./-])docs/[\w./-]*\.(?:md|json)")


def _prose(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings, and those that the page sets itself."""
    text = _prose(page)
    slugs: list[str] = []
    seen: Counter[str] = Counter()
    for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w -]", "", shown.lower()).replace(" ", "-")
        slugs.append(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return {*slugs, *re.findall(r'<a id="([^"]+)"', text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = []
    for path, anchor in _LINK.findall(_prose(page)):
        if "://" in path:
            continue
        target = Path(os.path.normpath(page.parent / path)) if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            broken.append(f"{path}#{anchor}")
    assert not broken


def test_the_index_lists_every_page() -> None:
    index = DOCS / "README.md"
    linked = {os.path.normpath(DOCS / path) for path, _ in _LINK.findall(_prose(index)) if "://" not in path}
    pages = {*DOCS.rglob("*.md"), *DOCS.rglob("*.schema.json")} - {index}
    assert {str(page) for page in pages} - linked == set()


@pytest.mark.thorough
def test_every_page_that_code_names_exists() -> None:
    folders = ("functions", "infra", "localstack", "benchmarks", "tests", "examples")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    files += [ROOT / "Makefile", ROOT / "template.yaml", *(ROOT / "infra").glob("*.yaml")]
    missing = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        if file != Path(__file__)
        for name in _PAGE_IN_CODE.findall(file.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    }
    assert not missing
