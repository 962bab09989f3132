"""Finding an app by the name that a command line gives."""

from __future__ import annotations

import pytest

from minutehand.handlers import AppError
from minutehand.handlers.loading import find_app
from tests.unit.handlers.conftest import Package

ONE = '@job("{0}")\ndef run() -> str:\n    return "{0}"\n'


def test_all_modules_of_a_package_are_searched_but_programs_and_tests(package: Package) -> None:
    exits = "raise SystemExit('it ran')"
    parts = {"jobs": ONE.format("a"), "inner/__init__": "", "inner/more": ONE.format("b")}
    name = package("", **parts, __main__=exits, conftest=exits, test_jobs=exits, **{"tests/__init__": exits})
    assert sorted(find_app(name).handlers) == ["a", "b"]


def test_a_module_may_be_named_alone(package: Package) -> None:
    name = package("", jobs=ONE.format("a"), others=ONE.format("b"))
    assert sorted(find_app(f"{name}.jobs").handlers) == ["a"]


def test_a_package_whose_name_only_begins_alike_is_another(package: Package) -> None:
    name = package("", jobs=ONE.format("a"), jobs2=ONE.format("b"))
    find_app(f"{name}.jobs2")
    assert sorted(find_app(f"{name}.jobs").handlers) == ["a"]


def test_the_one_app_of_a_package_is_found_wherever_it_is(package: Package) -> None:
    name = package("", jobs=f'app = App(__package__, owner="data")\n{ONE.format("a")}', other="from .jobs import app")
    app = find_app(name)
    assert app.defaults == {"owner": "data"}
    assert find_app(f"{name}.jobs:app") is app


def test_several_apps_must_be_told_apart(package: Package) -> None:
    name = package("", jobs="one = App(__package__)\ntwo = App(__package__)\n")
    with pytest.raises(AppError, match=rf"has several apps: {name}.jobs:one, {name}.jobs:two; name one"):
        find_app(name)
    assert find_app(f"{name}.jobs:two").package == name


def test_an_app_that_is_not_there_is_named_with_the_likely_one(package: Package) -> None:
    name = package("", jobs="app = App(__package__)\n")
    with pytest.raises(AppError, match="has no app 'ap'; did you mean 'app'"):
        find_app(f"{name}.jobs:ap")


def test_a_module_that_does_not_exist_is_refused() -> None:
    with pytest.raises(AppError, match="there is no module 'no_such_package'; start this where the package is"):
        find_app("no_such_package.jobs")
    for name in ("", "..", "a b"):
        with pytest.raises(AppError):
            find_app(name)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(2)", "SystemExit: 2"),
        ("def", "SyntaxError"),
    ],
)
def test_a_module_that_cannot_be_imported_is_named_with_the_reason(package: Package, code: str, why: str) -> None:
    name = package("", jobs=code)
    with pytest.raises(AppError) as caught:
        find_app(name).handlers  # noqa: B018 - loads them
    assert f"{name}.jobs cannot be imported: {why}" in caught.value.message


def test_a_declaration_that_is_refused_names_its_module(package: Package) -> None:
    name = package("", jobs='@job("a", shedule="@daily")\ndef a() -> None: ...\n')
    with pytest.raises(AppError, match=rf"{name}.jobs: @job\('a'\) has no option 'shedule'; did you mean 'schedule'"):
        find_app(name)
