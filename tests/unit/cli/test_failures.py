from minutehand.cli.failures import Exit, Failure, printable


def caret_line(text: str, column: int) -> str:
    problem = {"title": "no", "errors": [{"path": "schedule", "message": "wrong", "column": column}]}
    return list(Failure(problem, exit_code=Exit.USAGE, texts={0: text}).lines())[3]


def test_the_caret_counts_a_wide_character_as_two_cells_and_a_combining_one_as_none() -> None:
    assert caret_line("早e\u0301 x", 4) == "      " + " " * 4 + "^"


def test_the_caret_counts_what_is_escaped_as_it_is_shown() -> None:
    assert caret_line("\x1b x", 2) == "      " + " " * len("\\x1b ") + "^"


def test_a_column_outside_the_text_has_no_caret() -> None:
    problem = {
        "title": "no",
        "errors": [{"path": "schedule", "message": "wrong", "column": 9}, {"message": "x", "column": "y"}, 3],
    }
    lines = list(Failure(problem, exit_code=Exit.USAGE, texts={0: "x", 1: "x"}).lines())
    assert lines == ["error: no", "  schedule: wrong", "  x"]


def test_what_could_steer_a_terminal_is_escaped_and_scripts_are_not() -> None:
    assert printable("a\x1b[2J\r\x9b\u202e\ud800\tb") == "a\\x1b[2J\\r\\x9b\\u202e\\ud800 b"
    assert printable("早 é क्\u200cष 👩\u200d🚀\n") == "早 é क्\u200cष 👩\u200d🚀\n"


def test_of_several_texts_joined_the_one_at_fault_is_named() -> None:
    problem = {"title": "no", "errors": [{"path": "hour", "message": "wrong", "column": 2, "part": 1, "hint": "right"}]}
    assert list(Failure(problem, exit_code=Exit.USAGE, texts={0: "0 61"}).lines()) == [
        "error: no",
        "  schedule 2, hour: wrong",
        "      0 61",
        "        ^",
        "    hint: right",
    ]


def test_of_several_texts_joined_one_that_is_wrong_as_a_whole_is_named_once() -> None:
    problem = {"title": "no", "errors": [{"path": "schedule", "message": "wrong", "part": 1}]}
    assert list(Failure(problem, exit_code=Exit.USAGE).lines()) == ["error: no", "  schedule 2: wrong"]
