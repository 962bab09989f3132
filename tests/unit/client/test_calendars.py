import pytest

from minutehand.client import ChangedMeanwhile, Client, Conflict, Invalid, NotFound
from tests.support.api_server import ApiServer
from tests.support.http_server import Canned

DOCUMENT = {"namespace": "shop", "name": "holidays", "dates": ["2026-12-31", "2026-12-25"]}


def test_a_calendar_is_created_then_unchanged_then_updated(client: Client) -> None:
    assert client.apply_calendar(DOCUMENT)["result"] == "created"
    assert client.apply_calendar(DOCUMENT | {"dates": ["2026-12-25", "2026-12-31"]})["result"] == "unchanged"
    changed = client.apply_calendar(DOCUMENT | {"weekly": ["SUN"]})
    assert (changed["result"], changed["calendar"]["status"]["revision"]) == ("updated", 2)


def test_a_dry_run_says_what_would_happen_and_saves_nothing(api: ApiServer, client: Client) -> None:
    assert client.apply_calendar(DOCUMENT, dry_run=True)["result"] == "created"
    assert api.calendars == {}
    client.apply_calendar(DOCUMENT)
    assert client.apply_calendar(DOCUMENT, dry_run=True)["result"] == "unchanged"
    assert client.apply_calendar(DOCUMENT | {"dates": []}, dry_run=True)["result"] == "updated"
    assert len(api.calendars["shop/holidays"]["dates"]) == 2


def test_a_calendar_that_was_got_can_be_applied_again_as_it_is(client: Client) -> None:
    client.apply_calendar(DOCUMENT)
    assert client.apply_calendar(client.get_calendar("shop/holidays"))["result"] == "unchanged"


def test_a_name_without_namespace_is_in_the_default_one(client: Client) -> None:
    client.apply_calendar({"name": "holidays"})
    assert client.get_calendar("holidays")["namespace"] == "default"


@pytest.mark.thorough
def test_a_list_goes_through_all_its_pages_in_order(client: Client) -> None:
    names = [f"calendar-{n:03}" for n in range(120)]
    for name in names:
        client.apply_calendar(DOCUMENT | {"name": name})
    found = list(client.list_calendars("shop"))
    assert [calendar["name"] for calendar in found] == names
    assert found[0]["entries"] == {"dates": 2, "weekly": 0, "periods": 0}


def test_a_calendar_is_changed_only_if_it_has_the_revision_that_is_named(client: Client) -> None:
    client.apply_calendar(DOCUMENT, if_revision=0)
    client.apply_calendar(DOCUMENT | {"weekly": ["SUN"]}, if_revision=1)
    for late in (0, 1):
        with pytest.raises(ChangedMeanwhile):
            client.apply_calendar(DOCUMENT, if_revision=late)
        with pytest.raises(ChangedMeanwhile):
            client.delete_calendar("shop/holidays", if_revision=late)
    assert client.get_calendar("shop/holidays")["status"]["revision"] == 2
    client.delete_calendar("shop/holidays", if_revision=2)


def test_a_calendar_is_deleted_once(client: Client) -> None:
    client.apply_calendar(DOCUMENT)
    client.delete_calendar("shop/holidays")
    for ask in (client.delete_calendar, client.get_calendar):
        with pytest.raises(NotFound):
            ask("shop/holidays")


def test_a_delete_whose_answer_was_lost_is_done(api: ApiServer, client: Client) -> None:
    client.apply_calendar(DOCUMENT)
    api.canned.append(Canned(drop=True, late=True))
    client.delete_calendar("shop/holidays")
    assert api.calendars == {}


def test_a_calendar_in_use_is_a_conflict(api: ApiServer, client: Client) -> None:
    client.apply_calendar(DOCUMENT)
    for name in ("shop/a", "shop/b"):
        api.add_job(name, calendars=["holidays"])
    with pytest.raises(Conflict, match=r"2 jobs name the calendar shop/holidays \(a, b\)"):
        client.delete_calendar("shop/holidays")


@pytest.mark.parametrize("name", ["..", "shop/", "a/b/c"])
def test_a_name_that_would_reach_something_else_is_refused_here(api: ApiServer, client: Client, name: str) -> None:
    with pytest.raises(Invalid, match="is not a valid name"):
        client.get_calendar(name)
    assert api.requests == []
