"""Contract of stores of tokens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.domain.errors import Invalid
from minutehand.domain.token import Role, Token, digest_of

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


def test_a_removed_token_is_neither_found_nor_listed_and_may_be_removed_again(stores, namespace):
    token = token_of(namespace)
    stores.tokens.add(token, key="", until=UNTIL)
    for _ in range(2):
        stores.tokens.remove(token)
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
