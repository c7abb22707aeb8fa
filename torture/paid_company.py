"""Companies that pay one month after another, and keep what was acknowledged to them."""

import threading
from datetime import date
from typing import Any

from gaji.engine.periods import PaySchedule
from tests.imports.employees.workbooks import flatten, make_workbook
from tests.support.company import attributes
from torture.installation import wait_for
from torture.mirror import Requests

MONTHS = 24
"""After which a company is complete, and its writer continues with a new one."""
HIRED_TOGETHER = 2
IMPORTED_TOGETHER = 2
CALCULATED_WITHIN_S = 900
IMPORTED_WITHIN_S = 900
"""Workers that are killed again and again need long."""
SALARY, RAISE = 3000, 100
SCHEDULE = PaySchedule("monthly", last_day=31)
FIRST_END = date(2023, 1, 31)
FIRST_DAY = date(2023, 1, 1)
WAVE = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(FIRST_END)}

_attributes_lock = threading.Lock()


class PaidCompany:
    """A company that hires employees and completes a run each month."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self.client_id = self._send("POST", "/clients", {"name": "Paid by the month"})["id"]
        self._wave_id = self._send("POST", f"/clients/{self.client_id}/waves", WAVE)["id"]
        self.employee_ids: list[int] = []
        self.payslips: dict[int, int] = {}
        """The number of payslips of each run."""
        self._months = 0

    @property
    def run_ids(self) -> list[int]:
        """All runs, in order."""
        return list(self.payslips)

    @property
    def is_complete(self) -> bool:
        """Whether the company has paid all its months."""
        return self._months == MONTHS

    def finalisations(self, run_id: int) -> int:
        """Return how often a run was finalised."""
        return 1

    def hire(self) -> int:
        """Hire one employee."""
        [body] = self._new_employees(1)
        employee_id: int = self._send("POST", f"/clients/{self.client_id}/employees", body)["id"]
        self.employee_ids.append(employee_id)
        return employee_id

    def pay_next_month(self) -> None:
        """Hire employees, and complete the next run."""
        body = {"employees": self._new_employees(HIRED_TOGETHER)}
        results = self._send("POST", f"/clients/{self.client_id}/employees/bulk", body)["results"]
        self.employee_ids += [result["id"] for result in results]
        self.hire()
        run_body = {"wave_id": self._wave_id, "period_end_date": str(self._month_end(self._months))}
        run_id = self._open_run(run_body, len(self.employee_ids))
        self._months += 1
        self._complete(run_id)

    def check(self) -> None:
        """Check that everything that was acknowledged exists, and that each run has all its payslips."""
        listed = self._send("GET", f"/clients/{self.client_id}/employees", None)
        assert sorted(element["employee"]["id"] for element in listed) == sorted(self.employee_ids)
        runs = self._send("GET", f"/clients/{self.client_id}/payment_runs", None)
        assert sorted(element["payment_run"]["id"] for element in runs) == sorted(self.run_ids)
        for run_id, payslips in self.payslips.items():
            counts = self._read(run_id)["counts"]
            assert (counts["payslips"], counts["calculated"]) == (payslips, payslips), f"run {run_id}: {counts}"

    def _open_run(self, body: Any, payslips: int) -> int:
        """Open a run, and wait until it is calculated."""
        run_id: int = self._send("POST", f"/clients/{self.client_id}/payment_runs", body)["id"]
        self.payslips[run_id] = payslips
        self._wait_until_calculated(run_id)
        return run_id

    def _wait_until_calculated(self, run_id: int) -> None:
        wait_for("the run is calculated", lambda: self._read(run_id)["state"] != "calculating", CALCULATED_WITHIN_S)

    def _complete(self, run_id: int) -> None:
        for step in ("finalise", "mark_paid", "release"):
            self._send("POST", f"/payment_runs/{run_id}/{step}", None)

    def _read(self, run_id: int) -> Any:
        return self._send("GET", f"/payment_runs/{run_id}", None)["payment_run"]

    def _month_end(self, number: int) -> date:
        return SCHEDULE.end(SCHEDULE.offset(FIRST_END) + number)

    def _new_employees(self, number: int) -> list[dict[str, Any]]:
        with _attributes_lock:  # it numbers the employees, and is not safe for threads
            return [attributes(wave_id=self._wave_id, appointment_date=str(FIRST_DAY)) for _ in range(number)]

    def _send(self, method: str, path: str, body: Any) -> Any:
        response = self._requests.call(method, path, body)
        assert response.status_code == 200, f"{method} {path}: {response.status_code} {response.text}"
        return response.json()


class CorrectedCompany(PaidCompany):
    """A company that also imports employees, reopens runs, and corrects months after a late change of a salary."""

    def __init__(self, requests: Requests) -> None:
        super().__init__(requests)
        self.raised_id = self.hire()
        """The employee whose salary changes late."""
        self._set_salary(SALARY, FIRST_DAY)
        self.reopened_ids: set[int] = set()
        self.correction_ids: list[int] = []
        self.abandoned = 0
        """Imports that failed because their workers were killed too often, and were repeated."""

    def finalisations(self, run_id: int) -> int:
        """Return how often a run was finalised."""
        return 2 if run_id in self.reopened_ids else 1

    def pay_next_month(self) -> None:
        """Import and hire employees, and complete the next run. Every other month is corrected afterwards."""
        self.import_employees(IMPORTED_TOGETHER)
        super().pay_next_month()
        if self._months % 2 == 0:
            self._correct(self.run_ids[-1])

    def import_employees(self, number: int) -> None:
        """Import new employees with a workbook, while the caller waits or as a task."""
        rows = [flatten(employee) for employee in self._new_employees(number)]
        workbook = make_workbook(list(rows[0]), *rows)
        if self._months % 2:
            outcome = self._send("POST", f"/clients/{self.client_id}/employees/import", workbook)
        else:
            while (outcome := self._run_import(workbook)) is None:
                self.abandoned += 1
        assert len(outcome["created"]) == number, outcome
        self.employee_ids += [row["id"] for row in outcome["created"]]

    def check(self) -> None:
        """Check also that corrections are of the right employee and amount."""
        super().check()
        for run_id in self.correction_ids:
            [element] = self._send("GET", f"/payment_runs/{run_id}/payslips", None)
            payslip = element["payslip"]
            assert payslip["employee_id"] == self.raised_id, payslip
            assert dict(payslip["data"]["income"])["Total"] == f"{RAISE}.00", payslip

    def _run_import(self, workbook: bytes) -> Any:
        """Queue an import and wait for its outcome. Return None if it was abandoned."""
        path = f"/clients/{self.client_id}/employees/import"
        uuid = self._send("POST", f"{path}/async", workbook)["uuid"]
        progress: dict[str, Any] = {}

        def is_finished() -> bool:
            progress.update(self._send("GET", f"{path}/{uuid}", None))
            return progress["state"] in ("complete", "failed")

        wait_for("the import is finished", is_finished, IMPORTED_WITHIN_S)
        if progress["state"] == "complete":
            return progress["outcome"]
        assert "its worker stopped" in progress["message"], progress
        return None

    def _complete(self, run_id: int) -> None:
        """Finalise some runs twice."""
        if self._months % 3 == 0:
            self._send("POST", f"/payment_runs/{run_id}/finalise", None)
            self._send("POST", f"/payment_runs/{run_id}/unfinalise", None)
            self.reopened_ids.add(run_id)
            self._wait_until_calculated(run_id)
        super()._complete(run_id)

    def _correct(self, run_id: int) -> None:
        """Raise a salary from the beginning of a month that is paid, and pay the difference."""
        corrected = self._month_end(self._months - 1)
        self._set_salary(SALARY + RAISE * (len(self.correction_ids) + 1), corrected.replace(day=1))
        correction_id = self._open_run({"corrects": run_id}, 1)
        self.correction_ids.append(correction_id)
        self._complete(correction_id)

    def _set_salary(self, amount: int, since: date) -> None:
        details = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": str(amount)}}
        self._send("POST", f"/employees/{self.raised_id}/calculations", {**details, "valid_from": str(since)})
