"""The pod of a CronJob, as a task of ECS that is to be completed: its image and resources belong to a task definition."""

import re

from minutehand.domain.placeholder import PLACEHOLDER
from minutehand.tools.importers.drafts import Draft, LeftOut
from minutehand.tools.importers.fields import Fields
from minutehand.tools.importers.rules import Rule, carried, changed, dropped, impossible

POD = "pod."
_CONTAINER = f"{POD}containers[]."
_IN_DEFINITION = "the task definition of ECS says it"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
_MOST_WORDS, _MOST_VARIABLES = 64, 32

_OF_DEFINITION = (
    *("volumes", "serviceAccountName", "securityContext", "initContainers", "imagePullSecrets"),
    *("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "dnsConfig", "hostAliases"),
    *("hostname", "subdomain", "runtimeClassName", "ephemeralContainers", "os", "overhead", "resources"),
    *("hostUsers", "setHostnameAsFQDN", "resourceClaims"),
)
_OF_SCHEDULING = (
    *("nodeSelector", "nodeName", "affinity", "tolerations", "priorityClassName", "priority"),
    *("topologySpreadConstraints", "preemptionPolicy", "readinessGates", "schedulingGates"),
)
_OF_CONTAINER = (
    *("image", "resources", "volumeMounts", "volumeDevices", "workingDir", "ports", "securityContext"),
    *("livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "envFrom", "stdin", "stdinOnce"),
    *("tty", "resizePolicy", "restartPolicy", "restartPolicyRules"),
)

POD_RULES: tuple[Rule, ...] = (
    changed(
        f"{POD}containers",
        "target.container",
        "the pod becomes a task of ECS",
        to_complete="its cluster, task definition and subnets are to be completed; or name another target",
    ),
    impossible(f"{POD}containers", f"the task has the first container alone; {_IN_DEFINITION}", case="further ones"),
    changed(f"{_CONTAINER}args", "target.command", "ECS replaces the command of the image, and keeps its entry point"),
    impossible(f"{_CONTAINER}args", f"ECS takes at most {_MOST_WORDS} words; {_IN_DEFINITION}", case="too many"),
    changed(
        f"{_CONTAINER}command",
        "target.command",
        "a task cannot replace the image's entry point: the words are its arguments, so empty the entry point in the task definition",
    ),
    carried(f"{_CONTAINER}env", "target.environment"),
    impossible(
        f"{_CONTAINER}env",
        "a job is shown to everybody who may read it: put secrets into the task definition",
        case="valueFrom",
    ),
    impossible(
        f"{_CONTAINER}env",
        f"a task takes {_MOST_VARIABLES} variables with plain names; {_IN_DEFINITION}",
        case="others",
    ),
    changed(
        f"{POD}restartPolicy: OnFailure",
        "retry",
        "each failure is followed by another task, not by another start of the container",
    ),
    carried(f"{POD}restartPolicy: Never", "retry"),
    impossible(f"{POD}activeDeadlineSeconds", "the limit of a pod; timeout is that of an attempt"),
    impossible(f"{POD}terminationGracePeriodSeconds", "stopTimeout of the task definition says it", default=30),
    impossible(f"{POD}automountServiceAccountToken", "the task role says what a task may do"),
    impossible(f"{POD}serviceAccount", "the task role says what a task may do"),
    impossible(f"{POD}dnsPolicy", _IN_DEFINITION, default="ClusterFirst"),
    impossible(f"{POD}schedulerName", "ECS chooses where a task runs", default="default-scheduler"),
    *(impossible(f"{POD}{name}", _IN_DEFINITION) for name in _OF_DEFINITION),
    *(impossible(f"{POD}{name}", "the cluster of ECS chooses where a task runs") for name in _OF_SCHEDULING),
    *(impossible(f"{_CONTAINER}{name}", _IN_DEFINITION) for name in _OF_CONTAINER),
    *dropped(
        f"{POD}enableServiceLinks",
        f"{_CONTAINER}imagePullPolicy",
        f"{_CONTAINER}terminationMessagePath",
        f"{_CONTAINER}terminationMessagePolicy",
        "job.template.metadata",
        reason="it is about how Kubernetes keeps pods",
    ),
)


def read_pod(draft: Draft, pod: Fields) -> None:
    """Read the pod into the draft's target. Raises LeftOut for one without a container."""
    containers = pod.objects("containers")
    if not containers:
        raise LeftOut("containers", "the pod has no container")
    first, *others = containers
    name = first.text("name") or "main"
    draft.task = name
    target = {
        "type": "ecs",
        "cluster": PLACEHOLDER,
        "task_definition": PLACEHOLDER,
        "container": name,
        "mode": "wait",
    }
    draft.set(f"{POD}containers", detail=name, target=target)
    if others:
        draft.note(f"{POD}containers", case="further ones", detail=", ".join(each.text("name") for each in others))
    _command(draft, first)
    _environment(draft, first)
    policy = pod.text("restartPolicy")
    if policy in {"OnFailure", "Never"}:
        draft.note(f"{POD}restartPolicy: {policy}")
    elif policy:
        draft.unread(f"{POD}restartPolicy", f"{policy!r:.40} is no policy for a pod that ends")
    if "serviceAccountName" in pod:
        pod.any("serviceAccount")  # the older name of the same
    first.end()
    pod.end()


def _command(draft: Draft, container: Fields) -> None:
    command, arguments = container.texts("command"), container.texts("args")
    if len(command) + len(arguments) > _MOST_WORDS:
        draft.note(f"{_CONTAINER}args", case="too many")
        return
    for name, words in (("command", command), ("args", arguments)):
        if words:
            draft.note(f"{_CONTAINER}{name}")
    if command or arguments:
        draft.document["target"]["command"] = [*command, *arguments]


def _environment(draft: Draft, container: Fields) -> None:
    environment: dict[str, str] = {}
    for variable in container.objects("env"):
        name = variable.text("name")
        if "valueFrom" in variable:
            draft.note(f"{_CONTAINER}env", case="valueFrom", detail=name)
            continue
        value = variable.text("value")
        if _VARIABLE.fullmatch(name) and len(environment) < _MOST_VARIABLES:
            environment[name] = value
        else:
            draft.note(f"{_CONTAINER}env", case="others", detail=name)
        variable.end()
    if environment:
        draft.note(f"{_CONTAINER}env")
        draft.document["target"]["environment"] = environment
