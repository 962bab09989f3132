"""CronJobs of Kubernetes, as `kubectl get cronjobs -o yaml` prints them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minutehand.tools.importers.drafts import Draft, Exported, LeftOut, Terms, duration
from minutehand.tools.importers.fields import Fields
from minutehand.tools.importers.kubernetes_pods import POD, POD_RULES, read_pod
from minutehand.tools.importers.rules import Rules, carried, changed, dropped, impossible
from minutehand.tools.importers.running import System, drafted

_MOST_ATTEMPTS = 20
_USUAL_BACKOFF_LIMIT = 6
_LONGEST_RUN = 90 * 86_400
_LONGEST_ATTEMPT = 7 * 86_400
_ZONE = "the controller reads schedules in its own time zone, mostly UTC; --timezone names it"
_POLICIES = {"Allow": "allow", "Forbid": "skip", "Replace": "replace"}
_JOB = "job."
"""Short for `spec.jobTemplate.spec.`, in rules and findings; `pod.` is its `template.spec.`."""

RULES = Rules(
    carried("metadata.name", "name"),
    carried("metadata.namespace", "namespace", reason="--namespace overrides it"),
    carried("metadata.labels", "labels"),
    impossible("metadata.annotations", "a job has labels alone; annotations are often too long for them"),
    carried("spec.schedule", "schedule", reason="the dialect is robfig, whose library Kubernetes uses"),
    changed(
        "spec.schedule",
        "schedule",
        "@every counts from 1970 here, and from the CronJob's last run there",
        case="@every",
    ),
    carried("spec.timeZone", "timezone"),
    changed("spec.timeZone", "timezone", _ZONE, case="absent"),
    changed(
        "spec.startingDeadlineSeconds",
        "misfire_grace, catchup_window",
        "both limit how late a run may be created, not how long it then waits: start_within does that",
    ),
    carried(
        "spec.startingDeadlineSeconds",
        "catchup_window",
        case="absent",
        reason="without a deadline, the latest missed run starts however late it is",
    ),
    carried("spec.concurrencyPolicy: Allow", "overlap: allow"),
    changed(
        "spec.concurrencyPolicy: Forbid",
        "overlap: skip",
        "a run that is due during another one is skipped for good; there it may start after that, within its deadline (queue_one is like it)",
    ),
    changed(
        "spec.concurrencyPolicy: Replace",
        "overlap: replace",
        "the earlier run is cancelled; a task of ECS is not stopped by that",
    ),
    changed(
        "spec.suspend",
        "paused",
        "runs missed during a pause do not start at its end, unless the resume says so (catch_up)",
    ),
    changed(
        "spec.successfulJobsHistoryLimit",
        "retention_count",
        "one number for successful and failed runs, the sum of both; a run is kept for a day at least",
    ),
    changed("spec.failedJobsHistoryLimit", "retention_count", "see spec.successfulJobsHistoryLimit"),
    carried(f"{_JOB}backoffLimit", "retry", reason="waits of 10 s, 20 s, 40 s and so on, up to 6 min, as there"),
    changed(f"{_JOB}backoffLimit", "retry", f"a run has at most {_MOST_ATTEMPTS} attempts", case="over 19"),
    carried(f"{_JOB}activeDeadlineSeconds", "run_timeout, timeout", reason="at most 90 days, and an attempt 7 days"),
    changed(
        f"{_JOB}activeDeadlineSeconds",
        "timeout",
        "an attempt needs a limit; a day is the import's choice",
        case="absent",
    ),
    impossible(
        f"{_JOB}parallelism", "a run is one task; start several jobs, or one job that starts several", default=1
    ),
    impossible(
        f"{_JOB}completions", "a run is one task; start several jobs, or one job that starts several", default=1
    ),
    impossible(f"{_JOB}completionMode", "a run is one task", default="NonIndexed"),
    impossible(f"{_JOB}podFailurePolicy", "retry.retry_on and give_up_on decide by types of errors, such as ExitCode"),
    impossible(f"{_JOB}backoffLimitPerIndex", "a run is one task"),
    impossible(f"{_JOB}maxFailedIndexes", "a run is one task"),
    impossible(f"{_JOB}successPolicy", "a run is one task"),
    impossible(f"{_JOB}ttlSecondsAfterFinished", "runs are kept by retention and retention_count, not by their end"),
    impossible(f"{_JOB}suspend", "a run cannot be created and held back", default=False),
    *dropped(
        f"{_JOB}podReplacementPolicy",
        f"{_JOB}selector",
        f"{_JOB}manualSelector",
        f"{_JOB}managedBy",
        reason="it is about how Kubernetes keeps pods",
    ),
    *POD_RULES,
    *dropped(
        "apiVersion",
        "kind",
        "status",
        "metadata.uid",
        "metadata.resourceVersion",
        "metadata.generation",
        "metadata.creationTimestamp",
        "metadata.managedFields",
        "metadata.ownerReferences",
        "metadata.finalizers",
        "metadata.selfLink",
        "spec.jobTemplate.metadata",
        reason="Kubernetes writes it for itself",
    ),
)


def _read(exported: Sequence[Exported], terms: Terms) -> list[Draft]:
    return [_draft(place, item, terms) for document in exported for place, item in _items(document)]


def _items(document: Exported) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a document: itself, or those of its list."""
    content = document.content
    listed = content.get("items") if isinstance(content, Mapping) else content
    several = listed if isinstance(listed, list) else [content]
    for number, item in enumerate(several, start=1):
        place = f"{document.place} item {number}" if listed is several else document.place
        yield place, item if isinstance(item, Mapping) else {}


def _draft(place: str, item: Mapping[str, Any], terms: Terms) -> Draft:
    metadata = item.get("metadata")
    names = metadata if isinstance(metadata, Mapping) else {}
    name, space = str(names.get("name") or ""), str(names.get("namespace") or "default")
    draft = Draft(
        rules=RULES, place=place, source=f"{space}/{name}", key=f"{space}/{name or place}", wanted=name, namespace=space
    )
    return drafted(draft, lambda draft: _fill(draft, item, terms))


def _fill(draft: Draft, item: Mapping[str, Any], terms: Terms) -> None:
    top = Fields(item, draft)
    kind = top.text("kind")
    if kind != "CronJob":
        raise LeftOut("kind", f"{kind or 'this'!r:.60} is no CronJob; kubectl get cronjobs -A -o yaml exports them")
    metadata, spec = top.object("metadata"), top.object("spec")
    if not metadata.text("name"):
        raise LeftOut("metadata.name", "the CronJob has no name")
    draft.note("metadata.name")
    if metadata.text("namespace"):
        draft.note("metadata.namespace")
    _labels(draft, metadata)
    _schedule(draft, spec, terms)
    _policies(draft, spec)
    template = spec.object("jobTemplate")
    job = template.object("spec", path=_JOB)
    _limits(draft, job)
    pod_template = job.object("template")
    read_pod(draft, pod_template.object("spec", path=POD))
    for fields in (pod_template, job, template, spec, metadata, top):
        fields.end()


def _labels(draft: Draft, metadata: Fields) -> None:
    labels = metadata.pairs("labels")
    if labels:
        draft.note("metadata.labels")
    for name, value in labels.items():
        draft.label(name, value)


def _schedule(draft: Draft, spec: Fields, terms: Terms) -> None:
    text, zone = spec.text("schedule"), spec.text("timeZone")
    if not text:
        raise LeftOut("spec.schedule", "the CronJob has no schedule")
    case = "@every" if text.startswith("@every") else ""
    draft.set("spec.schedule", case=case, schedule=text, dialect="robfig")
    if zone:
        draft.set("spec.timeZone", timezone=zone)
    else:
        draft.document["timezone"] = terms.timezone
        if not case:
            draft.note("spec.timeZone", case="absent", detail=terms.timezone)


def _policies(draft: Draft, spec: Fields) -> None:
    deadline = spec.number("startingDeadlineSeconds")
    if deadline is None or deadline < 1:
        draft.set("spec.startingDeadlineSeconds", case="absent", catch_up="latest", catchup_window="3650d")
    else:
        lateness = {
            "misfire_grace": duration(min(deadline, 300)),
            "catchup_window": duration(min(deadline, 3650 * 86_400)),
        }
        draft.set("spec.startingDeadlineSeconds", catch_up="latest", **lateness)
    policy = spec.text("concurrencyPolicy") or "Allow"
    if policy in _POLICIES:
        draft.set(f"spec.concurrencyPolicy: {policy}", overlap=_POLICIES[policy])
    else:
        draft.unread("spec.concurrencyPolicy", f"{policy!r:.40} is no policy of Kubernetes")
    if spec.flag("suspend"):
        draft.set("spec.suspend", paused=True)
    limits = {name: spec.number(name) for name in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")}
    kept = sum(limit for limit in limits.values() if limit is not None)
    for name, limit in limits.items():
        if limit is not None:
            draft.note(f"spec.{name}", detail=str(limit))
    if kept > 0:
        draft.document["retention_count"] = min(kept, 10_000)


def _limits(draft: Draft, job: Fields) -> None:
    again = job.number("backoffLimit")
    attempts = max(0, _USUAL_BACKOFF_LIMIT if again is None else again) + 1
    retry: dict[str, Any] = {"max_attempts": min(attempts, _MOST_ATTEMPTS)}
    if attempts > 1:
        retry |= {"backoff": {"initial": "10s", "factor": 2, "max": "6m"}}
    case = "over 19" if attempts > _MOST_ATTEMPTS else ""
    draft.set(f"{_JOB}backoffLimit", case=case, detail=str(attempts - 1), retry=retry)
    seconds = job.number("activeDeadlineSeconds")
    if seconds is None or seconds < 1:
        draft.set(f"{_JOB}activeDeadlineSeconds", case="absent", timeout="1d")
    else:
        run, attempt = min(seconds, _LONGEST_RUN), min(seconds, _LONGEST_ATTEMPT)
        draft.set(f"{_JOB}activeDeadlineSeconds", run_timeout=duration(run), timeout=duration(attempt))


SYSTEM = System(name="kubernetes", title="Kubernetes", rules=RULES, read=_read)
