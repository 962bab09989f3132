"""Records of changes: what they hide, cut and are called."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.dynamodb.calls.metering import item_size
from minutehand.adapters.dynamodb.codecs import audit_codec
from minutehand.domain.actor import LONGEST_CLIENT, Actor
from minutehand.domain.audit import LONGEST_VALUE, MASK, MOST_CHANGES, Action, AuditRecord, audit_record, hidden

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADA = Actor("ada", request="req-1")


def record(before: Any = None, after: Any = None, at: datetime = NOON, who: Actor = ADA, **more: Any) -> AuditRecord:
    kept = timedelta(days=400)
    return audit_record(
        who, Action.SAVE, at, namespace="shop", job="load", before=before, after=after, kept=kept, **more
    )


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("headers", {"Authorization": "abc"}, {"Authorization": MASK}),
        ("headers", {"X-Api-Key": "abc", "Accept": "text/plain"}, {"X-Api-Key": MASK, "Accept": "text/plain"}),
        ("headers", {"COOKIE": "sid=1"}, {"COOKIE": MASK}),
        ("headers", {"X-Innocent": "Bearer abc"}, {"X-Innocent": MASK}),
        (
            "headers",
            {"Authorization": "Bearer {{secret:ssm:/shop/key}}"},
            {"Authorization": "Bearer {{secret:ssm:/shop/key}}"},
        ),
        ("signing_key", "ssm:/shop/signing-key", "ssm:/shop/signing-key"),
        ("url", "https://a.test/?day=1&token=abc&x=2", f"https://a.test/?day=1&token={MASK}&x=2"),
        (
            "headers",
            {"Ocp-Apim-Subscription-Key": "abc", "X-Key-Id": "7"},
            {"Ocp-Apim-Subscription-Key": MASK, "X-Key-Id": "7"},
        ),
        ("headers", {"X-Functions-Key": "abc"}, {"X-Functions-Key": MASK}),
        ("query", {"sig": "abc", "key": "abc", "signal": "x"}, {"sig": MASK, "key": MASK, "signal": "x"}),
        ("url", "https://a.test/?sig=abc&key=d&keys=e", f"https://a.test/?sig={MASK}&key={MASK}&keys=e"),
        ("input", {"key": "sorts"}, {"key": "sorts"}),
        ("query", {"access_key": "abc"}, {"access_key": MASK}),
        ("environment", [{"DB_PASSWORD": "abc"}], [{"DB_PASSWORD": MASK}]),
        ("headers", {"X-Token": ""}, {"X-Token": ""}),
        ("redirects", 3, 3),
    ],
)
def test_what_looks_like_a_credential_of_a_target_is_hidden(field: str, value: Any, shown: Any) -> None:
    assert hidden({"target": {field: value}}) == {"target": {field: shown}}
    [found] = record({}, {"target": {field: value}}).changes
    assert found.after == {field: shown}


def test_a_payload_is_shown_whatever_its_fields_are_called() -> None:
    assert hidden({"payload": {"token": "abc"}}) == {"payload": {"token": "abc"}}


def test_a_changed_credential_is_named_and_both_values_are_hidden() -> None:
    before, after = ({"target": {"headers": {"Authorization": value}}} for value in ("old", "new"))
    [found] = record(before, after).changes
    assert found == ("/target/headers/Authorization", MASK, MASK)


def test_a_long_value_is_cut_and_small_ones_are_kept() -> None:
    [found] = record({"payload": "ü" * LONGEST_VALUE}, {"payload": {"day": ["x" * LONGEST_VALUE]}}).changes
    assert found.before.startswith("üüü")
    assert found.before.endswith("ü…")
    assert found.after.startswith('{"day":["xxx')
    assert all(len(text.encode()) <= LONGEST_VALUE for text in (found.before, found.after))


def test_many_differences_are_counted() -> None:
    before, after = ({f"field_{n}": value for n in range(MOST_CHANGES + 5)} for value in (0, 1))
    made = record(before, after)
    assert (len(made.changes), made.left_out) == (MOST_CHANGES, 5)


def test_ids_sort_by_time_and_differ_by_request_and_by_what_was_done() -> None:
    later = [record(at=NOON + timedelta(milliseconds=n)) for n in (0, 1, 999, 1000)]
    assert [each.id for each in later] == sorted(each.id for each in later)
    same = [record(), record(who=ADA._replace(request="req-2")), record(revision=2), record(run_id="a")]
    assert len({each.id for each in same}) == len(same)
    assert record().id == record().id


def test_what_a_client_calls_itself_becomes_one_short_line() -> None:
    actor = Actor.of("ada", address="::1", client=f"evil\r\n{'x' * 1000}\x00", request="r")
    assert actor.client == f"evil  {'x' * (LONGEST_CLIENT - 6)}"
    assert actor == Actor("ada", "::1", actor.client, "r")


@pytest.mark.parametrize("letter", ["x", "ü", '"', "\n", "\x01"])
@pytest.mark.parametrize("length", [LONGEST_VALUE // 6, LONGEST_VALUE // 2, LONGEST_VALUE - 2, LONGEST_VALUE * 3])
def test_the_items_of_a_record_have_some_80_kilobytes_each_at_most(letter: str, length: int) -> None:
    before = {f"field-{number:02}": letter * length for number in range(MOST_CHANGES + 5)}
    after = {name: text[:-1] + "y" for name, text in before.items()}
    sizes = [item_size(item) for item in audit_codec.encode(record({"payload": before}, {"payload": after}))]
    assert len(sizes) == 2, "one in the list of the namespace, one in that of the job"
    assert all(size <= 2 * MOST_CHANGES * LONGEST_VALUE + 2_000 for size in sizes)
