"""The beat schedule in a Python module, read without running it: its texts, numbers, lists and dicts, and calls of `crontab`,
`schedule`, `solar` and `timedelta`.

What code computes becomes {"code": its text}; so the report can name it.
"""

import ast
import warnings
from collections.abc import Iterator
from typing import Any

from minutehand.tools.importers.exports import ExportFault

_SCHEDULES = {"beat_schedule", "CELERY_BEAT_SCHEDULE", "CELERYBEAT_SCHEDULE"}
_ZONES = {"timezone", "CELERY_TIMEZONE"}
_CRONTAB = ("minute", "hour", "day_of_week", "day_of_month", "month_of_year")
_UNITS = {
    "days": 86_400,
    "seconds": 1,
    "microseconds": 1e-6,
    "milliseconds": 1e-3,
    "minutes": 60,
    "hours": 3_600,
    "weeks": 604_800,
}
_TIMEDELTA = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
_MOST = 1e15
_HINT = "give a module with app.conf.beat_schedule = {…}, or the dict as JSON"


DEEPEST = 200
"""Most levels of a module's syntax tree."""


class _Code(Exception):
    """Something that only running the module would tell."""


def read_module(text: str) -> Iterator[tuple[int, Any]]:
    """The entries of a module's beat schedule, each with its line: {"entry": its name, "timezone": …, "fields": {…}}. Raises
    ExportFault."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
        _refuse_deep(module)
        found = list(_Reader(module).entries())
    except SyntaxError as error:
        raise ExportFault(error.lineno or 1, f"this is not Python: {error.msg}", None) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ExportFault(1, f"this is not Python: {error or 'it is nested too deeply'}"[:200], None) from None
    if not found:
        raise ExportFault(1, "this module sets no beat_schedule, and adds no periodic task", _HINT)
    yield from found


def _refuse_deep(module: ast.Module) -> None:
    """Refuse what later steps, which call themselves, could read or not by how much of the stack is left. Raises ExportFault."""
    level: list[ast.AST] = [module]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise ExportFault(getattr(level[0], "lineno", 1), "this is nested too deeply", None)


class _Reader:
    def __init__(self, module: ast.Module) -> None:
        self._nodes = list(ast.walk(module))
        self._constants = {
            node.targets[0].id: node.value
            for node in module.body
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        }
        self._reading: set[str] = set()

    def entries(self) -> Iterator[tuple[int, Any]]:
        zone = self._zone()
        named = [(key, value) for node in self._nodes for key, value in self._entries_in(node)]
        for key, value in named:
            name = self._or_code(key)
            fields = self._fields(value)
            yield (
                key.lineno,
                {"entry": name if isinstance(name, str) else str(name), "timezone": zone, "fields": fields},
            )
        for node in self._nodes:
            if isinstance(node, ast.Call) and _last_name(node.func) == "add_periodic_task":
                fields = self._added(node)
                entry = str(fields.pop("name", None) or fields["task"])
                yield node.lineno, {"entry": entry, "timezone": zone, "fields": fields}

    def _zone(self) -> str | None:
        for node in self._nodes:
            value: ast.expr | None = None
            if isinstance(node, ast.Assign) and any(_last_name(target) in _ZONES for target in node.targets):
                value = node.value
            elif isinstance(node, ast.Call) and _last_name(node.func) in {"update", "Celery"}:
                value = next((word.value for word in node.keywords if word.arg in _ZONES), None)
            if value is not None and isinstance(found := self._or_code(value), str):
                return found
        return None

    def _entries_in(self, node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
        """The names and the values of the entries that a statement or a call adds to the beat schedule."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if _last_name(target) in _SCHEDULES:
                    yield from self._items(node.value)
                elif isinstance(target, ast.Subscript) and _last_name(target.value) in _SCHEDULES:
                    yield target.slice, node.value
        elif isinstance(node, ast.AnnAssign) and _last_name(node.target) in _SCHEDULES and node.value is not None:
            yield from self._items(node.value)
        elif isinstance(node, ast.Call):
            for word in node.keywords:
                if word.arg in _SCHEDULES:
                    yield from self._items(word.value)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "update" and node.args:
                if _last_name(node.func.value) in _SCHEDULES:
                    yield from self._items(node.args[0])

    def _items(self, node: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
        if isinstance(node, ast.Name) and node.id in self._constants:
            node = self._constants[node.id]
        if isinstance(node, ast.Call) and _last_name(node.func) == "dict" and not node.args:
            node = _as_dict(node)
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield key or ast.copy_location(ast.Constant(value=f"**{ast.unparse(value)}"), value), value
        else:
            yield ast.copy_location(ast.Constant(value=f"line {node.lineno}"), node), node

    def _fields(self, node: ast.expr) -> dict[str, Any]:
        if isinstance(node, ast.Name) and node.id in self._constants:
            node = self._constants[node.id]
        if isinstance(node, ast.Call) and _last_name(node.func) == "dict" and not node.args:
            node = _as_dict(node)
        if not isinstance(node, ast.Dict) or any(key is None for key in node.keys):
            return {"schedule": {"code": ast.unparse(node)[:200]}}
        pairs = zip(node.keys, node.values, strict=True)
        return {str(self._or_code(key)): self._or_code(value) for key, value in pairs if key is not None}

    def _added(self, call: ast.Call) -> dict[str, Any]:
        """The fields of `add_periodic_task(schedule, task.s(…), args, kwargs, name=…, **options)`."""
        given = dict(zip(("schedule", "sig", "args", "kwargs", "name"), call.args, strict=False))
        given |= {word.arg: word.value for word in call.keywords if word.arg}
        fields = {
            name: self._or_code(value)
            for name, value in given.items()
            if name in {"schedule", "args", "kwargs", "name"}
        }
        options = {name: self._or_code(value) for name, value in given.items() if name not in {*fields, "sig"}}
        signature = given.get("sig")
        if isinstance(signature, ast.Call) and isinstance(signature.func, ast.Attribute):
            if signature.func.attr in {"s", "si"}:
                fields.setdefault("args", [self._or_code(each) for each in signature.args])
                fields.setdefault(
                    "kwargs", {word.arg: self._or_code(word.value) for word in signature.keywords if word.arg}
                )
            fields["task"] = ast.unparse(signature.func.value)
        else:
            fields["task"] = ast.unparse(signature) if signature is not None else ""
        return fields | {"options": options, "added": True}

    def _or_code(self, node: ast.expr) -> Any:
        try:
            return self._value(node)
        except _Code:
            return {"code": ast.unparse(node)[:200]}

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value) if value is None or isinstance(value, str | int | float):
                return value
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return [self._value(item) for item in items]
            case ast.Dict(keys=keys, values=values):
                if any(key is None for key in keys):
                    raise _Code
                return {
                    str(self._value(key)): self._value(value) for key, value in zip(keys, values, strict=True) if key
                }
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(operand)
            case ast.BinOp(left=left, op=ast.Mult() | ast.Add() | ast.Sub() | ast.Div() as op, right=right):
                return _combined(self._number(left), op, self._number(right))
            case ast.Name(id=name) if name in self._constants and name not in self._reading:
                self._reading.add(name)
                try:
                    return self._value(self._constants[name])
                finally:
                    self._reading.discard(name)
            case ast.Call():
                return self._call(node)
            case _:
                raise _Code

    def _call(self, call: ast.Call) -> Any:
        name = _last_name(call.func)
        positional = [self._value(each) for each in call.args]
        if any(word.arg is None for word in call.keywords):
            raise _Code
        named = {str(word.arg): self._value(word.value) for word in call.keywords}
        if name == "crontab" and "nowfun" not in named:
            return {"crontab": dict(zip(_CRONTAB, positional, strict=False)) | named}
        if name == "timedelta":
            parts = dict(zip(_TIMEDELTA, positional, strict=False)) | named
            if set(parts) <= set(_UNITS) and all(isinstance(n, int | float) for n in parts.values()):
                return {"every": sum(n * _UNITS[unit] for unit, n in parts.items())}
        if name == "schedule" and not set(named) - {"run_every", "relative"}:
            every = named.get("run_every", positional[0] if positional else None)
            seconds = every.get("every") if isinstance(every, dict) else every
            return {"every": seconds} | ({"relative": True} if named.get("relative") else {})
        if name == "solar":
            return {"solar": ", ".join(map(str, [*positional, *named.values()]))}
        if name == "dict" and not positional:
            return named
        raise _Code

    def _number(self, node: ast.expr) -> float:
        value = self._value(node)
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _MOST:
            raise _Code
        return value


def _combined(left: float, op: ast.operator, right: float) -> float:
    match op:
        case ast.Mult():
            return left * right
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case _ if right:
            return left / right
        case _:
            raise _Code


def _as_dict(call: ast.Call) -> ast.Dict:
    words = [word for word in call.keywords if word.arg]
    keys: list[ast.expr | None] = [ast.copy_location(ast.Constant(value=word.arg), word.value) for word in words]
    return ast.copy_location(ast.Dict(keys=keys, values=[word.value for word in words]), call)


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
