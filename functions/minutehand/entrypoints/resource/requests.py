"""Requests of CloudFormation: create, update or delete the job of a resource.

The physical id of a resource is the job's full name. So a new name is a replacement: CloudFormation deletes the old job once the rest
of the update has succeeded, and the new one if the update is rolled back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from minutehand.domain.errors import FieldProblem, Invalid, MinutehandError
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.stack_resource import StackResource
from minutehand.domain.token import EVERYWHERE
from minutehand.entrypoints.api.forms.accept import DEFAULT_TERMS, Terms, accept
from minutehand.entrypoints.api.forms.invalid import name_problem
from minutehand.entrypoints.api.problems import schedule_problem
from minutehand.entrypoints.custom_resource import answer_to, fitting
from minutehand.entrypoints.resource.properties import Converted
from minutehand.entrypoints.resource.repeats import Repeats
from minutehand.entrypoints.telemetry import logger
from minutehand.schedule import ScheduleError
from minutehand.usecases.definitions import stack_jobs
from minutehand.usecases.definitions.stack_jobs import ManagedElsewhere, Removal
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stack_answers import StackAnswers

NOT_CREATED = "not-created"
"""The physical id of a resource whose properties name no job."""
_MOST_PROBLEMS = 10
_NAME_HINT = "write a name, such as nightly-report"
_REFUSALS = (Invalid, ManagedElsewhere, ScheduleError)
"""Errors after which nothing was saved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deployment:
    """The parts of a deployment that the function uses.

    Attributes:
        terms: limits and defaults for jobs.
        namespaces: names of the namespaces in which stacks may manage jobs, or `*` for all.
    """

    ports: Ports
    answers: StackAnswers
    terms: Terms = DEFAULT_TERMS
    namespaces: tuple[str, ...] = ()


class Request(NamedTuple):
    """A request of CloudFormation."""

    kind: str
    resource: StackResource
    physical_id: str
    properties: Mapping[str, Any]

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Request:
        """Read an event. Raises Invalid for one that CloudFormation does not send."""
        _, _, stack = str(event.get("StackId", "")).partition(":stack/")
        logical = event.get("LogicalResourceId")
        properties = event.get("ResourceProperties", {})
        if not stack or not isinstance(logical, str) or not logical or not isinstance(properties, Mapping):
            raise Invalid(FieldProblem("", "this event lacks a StackId, a LogicalResourceId or ResourceProperties"))
        kind, physical = str(event.get("RequestType")), str(event.get("PhysicalResourceId", ""))
        return cls(kind, StackResource(stack.partition("/")[0], logical), physical, properties)


def answer(event: Mapping[str, Any], deployment_of: Callable[[], Deployment]) -> dict[str, str]:
    """Do what an event asks for, and return the answer. It never raises, since CloudFormation would wait.

    ◆ The answer is stored before it is sent. CloudFormation's next request for the resource follows the answer, so an event that comes
    twice cannot undo a later one.
    """
    answered = answer_to(event, str(event.get("PhysicalResourceId") or _named(event) or NOT_CREATED))
    try:
        deployment = deployment_of()
        repeats = Repeats(event, deployment.answers, deployment.ports.clock)
        earlier = repeats.answered()
        if earlier is not None:
            return earlier
        answered |= _handled(event, deployment, repeats)
    except Exception as error:  # noqa: BLE001 - the stack must get an answer
        return fitting(answered | {"Status": "FAILED", "Reason": _unforeseen(error)})
    if answered["Status"] == "FAILED":
        answered = fitting(answered)
    repeats.answer(answered)
    return answered


def _handled(event: Mapping[str, Any], deployment: Deployment, repeats: Repeats) -> dict[str, str]:
    """The fields of the answer that differ from success without a change.

    An update that was refused has changed nothing, and its rollback succeeds without a check: it could be refused, too, for instance if
    somebody else manages the job now, and then the whole stack would be stuck.
    """
    found = {}
    try:
        request = Request.of(event)
        if request.kind == "Delete":
            _delete(request, deployment)
        elif request.kind == "Update" and repeats.undoes_nothing():
            logger.info("nothing to roll back", action="save", job=request.physical_id)
        elif request.kind in ("Create", "Update"):
            found = {"PhysicalResourceId": str(_save(request, deployment))}
        else:
            raise Invalid(FieldProblem("RequestType", f"{request.kind!r:.60} is not Create, Update or Delete"))
    except _REFUSALS as error:
        if event.get("RequestType") == "Update":
            repeats.refused()
        logger.warning("refused", action="refuse", reason=str(error), job=_named(event), stack=event.get("StackId"))
        return {"Status": "FAILED", "Reason": reason_of(error)}
    repeats.succeeded()
    return found


def _save(request: Request, deployment: Deployment) -> JobKey:
    """Save the job that a resource declares; returns its name."""
    converted = Converted(request.properties)
    document, resource = converted.document, request.resource
    key = _key_of(document, converted.problems)
    if key.namespace:
        _require(key.namespace, deployment)
    problems = converted.problems + _label_problems(document, resource)
    if isinstance(document.get("labels", {}), dict):
        document = {**document, "labels": {**document.get("labels", {}), **resource.labels}}
    job = _accepted(document, key, deployment, problems)
    for number, parent in enumerate(job.depends_on):  # the job's target receives the results of its parents' runs
        _require(parent.job.namespace, deployment, f"depends_on[{number}].job")
    saved = stack_jobs.save(deployment.ports, job, keep_paused="paused" not in document, resource=resource)
    if saved.changed:
        about = {"revision": saved.definition.revision, "new": saved.created, "token": resource.author}
        logger.info(f"save {key}", extra={"action": "save", "job": str(key), **about})
    return key


def _accepted(document: Mapping[str, Any], key: JobKey, deployment: Deployment, problems: list[FieldProblem]) -> Job:
    """The job in a document. Raises Invalid with these problems, and all others."""
    known = {problem.path for problem in problems}
    try:
        job = accept(document, key, deployment.terms, now=deployment.ports.clock())
    except Invalid as error:
        raise Invalid(*problems, *(each for each in error.problems if each.path not in known)) from None
    if problems:
        raise Invalid(*problems)
    return job


def _delete(request: Request, deployment: Deployment) -> None:
    """Delete the job of a resource, unless somebody else manages it now.

    If CloudFormation got no answer to the Create, it makes up a physical id; the properties then name the job.
    """
    namespace, slash, name = request.physical_id.partition("/")
    if not slash:
        namespace, name = (str(request.properties.get(each, "")) for each in ("namespace", "name"))
    key, resource = JobKey(namespace, name), request.resource
    if name_problem("", namespace) or name_problem("", name):
        return
    # Not refused before: the resource of a Create that was refused has no job.
    if stack_jobs.manages(deployment.ports, key, resource):
        _require(namespace, deployment)
    removal = stack_jobs.remove(deployment.ports, key, resource=resource)
    if removal is Removal.DELETED:
        about = {"action": "delete", "job": str(key), "token": resource.author}
        logger.info(f"delete {key}", extra=about)
    elif removal is Removal.KEPT:
        logger.warning("the job stays, since the stack does not manage it", action="delete", job=str(key))


def _require(namespace: str, deployment: Deployment, field: str = "namespace") -> None:
    """Raise Invalid for a namespace in which stacks may not manage jobs. field: the property that names it."""
    allowed = deployment.namespaces
    if EVERYWHERE not in allowed and namespace not in allowed:
        message = f"stacks may not manage jobs in the namespace {namespace!r:.70}"
        hint = f"the parameter ResourceNamespaces of Minutehand's stack allows {', '.join(allowed) or 'none'}: add it there"
        raise Invalid(FieldProblem(field, message, hint))


def _key_of(document: Mapping[str, Any], problems: list[FieldProblem]) -> JobKey:
    """The job's name; adds to `problems` if it is missing."""
    names = {}
    for field in JobKey._fields:
        value = document.get(field, "")
        if value == "":
            problems.append(FieldProblem(field, "this is required", _NAME_HINT))
        names[field] = value if isinstance(value, str) else ""
    return JobKey(**names)


def _label_problems(document: Mapping[str, Any], resource: StackResource) -> list[FieldProblem]:
    labels = document.get("labels")
    given = labels if isinstance(labels, dict) else {}
    return [
        FieldProblem(f"labels.{name}", "the resource itself sets this label", "leave it out")
        for name, value in resource.labels.items()
        if given.get(name, value) != value
    ]


def _named(event: Mapping[str, Any]) -> str:
    """The name of the job that the properties of an event declare; empty if they declare none."""
    properties = event.get("ResourceProperties")
    given = properties if isinstance(properties, Mapping) else {}
    names = [given.get(field) for field in JobKey._fields]
    readable = all(isinstance(name, str) and name_problem("", name) is None for name in names)
    return "/".join(map(str, names)) if readable else ""


def reason_of(error: Exception) -> str:
    """What is wrong and what would be right, for the events of the stack."""
    if isinstance(error, ScheduleError):
        error = Invalid(schedule_problem(error))
    if not isinstance(error, Invalid):
        return str(error)
    texts = [
        f"{each.path}: {each.message}"[each.path == "" and 2 :] + (f" ({each.hint})" if each.hint else "")
        for each in error.problems[:_MOST_PROBLEMS]
    ]
    more = len(error.problems) - len(texts)
    return "; ".join(texts) + (f"; and {more} more" if more > 0 else "")


def _unforeseen(error: Exception) -> str:
    logger.exception("request failed", action="answer")
    again = (
        "deploy again" if isinstance(error, MinutehandError) else "the log of Minutehand's resource function has more"
    )
    return f"the job may or may not have been changed: {type(error).__name__}: {error}; {again}"
