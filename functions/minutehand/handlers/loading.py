"""The app that a text such as `mypkg` or `mypkg.jobs:app` names."""

from types import ModuleType

from minutehand.handlers.app import App
from minutehand.handlers.errors import AppError, did_you_mean
from minutehand.handlers.modules import import_all, import_one


def find_app(text: str) -> App:
    """Find an app by its package, or as `module:name`. A package without an `App` gets a plain one.

    Raises:
        AppError: if it cannot be imported, or has several.
    """
    name, colon, variable = text.partition(":")
    if colon:
        module = import_one(name)
        found = getattr(module, variable, None)
        if not isinstance(found, App):
            apps = {key for key, value in vars(module).items() if isinstance(value, App)}
            hint = f"{did_you_mean(variable, apps)}write app = App({name!r}) in it"
            raise AppError(f"{name} has no app {variable!r}", hint=hint)
        return found
    apps_by_place = _apps(import_all(name))
    if len(apps_by_place) > 1:
        places = sorted(apps_by_place.values())
        raise AppError(f"{name} has several apps: {', '.join(places)}", hint=f"name one, such as {places[0]}")
    return next(iter(apps_by_place), None) or App(name)


def _apps(modules: list[ModuleType]) -> dict[App, str]:
    """All apps of modules, each with the first place where it is found."""
    found: dict[App, str] = {}
    for module in modules:
        for key, value in list(vars(module).items()):
            if isinstance(value, App):
                found.setdefault(value, f"{module.__name__}:{key}")
    return found
