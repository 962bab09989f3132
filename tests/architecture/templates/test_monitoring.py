"""The alarms watch what is written, and tell somebody; the dashboard and the queries show it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from minutehand.entrypoints.metrics import NAMESPACE, STACK, Metric
from tests.architecture.templates.loaded import NESTED, ROOT

RESOURCES = NESTED["monitoring"]["Resources"]
ALARMS = {name: one["Properties"] for name, one in RESOURCES.items() if one["Type"] == "AWS::CloudWatch::Alarm"}
OWN = {metric.title for metric in Metric}


def watched(alarm: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The metrics of an alarm."""
    if "MetricName" in alarm:
        yield alarm
    yield from (each["MetricStat"]["Metric"] for each in alarm.get("Metrics", ()) if "MetricStat" in each)


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_watches_metrics_of_the_whole_stack_that_are_written(name: str) -> None:
    for metric in watched(ALARMS[name]):
        if metric["Namespace"] == NAMESPACE:
            assert metric["MetricName"] in OWN
            assert metric["Dimensions"] == [{"Name": STACK, "Value": {"Ref": "Stack"}}]
        else:
            assert metric["Namespace"] in ("AWS/Lambda", "AWS/SQS", "AWS/ApiGateway")


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_tells_of_its_beginning_and_of_its_end(name: str) -> None:
    alarm = ALARMS[name]
    assert alarm["AlarmActions"] == alarm["OKActions"]
    told = [each["Fn::If"][:2] for each in alarm["AlarmActions"]]
    assert told == [["HasTopic", {"Ref": "AlarmTopicArn"}], ["HasEmail", {"Ref": "AlarmTopic"}]]


def test_a_stack_that_tells_nobody_pays_for_one_alarm() -> None:
    assert [name for name in ALARMS if "Condition" not in RESOURCES[name]] == ["DeadTick"]


def test_the_alarms_cost_what_the_guide_says() -> None:
    numbers = Counter[str]()
    for name, alarm in ALARMS.items():
        numbers[RESOURCES[name].get("Condition", "")] += len([*watched(alarm)])
    assert numbers == {"": 1, "Tells": 27, "TellsOfAwsWorker": 2, "TellsOfAgents": 2}


def evaluated(alarm: Mapping[str, Any], values: Mapping[str, float]) -> float | None:
    """The value that an alarm compares, for one period. A metric without a value is missing, and so is what divides by zero."""

    def value(query: str) -> float | None:
        [found] = [each for each in alarm["Metrics"] if each["Id"] == query]
        if "MetricStat" in found:
            return values.get(found["MetricStat"]["Metric"]["MetricName"])
        return calculate(found["Expression"])

    def calculate(expression: str) -> float | None:
        class Names(dict[str, Any]):
            def __missing__(self, name: str) -> Maybe:
                return Maybe(value(name))

        names = Names(FILL=lambda one, other: one if one.value is not None else Maybe(other), IF=chosen)
        result: Maybe = eval(expression, {"__builtins__": {}}, names)  # noqa: S307 - the template's own expression
        return result.value

    [shown] = [each for each in alarm["Metrics"] if each.get("ReturnData", True)]
    return value(shown["Id"])


class Maybe:
    """A number, or none: whatever is calculated with none is none."""

    def __init__(self, value: float | None) -> None:
        self.value = value

    def __add__(self, other: Any) -> Maybe:
        return self._with(other, lambda one, two: one + two)

    def __rmul__(self, other: Any) -> Maybe:
        return self._with(other, lambda one, two: one * two)

    def __truediv__(self, other: Any) -> Maybe:
        return self._with(other, lambda one, two: one / two if two else None)

    def __ge__(self, other: Any) -> bool:
        return self.value is not None and self.value >= plain(other)

    def _with(self, other: Any, do: Any) -> Maybe:
        two = plain(other)
        return Maybe(None if self.value is None or two is None else do(self.value, two))


def plain(given: Any) -> Any:
    return given.value if isinstance(given, Maybe) else given


def chosen(condition: bool, one: Any, other: Any) -> Maybe:
    found = one if condition else other
    return found if isinstance(found, Maybe) else Maybe(found)


@pytest.mark.parametrize(
    ("values", "percent"),
    [
        ({}, 0),
        ({"RunsSucceeded": 100}, 0),
        ({"RunsFailed": 9}, 0),
        ({"RunsFailed": 10}, 100),
        ({"RunsFailed": 2, "RunsTimedOut": 2, "RunsLost": 1, "RunsSucceeded": 5}, 50),
        ({"RunsLost": 30, "RunsSucceeded": 10}, 75),
    ],
)
def test_the_share_of_failures_is_of_ten_runs_or_more(values: dict[str, float], percent: float) -> None:
    assert evaluated(ALARMS["Failures"], values) == percent


@pytest.mark.parametrize("name", [name for name in ALARMS if name.endswith("Failing")])
@pytest.mark.parametrize(
    ("values", "seen"), [({}, 0), ({"Errors": 2}, 2), ({"Throttles": 3}, 3), ({"Errors": 1, "Throttles": 1}, 2)]
)
def test_a_function_that_is_throttled_wholly_fails_although_it_has_no_errors(
    name: str, values: dict[str, float], seen: float
) -> None:
    assert evaluated(ALARMS[name], values) == seen
    assert {each["Dimensions"][0]["Value"]["Ref"] for each in watched(ALARMS[name])} == {
        f"{name.removesuffix('Failing')}Function"
    }


BODY, NAMES = NESTED["dashboard"]["Resources"]["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
DASHBOARD = json.loads(BODY)


def test_the_dashboard_shows_metrics_that_are_written() -> None:
    shown = [metric for widget in DASHBOARD["widgets"] for metric in widget["properties"]["metrics"]]
    own = {metric[1] for metric in shown if metric[0] == NAMESPACE}
    searched = {
        (found[1], found[2])
        for metric in shown
        if isinstance(metric[0], dict)
        for found in [re.search(r"{Minutehand,stack,(\w+)} MetricName=\"(\w+)\"", metric[0]["expression"])]
        if found
    }
    assert own <= OWN
    by = {metric.title: metric.value.by for metric in Metric}
    assert searched == {("target", "Duration"), ("function", "AwsRefusals")}
    assert all(by[name] == dimension for dimension, name in searched)


def test_the_widgets_of_the_dashboard_do_not_cover_each_other() -> None:
    places = [(widget["x"], widget["y"]) for widget in DASHBOARD["widgets"]]
    assert len(places) == len(set(places))
    assert {(widget["width"], widget["height"]) for widget in DASHBOARD["widgets"]} == {(12, 6)}


def test_what_the_dashboard_names_is_given_to_it() -> None:
    given = set(NESTED["dashboard"]["Parameters"]) | set(NAMES) | {"AWS::Region"}
    assert set(re.findall(r"\${([\w:]+)}", BODY)) <= given


def test_the_guide_names_every_saved_query() -> None:
    queries = [
        one["Properties"]["Name"]["Fn::Sub"]
        for one in NESTED["dashboard"]["Resources"].values()
        if one["Type"] == "AWS::Logs::QueryDefinition"
    ]
    guide = (ROOT / "docs" / "how-to" / "operations.md").read_text(encoding="utf-8")
    assert queries
    for query in queries:
        assert f"`{query.replace('${Stack}', 'STACK')}`" in guide
