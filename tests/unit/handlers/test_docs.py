"""docs/reference/handlers.md names all that a handler may use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minutehand import handlers
from minutehand.handlers import Invocation
from minutehand.handlers.context import Context, NoLine
from minutehand.handlers.testing import NOON
from tests.unit.handlers.conftest import Handlers, event

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reference" / "handlers.md").read_text(encoding="utf-8")
GUIDE = (DOCS / "how-to" / "python-handlers.md").read_text(encoding="utf-8")


def test_every_member_of_the_context_is_documented() -> None:
    context = Context(Invocation.of(event()), NoLine(), clock=lambda: NOON)
    members = {name for name in dir(context) if not name.startswith("_")}
    assert {name for name in members if not re.search(rf"`{name}[`(]", PAGE)} == set()


def test_every_field_of_an_invocation_is_documented() -> None:
    rows = PAGE.partition("## The run as a document")[2].partition("\n## ")[0]
    documented = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (.+?) \|", rows, re.MULTILINE))))
    assert documented == set(Invocation.__dataclass_fields__)


@pytest.mark.parametrize(
    "name", sorted(set(handlers.__all__) - {"AppError", "Middleware", "Parent", "Reply", "find_app"})
)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", PAGE + GUIDE)


def test_the_guide_s_handler_can_be_declared(handlers: Handlers) -> None:
    blocks = re.findall(r"```python\n(.+?)```", GUIDE, re.DOTALL)
    code = next(block for block in blocks if "@app.init" in block).replace('App("mypkg"', "App(__name__")
    code += "\nmake_pool = lambda: type('Pool', (), {'close': lambda self: None})()\ntables_of = lambda pool, day: []\n"
    assert handlers(code).run("reports/nightly", {"day": "2026-11-20"}).result == {"tables": 0}
