"""Import of an app's modules, and of the app that a command line names."""

import importlib
import pkgutil
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from minutehand.handlers.errors import AppError

_NOT_IMPORTED = re.compile(r"__main__|tests?|test_.*|.*_test|conftest")
"""Modules that declare no handlers: programs, which would run, and tests."""


def import_all(package: str) -> list[ModuleType]:
    """Import a module, and all modules of a package except `__main__` and tests.

    Raises:
        AppError: naming the module that cannot be imported, and why.
    """
    return [import_one(name) for name in _names(import_one(package))]


def import_one(name: str) -> ModuleType:
    """Import a module by its name. Raises AppError."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            hint = "start this where the package is, or install it; write its name with dots, such as mypkg.jobs"
            raise AppError(f"there is no module {error.name!r}", hint=hint) from None
        raise _broken(name, error) from error
    except (ValueError, TypeError):
        raise AppError(f"{name!r} is not the name of a module", hint="write mypkg, or mypkg.jobs") from None
    except AppError as error:
        raise AppError(f"{name}: {error.message}", hint=error.hint) from error
    except (Exception, SystemExit) as error:  # whatever a module does when it is imported
        raise _broken(name, error) from error


def add_working_folder() -> None:
    """Let modules of the working folder be imported, as `python -m` does."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)


def place_in(package: str, error: BaseException) -> str:
    """The last line of a package's code that an exception passed, such as `/srv/mypkg/db.py:12`; empty if it passed none."""
    top = sys.modules.get(package.partition(".")[0])
    roots = [*getattr(top, "__path__", ()), *filter(None, [getattr(top, "__file__", None)])]
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        f"{each.filename}:{each.lineno}"
        for each in frames
        if any(Path(each.filename).is_relative_to(root) for root in roots)
    ]
    return places[-1] if places else ""


def _names(module: ModuleType) -> Iterator[str]:
    yield module.__name__
    for found in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{module.__name__}."):
        if _NOT_IMPORTED.fullmatch(found.name.rpartition(".")[2]):
            continue
        if found.ispkg:
            yield from _names(import_one(found.name))
        else:
            yield found.name


def _broken(name: str, error: BaseException) -> AppError:
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "importlib" not in each.filename]
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if len(frames) > 1 else ""
    hint = "mend it, or name a module that does not import it, such as mypkg.jobs"
    return AppError(f"{name} cannot be imported: {type(error).__name__}: {error}{place}", hint=hint)
