"""What is kept of an output, and what is progress."""

from __future__ import annotations

import pytest

from minutehand.agent.output import KEPT, LONGEST_LINE, Output, Step


def fed(*pieces: bytes) -> Output:
    output = Output()
    for piece in pieces:
        output.feed(piece)
    output.close()
    return output


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("::progress 40", Step(40, None)),
        ("::progress 40 of the files", Step(40, "of the files")),
        ("::progress 100% done", Step(100, "done")),
        ("::progress  7\tseven\r", Step(7, "seven")),
        ("::progress second part", Step(None, "second part")),
        ("::progress 140 files", Step(None, "140 files")),
        ("::progress 2026-11-20", Step(None, "2026-11-20")),
        ("::progress - 3 of 5", Step(None, "3 of 5")),
        ("::progress -3 degrees", Step(None, "-3 degrees")),
        ("::progress 5 a\x1b[31mred\u2028line", Step(5, "a [31mred line")),
    ],
)
def test_a_line_of_progress_has_a_percentage_or_a_text_or_both(line: str, step: Step) -> None:
    output = fed(f"before\n{line}\nafter\n".encode())
    assert (output.step, output.text) == (step, "before\nafter\n")


@pytest.mark.parametrize(
    "line",
    ["::progress", "::progress ", "::progress -", "::progressing 4", " ::progress 4", "x::progress 4", ":: progress 4"],
)
def test_other_lines_are_output(line: str) -> None:
    output = fed(f"{line}\n".encode())
    assert (output.step, output.text, output.size) == (None, f"{line}\n", len(line) + 1)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_are_told_apart_however_they_are_cut(size: int) -> None:
    text = "one\n::progress 10 ten\n::prog\ntwo ::progress 20\n\n::progress 30\n::progress"
    data = text.encode()
    output = fed(*(data[at : at + size] for at in range(0, len(data), size)))
    assert output.text == "one\n::prog\ntwo ::progress 20\n\n::progress"
    assert output.step == Step(30, None)
    assert output.size == len(output.text)


def test_a_last_line_of_progress_needs_no_end() -> None:
    assert fed(b"on\n::progress 50 half").step == Step(50, "half")


def test_a_line_that_never_ends_is_output_in_bounded_memory() -> None:
    output = Output()
    for _ in range(100):
        output.feed(b"::progress " + b"x" * LONGEST_LINE)
    assert output.size == 100 * (LONGEST_LINE + 11)
    output.feed(b"\n::progress 5\n")
    assert output.step == Step(5, None)


@pytest.mark.parametrize("line", [b" " * 30_000 + b"\rX\n", b"\t " * 15_000 + b"\r" * 30_000 + b"\n"])
def test_a_line_that_is_nearly_one_of_progress_is_judged_in_linear_time(line: bytes) -> None:
    data = b"::progress" + line  # half a second for each, if the time were quadratic
    output = fed(*[data] * 100)
    assert (output.size, output.step) == (100 * len(data), None)


def test_a_text_of_progress_is_at_most_as_long_as_the_api_takes() -> None:
    step = fed(b"::progress 5 " + b"x" * 900 + b"\n").step
    assert step is not None
    assert step.text == "x" * 200


def test_the_end_begins_with_a_whole_character() -> None:
    output = fed("早".encode() * KEPT)
    assert output.text == "早" * (KEPT // 3)
    assert output.size == 3 * KEPT


def test_the_last_line_is_plain() -> None:
    assert fed(b"a\n  \x1b[31mno\troom \n\n").last_line == "[31mno room"
    assert fed(b"\n \n").last_line == ""
