"""Copies of the lists of a client that follow `updated_since` or the event feed."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

import httpx

BEGINNING = "1970-01-01T00:00:00+00:00"
OF_EMPLOYEE = ("leave_days", "leave_requests", "leave_adjustments", "payslips")
EMPLOYEES_AT_ONCE = 3
FEED_LISTS = {"employee": "employees", "calculation": "calculations"}
"""The lists that the event feed has every change of, by the type of the resource."""

Get = Callable[[str], httpx.Response]
Records = dict[int, Any]


def listed_records(response: httpx.Response) -> list[dict[str, Any]]:
    """Return the records of a list, whether or not they are wrapped."""
    assert response.status_code == 200, response.text
    return [element if "id" in element else next(iter(element.values())) for element in response.json()]


class ListMirror:
    """A copy of a list that follows its changes."""

    def __init__(self, get: Get, path: str, per_page: int = 100) -> None:
        self.get, self.path, self.per_page = get, path, per_page
        self.position = BEGINNING
        self.records: Records = {}
        self.read_ids: list[int] = []

    def follow(self) -> None:
        """Read all changes since the last call."""
        self.read_ids = []
        while self._read_page():
            pass

    def _read_page(self) -> bool:
        query = urlencode({"updated_since": self.position, "per_page": self.per_page})
        response = self.get(f"{self.path}?{query}")
        if response.status_code == httpx.codes.NOT_FOUND:  # The owner of the list was deleted.
            self.records = {}
            return False
        for record in listed_records(response):
            self.read_ids.append(record["id"])
            if record.get("deleted") and "deleted_at" in record:
                assert set(record) == {"id", "deleted", "deleted_at"}
                self.records.pop(record["id"], None)
            else:
                self.records[record["id"]] = record
        self.position = response.headers["x-next-cursor"]
        has_more = 'rel="next"' in response.headers.get("link", "")
        assert not has_more or urlencode({"updated_since": self.position}) in response.headers["link"]
        return has_more

    def source(self) -> Records:
        """The list itself."""
        return {record["id"]: record for record in listed_records(self.get(self.path))}


class FeedMirror:
    """A copy of the employees and calculations of a client that follows the event feed."""

    def __init__(self, get: Get, client_id: int) -> None:
        self.get, self.client = get, f"/clients/{client_id}"
        self.last_event_id = 0
        self.records: dict[str, Records] = {name: {} for name in FEED_LISTS.values()}

    def follow(self) -> None:
        """Read all events since the last call, and the records that they name."""
        while events := listed_records(self.get(f"{self.client}/events?after={self.last_event_id}&limit=1000")):
            ids = [event["id"] for event in events]
            assert ids == sorted(set(ids))
            assert ids[0] > self.last_event_id
            self._read({(event["resource"]["type"], event["resource"]["id"]) for event in events})
            self.last_event_id = ids[-1]

    def _read(self, resources: Iterable[tuple[str, int]]) -> None:
        named: dict[str, list[int]] = defaultdict(list)
        for resource, record_id in resources:
            if resource in FEED_LISTS:
                named[FEED_LISTS[resource]].append(record_id)
        for name, ids in named.items():
            query = urlencode({"ids": ",".join(map(str, sorted(ids)))})
            current = {record["id"]: record for record in listed_records(self.get(f"{self.client}/{name}?{query}"))}
            self.records[name] = {key: record for key, record in self.records[name].items() if key not in ids} | current

    def source(self) -> dict[str, Records]:
        """The lists themselves."""
        lists = {name: listed_records(self.get(f"{self.client}/{name}")) for name in self.records}
        return {name: {record["id"]: record for record in records} for name, records in lists.items()}


class ClientMirror:
    """Copies of all lists of a client and its employees that have `updated_since`, and one that follows the feed."""

    def __init__(self, get: Get, client_id: int, per_page: int = 100) -> None:
        self.get, self.per_page = get, per_page
        names = ("employees", "pay_points", "waves", "payment_runs", "calculations")
        paths = ["/clients", *(f"/clients/{client_id}/{name}" for name in names)]
        self.lists = {path: ListMirror(get, path, per_page) for path in paths}
        self.employees = self.lists[f"/clients/{client_id}/employees"]
        self.feed = FeedMirror(get, client_id)
        self.of_employees: dict[str, ListMirror] = {}
        self.turns = 0

    def follow(self) -> None:
        """Read the changes of the client's own lists, of the lists of some employees in turn, and the events."""
        for mirror in self.lists.values():
            mirror.follow()
        self.feed.follow()
        employee_ids = sorted(self.employees.records)
        for _ in range(min(EMPLOYEES_AT_ONCE, len(employee_ids))):
            self.turns += 1
            self._follow_employee(employee_ids[self.turns % len(employee_ids)])

    def _follow_employee(self, employee_id: int) -> list[ListMirror]:
        paths = [f"/employees/{employee_id}/{name}" for name in OF_EMPLOYEE]
        mirrors = [self.of_employees.setdefault(path, ListMirror(self.get, path, self.per_page)) for path in paths]
        for mirror in mirrors:
            mirror.follow()
        return mirrors

    def check(self) -> int:
        """Read all changes and compare each copy with its source. Return the number of records that were compared.

        Nobody may write meanwhile.
        """
        self.follow()
        assert self.feed.records == self.feed.source()
        of_employees = [mirror for key in self.employees.records for mirror in self._follow_employee(key)]
        compared = 0
        for mirror in (*self.lists.values(), *of_employees):
            source = mirror.source()
            assert mirror.records == source, mirror.path
            compared += len(source)
        return compared
