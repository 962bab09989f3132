"""Contract of stores of tokens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, audit_record
from minutehand.domain.caller import Caller
from minutehand.domain.errors import Invalid
from minutehand.domain.token import MOST_NAMESPACES, Role, Token, digest_of
from minutehand.usecases.ports.audits import Wanted
from minutehand.usecases.tokens import Asking, create, revoke

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
UNTIL = NOW + timedelta(days=1)


def token_of(secret, **changed):
    token = Token(digest=digest_of(secret), name="ada", role=Role.VIEWER, namespaces=("demo",))
    return token._replace(**changed)


@pytest.mark.parametrize("role", list(Role))
def test_a_token_comes_back_as_it_was_stored(stores, namespace, role):
    token = token_of(namespace, role=role, namespaces=("*", namespace))
    stores.tokens.put(token)
    assert stores.tokens.get(token.digest) == token


def test_every_field_of_a_token_comes_back(stores, namespace):
    token = token_of(
        namespace, created_at=NOW, created_by="grace", expires_at=NOW + timedelta(days=90), last_used_at=NOW + HOUR
    )
    assert stores.tokens.add(token, key="", until=UNTIL) is None
    assert stores.tokens.get(token.digest) == token
    assert stores.tokens.find(token.id) == token


def test_an_unknown_token_is_none(stores):
    token = token_of("nobody's secret")
    assert stores.tokens.get(token.digest) is None
    assert stores.tokens.find(token.id) is None


def test_a_token_replaces_one_of_the_same_digest(stores, namespace):
    stores.tokens.put(token_of(namespace, role=Role.ADMIN))
    after = token_of(namespace, name="bob", namespaces=())
    stores.tokens.put(after)
    assert stores.tokens.get(after.digest) == stores.tokens.find(after.id) == after


def test_an_idempotency_key_makes_one_token_whose_id_it_then_answers(stores, namespace):
    first, second = token_of(f"{namespace} 1"), token_of(f"{namespace} 2")
    assert stores.tokens.add(first, key=namespace, until=UNTIL) is None
    assert stores.tokens.add(second, key=namespace, until=UNTIL) == first.id
    assert stores.tokens.get(second.digest) is None
    assert stores.tokens.find(second.id) is None
    assert stores.tokens.add(second, key=f"{namespace} other", until=UNTIL) is None


def test_a_change_of_a_token_and_its_records_are_stored_together_or_not_at_all(stores, namespace):
    first, second = token_of(f"{namespace} 1"), token_of(f"{namespace} 2")
    made, again, gone = (
        [
            audit_record(Actor("ada"), Action.CREATE_TOKEN, NOW + n * SECOND, namespace=place, kept=HOUR, token_id="t")
            for place in (namespace, f"{namespace}-2")
        ]
        for n in range(3)
    )

    def records(place):
        return list(stores.audits.page(place, Wanted(), 10, None).items)

    assert stores.tokens.add(first, key=namespace, until=UNTIL, audits=made) is None
    assert stores.tokens.add(second, key=namespace, until=UNTIL, audits=again) == first.id
    assert not stores.tokens.remove(second, again)
    assert [records(namespace), records(f"{namespace}-2")] == [[record] for record in made]
    assert stores.tokens.remove(first, gone)
    assert not stores.tokens.remove(first, again)
    assert [records(namespace), records(f"{namespace}-2")] == [
        [last, record] for last, record in zip(gone, made, strict=True)
    ]


def test_a_token_of_the_most_namespaces_is_stored_with_its_records(stores, namespace):
    names = tuple(f"{namespace}-{number}" for number in range(MOST_NAMESPACES))
    token = token_of(namespace, namespaces=names)
    asking = Asking(Caller.of(token_of("by", role=Role.ADMIN, namespaces=("*",))), Actor("ada"), NOW, HOUR)
    create(stores.tokens, token, asking, key=namespace)
    revoke(stores.tokens, token.id, asking)
    assert len(stores.audits.page(names[-1], Wanted(), 10, None).items) == 2


def test_a_removed_token_is_neither_found_nor_listed_and_may_be_removed_again(stores, namespace):
    token = token_of(namespace)
    stores.tokens.add(token, key="", until=UNTIL)
    for existed in (True, False):
        assert stores.tokens.remove(token) is existed
        assert stores.tokens.get(token.digest) is None
        assert stores.tokens.find(token.id) is None
    assert token.id not in [each.id for each in _listed(stores)]


def test_all_tokens_are_listed_by_id_page_by_page(stores, namespace):
    made = [token_of(f"{namespace} {number}") for number in range(5)]
    for token in made:
        stores.tokens.add(token, key=f"{namespace} {token.id}", until=UNTIL)
    listed = _listed(stores)
    assert [each for each in listed if each in made] == sorted(made, key=lambda token: token.id)
    assert [each.id for each in listed] == sorted({each.id for each in listed})


def test_a_page_has_at_most_as_many_tokens_as_are_asked_for(stores, namespace):
    for number in range(3):
        stores.tokens.put(token_of(f"{namespace} {number}"))
    page = stores.tokens.page(2, None)
    assert len(page.items) <= 2
    assert page.next is not None


def test_a_cursor_of_another_list_is_refused(stores, namespace):
    with pytest.raises(Invalid, match="cursor"):
        stores.tokens.page(2, "WyJqb2JzIiwiZGVtbyIsImEiXQ")


def _listed(stores):
    found, cursor = [], None
    while True:
        page = stores.tokens.page(2, cursor)
        found += page.items
        cursor = page.next
        if cursor is None:
            return found


def test_the_last_use_of_a_token_is_noted_once_an_hour(stores, namespace):
    token = token_of(namespace)
    stores.tokens.put(token)
    for at, noted in ((NOW, NOW), (NOW + HOUR - SECOND, NOW), (NOW + HOUR, NOW + HOUR)):
        stores.tokens.note_use(token, at)
        assert stores.tokens.get(token.digest) == token._replace(last_used_at=noted)


def test_the_use_of_a_removed_token_makes_no_token(stores, namespace):
    token = token_of(namespace)
    stores.tokens.put(token)
    stores.tokens.remove(token)
    stores.tokens.note_use(token, NOW)
    assert stores.tokens.get(token.digest) is None
