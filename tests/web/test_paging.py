"""Paging with page and per_page. The total and the links are in headers."""

import re

import pytest

from tests.support.problems import field_errors
from tests.support.running import Member

LINK = re.compile(r'<([^>]+)>; rel="(\w+)"')


@pytest.fixture
def client_id(account: Member) -> int:
    """A client with five pay points."""
    new_client_id = account.new_client()
    for name in "abcde":
        account.new_pay_point(new_client_id, name=name)
    return new_client_id


def names(elements: list[dict[str, dict[str, str]]]) -> str:
    return "".join(element["pay_point"]["name"] for element in elements)


def test_without_page_or_per_page_the_list_is_complete_and_has_no_paging_headers(
    account: Member, client_id: int
) -> None:
    response = account.get(f"/clients/{client_id}/pay_points")
    assert names(response.json()) == "abcde"
    assert "x-total-count" not in response.headers
    assert "link" not in response.headers


def test_a_page_is_a_bare_array_with_headers(account: Member, client_id: int) -> None:
    response = account.get(f"/clients/{client_id}/pay_points?page=2&per_page=2")
    assert names(response.json()) == "cd"
    assert response.headers["x-total-count"] == "5"
    links = {relation: address for address, relation in LINK.findall(response.headers["link"])}
    assert list(links) == ["first", "prev", "next", "last"]
    base = f"/v1/clients/{client_id}/pay_points?page="
    assert links == {
        "first": f"{base}1&per_page=2",
        "prev": f"{base}1&per_page=2",
        "next": f"{base}3&per_page=2",
        "last": f"{base}3&per_page=2",
    }


def test_following_next_from_the_first_page_gives_every_element_once(account: Member, client_id: int) -> None:
    address: str | None = f"/v1/clients/{client_id}/pay_points?per_page=2"
    seen = ""
    while address:
        response = account.service.http.get(account.service.url + address, headers={"Authorization": account.key})
        seen += names(response.json())
        links = {relation: address for address, relation in LINK.findall(response.headers["link"])}
        address = links.get("next")
    assert seen == "abcde"


def test_the_first_page_has_no_prev_and_the_last_no_next(account: Member, client_id: int) -> None:
    first = account.get(f"/clients/{client_id}/pay_points?page=1&per_page=3")
    last = account.get(f"/clients/{client_id}/pay_points?page=2&per_page=3")
    assert [relation for _, relation in LINK.findall(first.headers["link"])] == ["first", "next", "last"]
    assert [relation for _, relation in LINK.findall(last.headers["link"])] == ["first", "prev", "last"]


def test_a_page_after_the_last_is_empty_and_links_back(account: Member, client_id: int) -> None:
    response = account.get(f"/clients/{client_id}/pay_points?page=7&per_page=2")
    assert response.json() == []
    assert response.headers["x-total-count"] == "5"
    links = {relation: address for address, relation in LINK.findall(response.headers["link"])}
    assert list(links) == ["first", "prev", "last"]
    assert "page=3&" in links["prev"]


def test_an_empty_list_has_one_empty_page(account: Member) -> None:
    response = account.get("/clients?page=1")
    assert response.json() == []
    assert response.headers["x-total-count"] == "0"
    assert [relation for _, relation in LINK.findall(response.headers["link"])] == ["first", "last"]


@pytest.mark.parametrize("size", [1, 1000])
def test_per_page_from_1_to_1000_is_accepted(account: Member, client_id: int, size: int) -> None:
    response = account.get(f"/clients/{client_id}/pay_points?per_page={size}")
    assert len(response.json()) == min(size, 5)


@pytest.mark.parametrize("size", ["0", "1001", "abc", "-1", "", "1.5", "99999999999999999999"])
def test_any_other_per_page_is_a_validation_failure(account: Member, size: str) -> None:
    assert field_errors(account.get(f"/clients?per_page={size}")) == {"per_page": "must be from 1 to 1000"}


@pytest.mark.parametrize("number", ["0", "-1", "abc", "", "1.5", "99999999999999999999"])
def test_pages_are_counted_from_1(account: Member, number: str) -> None:
    assert list(field_errors(account.get(f"/clients?page={number}"))) == ["page"]


def test_both_errors_are_reported_at_once(account: Member) -> None:
    assert set(field_errors(account.get("/clients?page=0&per_page=1001"))) == {"page", "per_page"}
