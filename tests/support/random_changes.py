"""Random changes to the records of a client over HTTP, for tests of what follows changes."""

from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

import httpx

from tests.support.company import attributes

Call = Callable[[str, str, Any], httpx.Response]
"""Sends a request with a method, a path and a body."""
REFUSED = (404, 409, 422)
TYPES = ("annual_bonus", "transport_allowance", "insurance", "commission")
MIN_EMPLOYEES, MAX_EMPLOYEES = 4, 40
FIRST_DAY = date(2026, 1, 5)


class RandomChanges:
    """Someone who changes records of a client at random, and those records that they have created."""

    def __init__(self, call: Call, client_id: int, wave_id: int, random: Random, bulk_size: int) -> None:
        self.call, self.client, self.wave_id = call, f"/clients/{client_id}", wave_id
        self.random, self.bulk_size = random, bulk_size
        self.made = 0
        """The changes so far."""
        self.paths: dict[str, list[str]] = {name: [] for name in ("employee", "pay_point", "leave", "request", "run")}
        """The paths of the records that exist, by kind."""
        unpaid = {name: type_id for type_id, name in call("GET", f"{self.client}/leave_types", None).json().items()}
        self.type_id = int(unpaid["unpaid_leave"])

    def make(self, number: int) -> None:
        """Make at least this number of changes."""
        actions: dict[Callable[[], int], int] = {
            self._update_employees: 8,
            self._update_employee: 8,
            self._hire: 3,
            self._delete_employee: 2,
            self._change_pay_point: 6,
            self._change_calculation: 4,
            self._delete_calculation: 1,
            self._record_leave: 8,
            self._delete_leave: 4,
            self._request_leave: 4,
            self._change_client: 3,
            self._change_run: 2,
        }
        target = self.made + number
        while self.made < target:
            [action] = self.random.choices(list(actions), list(actions.values()))
            self.made += action()

    def _send(self, method: str, path: str, body: Any = None) -> httpx.Response | None:
        """Send a request. Return None if it is refused, which is no change."""
        response = self.call(method, path, body)
        assert response.status_code == 200 or response.status_code in REFUSED, response.text
        return response if response.status_code == 200 else None

    def _create(self, path: str, body: Any, kind: str, created_path: str) -> int:
        response = self._send("POST", path, body)
        if response is not None:
            self.paths[kind].append(f"{created_path}/{response.json()['id']}")
        return response is not None

    def _delete(self, kind: str) -> int:
        paths = self.paths[kind]
        if not paths:
            return 0
        path = self.random.choice(paths)
        response = self._send("DELETE", path)
        if response is not None:
            paths.remove(path)
        return response is not None

    def _text(self) -> str:
        return f"{self.random.randrange(10**9):09}"

    def _employee(self) -> str | None:
        return self.random.choice(self.paths["employee"]) if self.paths["employee"] else None

    def _hire(self) -> int:
        if len(self.paths["employee"]) >= MAX_EMPLOYEES:
            return 0
        employee = attributes(wave_id=self.wave_id, appointment_date="2026-01-01", job_title=self._text())
        return self._create(f"{self.client}/employees", {"employee": employee}, "employee", "/employees")

    def _delete_employee(self) -> int:
        return self._delete("employee") if len(self.paths["employee"]) > MIN_EMPLOYEES else self._hire()

    def _update_employee(self) -> int:
        employee = self._employee()
        body = {"employee": {"job_title": self._text(), "metadata": {"note": self._text()}}}
        return employee is not None and self._send("PATCH", employee, body) is not None

    def _update_employees(self) -> int:
        count = min(self.bulk_size, len(self.paths["employee"]))
        ids = [int(path.rpartition("/")[2]) for path in self.random.sample(self.paths["employee"], count)]
        updates = [{"id": employee_id, "job_title": self._text()} for employee_id in ids]
        response = self._send("PATCH", f"{self.client}/employees/bulk", {"employees": updates}) if updates else None
        return 0 if response is None else sum(result["success"] for result in response.json()["results"])

    def _change_pay_point(self) -> int:
        choice = self.random.random()
        if choice < 0.4 or not self.paths["pay_point"]:
            return self._create(f"{self.client}/pay_points", {"name": self._text()}, "pay_point", "/pay_points")
        if choice < 0.8:
            path = self.random.choice(self.paths["pay_point"])
            return self._send("PATCH", path, {"name": self._text()}) is not None
        return self._delete("pay_point")

    def _change_calculation(self) -> int:
        body = {
            "calc_type": self.random.choice(TYPES),
            "calculation_details": {"amount": self.random.randrange(1, 900)},
            "metadata": {"note": self._text()},
        }
        return self._send("POST", f"{self.client}/calculations", body) is not None

    def _delete_calculation(self) -> int:
        calculations = self.call("GET", f"{self.client}/calculations", None).json()
        if not calculations:
            return 0
        return self._send("DELETE", f"/calculations/{self.random.choice(calculations)['id']}") is not None

    def _record_leave(self) -> int:
        employee, day = self._employee(), FIRST_DAY + timedelta(days=self.random.randrange(300))
        if employee is None:
            return 0
        if self.random.random() < 0.3:
            body = {"type_id": self.type_id, "date": str(day), "days": 1, "reason": self._text()}
            return self._create(f"{employee}/leave_adjustments", body, "leave", "/leave_adjustments")
        body = {"type_id": self.type_id, "date": str(day)}
        return self._create(f"{employee}/leave_days", body, "leave", "/leave_days")

    def _delete_leave(self) -> int:
        return self._delete("leave")

    def _request_leave(self) -> int:
        if self.paths["request"] and self.random.random() < 0.5:
            request = self.paths["request"].pop()
            return self._send("POST", f"{request}/cancel") is not None
        employee, day = self._employee(), FIRST_DAY + timedelta(days=self.random.randrange(300))
        body = {"dates": [{"type_id": self.type_id, "date": str(day)}]}
        return employee is not None and self._create(f"{employee}/leave_requests", body, "request", "/leave_requests")

    def _change_client(self) -> int:
        return self._send("PATCH", self.client, {"metadata": {"note": self._text()}}) is not None

    def _change_run(self) -> int:
        """Open the run of January, finalise it, reopen it and delete it again."""
        if not self.paths["run"]:
            body = {"wave_id": self.wave_id, "period_end_date": "2026-01-31"}
            return self._create(f"{self.client}/payment_runs", body, "run", "/payment_runs")
        [run] = self.paths["run"]
        if self.random.random() < 0.4:
            return self._send("POST", f"{run}/finalise") is not None
        return self._send("POST", f"{run}/unfinalise") is not None or self._delete("run")
