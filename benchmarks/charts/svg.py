"""SVG as text: the frame of a picture, its legend, and the few shapes in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

WIDTH = 760
LETTER = 6.6
"""How wide a letter is on the average, in the picture's units; text cannot be measured without a browser."""
LINE = 16
_EDGE = 20
_LIGHT = ("#0072b2", "#d55e00", "#009e73", "#a3498b", "#8a6d00", "#5b5b5b")
_DARK = ("#5ab4f0", "#ff9a57", "#3fd0a4", "#e59fce", "#e6c34a", "#b5b5b5")
_DASHES = ("none", "7 3", "2 3", "9 3 2 3", "12 4", "4 2")
"""A line is told from another by its dashes too, for who does not see colours."""

Shape = str


def text(x: float, y: float, words: str, *, anchor: str = "start", kind: str = "", turned: bool = False) -> Shape:
    """Words; `turned` ones are read from below."""
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}"{named}{turn}>{escape(words)}</text>'


def line(x: float, y: float, to_x: float, to_y: float, kind: str) -> Shape:
    """A straight line: `grid`, `axis` or `limit`."""
    return f'<line x1="{_n(x)}" y1="{_n(y)}" x2="{_n(to_x)}" y2="{_n(to_y)}" class="{kind}"/>'


def bar(x: float, y: float, width: float, height: float, series: int) -> Shape:
    """A bar in the colour of a series."""
    return f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" class="f{series}"/>'


def path(points: Sequence[tuple[float, float]], series: int) -> Shape:
    """A line through points, in the colour and the dashes of a series."""
    return f'<polyline points="{" ".join(f"{_n(x)},{_n(y)}" for x, y in points)}" class="l{series}"/>'


def mark(x: float, y: float, series: int) -> Shape:
    """A point of a series: round, square, and so on, as the series have it."""
    match series % 4:
        case 0:
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="4" class="f{series}"/>'
        case 1:
            return f'<rect x="{_n(x - 3.5)}" y="{_n(y - 3.5)}" width="7" height="7" class="f{series}"/>'
        case 2:
            corners: tuple[tuple[float, float], ...] = ((x, y - 5), (x + 4.5, y + 3.5), (x - 4.5, y + 3.5))
        case _:
            corners = ((x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y))
    return f'<polygon points="{" ".join(f"{_n(a)},{_n(b)}" for a, b in corners)}" class="f{series}"/>'


def legend(names: Sequence[str], y: float, *, lines: bool) -> tuple[list[Shape], float]:
    """What each colour stands for, in as many lines as it takes from `y` on, and where it ends; nothing when there is only one."""
    shapes: list[Shape] = []
    if len(names) < 2:
        return shapes, y
    x = float(_EDGE)
    for series, name in enumerate(names):
        wide = 28 + LETTER * len(name) + 18
        if x + wide > WIDTH and x > _EDGE:
            x, y = float(_EDGE), y + LINE + 2
        if lines:
            shapes += [path([(x, y - 4), (x + 22, y - 4)], series), mark(x + 11, y - 4, series)]
        else:
            shapes.append(bar(x + 4, y - 10, 14, 11, series))
        shapes.append(text(x + 28, y, name))
        x += wide
    return shapes, y + LINE


def picture(title: str, told: str, height: float, shapes: Iterable[Shape]) -> str:
    """A whole file.

    Args:
        told: all that the picture shows, in words: for who listens to it.
    """
    size = f'viewBox="0 0 {WIDTH} {_n(height)}" width="{WIDTH}" height="{_n(height)}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title desc">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(told)}</desc>',
            _style(),
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{_n(height - 1)}" rx="6" class="page"/>',
            text(_EDGE, 28, title, kind="title"),
            *shapes,
            "</svg>",
            "",
        )
    )


def _style() -> str:
    """The page is part of the picture, so that it can be read wherever it is shown."""
    light = _colours(_LIGHT, page="#ffffff", ink="#1f2328", grid="#d8dee4", axis="#6e7781", goal="#b00020")
    dark = _colours(_DARK, page="#0d1117", ink="#e6edf3", grid="#30363d", axis="#8d96a0", goal="#ff7b86")
    shapes = (
        "text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}.title{font-size:15px;font-weight:600}.of{font-style:italic}"
        "line{stroke-width:1}.limit{stroke-width:1.5;stroke-dasharray:5 4}polyline{fill:none;stroke-width:2}"
    )
    dashes = "".join(f".l{n}{{stroke-dasharray:{dash}}}" for n, dash in enumerate(_DASHES))
    return f"<style>{shapes}{dashes}\n{light}\n@media (prefers-color-scheme:dark){{{dark}}}</style>"


def _colours(series: Sequence[str], *, page: str, ink: str, grid: str, axis: str, goal: str) -> str:
    own = "".join(f".f{n}{{fill:{colour}}}.l{n}{{stroke:{colour}}}" for n, colour in enumerate(series))
    return (
        f".page{{fill:{page};stroke:{grid}}}text{{fill:{ink}}}.grid{{stroke:{grid}}}.axis{{stroke:{axis}}}"
        f".limit{{stroke:{goal}}}.goal{{fill:{goal}}}{own}"
    )


def _n(figure: float) -> str:
    """With a digit after the point at most: less would be seen, more would not."""
    return f"{figure:.1f}".removesuffix(".0")
