"""The walk through a month on the start page: the requests that pay one employee of a new company."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.web.openapi import DEFAULT_ORIGIN


@dataclass(frozen=True)
class MonthStep:
    """One request, with names such as `$CLIENT_ID` for the IDs that earlier responses returned."""

    title: str
    text: str
    method: str
    path: str
    body: Mapping[str, Any] | None = None
    keeps_id: str = ""
    """The name under which the ID in the response is used later."""

    @property
    def curl(self) -> str:
        """The request as a command, with the key in $GAJI_KEY."""
        url = f'"{DEFAULT_ORIGIN}/v1{self.path}"' if "$" in self.path else f"{DEFAULT_ORIGIN}/v1{self.path}"
        method = f"-X {self.method} " if self.method != "GET" and self.body is None else ""
        lines = [f"curl {method}{url}", '-H "Authorization: $GAJI_KEY"']
        if self.body is not None:
            lines += ["-H 'Content-Type: application/json'", f"-d {self._quoted_body}"]
        return " \\\n  ".join(lines)

    @property
    def _quoted_body(self) -> str:
        """The body as a shell word. Variables are outside of the quotes, so that the shell replaces them."""
        text = msgspec.json.format(msgspec.json.encode(self.body), indent=2).decode()
        for name in IDS:
            text = text.replace(f'"${name}"', f"'${name}'")
        return f"'{text}'" if "'$" in text else shlex.quote(text)


IDS = ("CLIENT_ID", "WAVE_ID", "EMPLOYEE_ID", "RUN_ID")
EMPLOYEE = {
    "first_name": "Mei Ling",
    "last_name": "Tan",
    "wave_id": "$WAVE_ID",
    "appointment_date": "2026-01-01",
    "birthdate": "1990-04-12",
    "gender": "F",
    "race": "CHINESE",
    "religion": "NONE",
    "legal_status": "CITIZEN",
    "nric": "S9012345I",
    "payment_method": "cash",
    "sdl_exempt": False,
    "cpf_exempt": False,
}
MONTH = (
    MonthStep("Create a company", "A company is a client.", "POST", "/clients", {"name": "Kopi Works"}, "CLIENT_ID"),
    MonthStep(
        "Say when it pays",
        "A wave is a pay schedule. This one ends on the last day of each month, from January 2026 on.",
        "POST",
        "/clients/$CLIENT_ID/waves",
        {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"},
        "WAVE_ID",
    ),
    MonthStep(
        "Add an employee",
        "The draft of the first payslip is created with the employee.",
        "POST",
        "/clients/$CLIENT_ID/employees",
        EMPLOYEE,
        "EMPLOYEE_ID",
    ),
    MonthStep(
        "Enter the salary",
        "A calculation of an employee is on every payslip, until you change it.",
        "POST",
        "/employees/$EMPLOYEE_ID/calculations",
        {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "4200.00"}},
    ),
    MonthStep(
        "Open the pay run",
        "It has the payslips of all employees of the wave for this period.",
        "POST",
        "/clients/$CLIENT_ID/payment_runs",
        {"wave_id": "$WAVE_ID", "period_end_date": "2026-01-31"},
        "RUN_ID",
    ),
    MonthStep(
        "Check the payslips",
        "Every line has been calculated, with CPF, SDL and the self-help fund.",
        "GET",
        "/payment_runs/$RUN_ID/payslips",
    ),
    MonthStep("Finalise", "The payslips can no longer change by accident.", "POST", "/payment_runs/$RUN_ID/finalise"),
    MonthStep("Release", "Employees can now see their payslips.", "POST", "/payment_runs/$RUN_ID/release"),
    MonthStep(
        "See what is due to the CPF Board",
        "The amounts for the month, and the day by which they are due.",
        "GET",
        "/clients/$CLIENT_ID/filings/2026-01",
    ),
)
