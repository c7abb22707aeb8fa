"""A small company for report tests: two waves, a joiner, a leaver, custom items, loans and leave."""

from dataclasses import dataclass
from typing import Any

from tests.leave.people import leave_types
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, hired, opened, paid
from tests.payroll.payslips.slips import enter
from tests.support.company import WEEKLY, Company
from tests.support.running import Member, created

MONTHS = (JANUARY, FEBRUARY, MARCH)
WEEKS = ("2026-01-09", "2026-01-16")
JANUARY_OFFSET = 216
"""The offset in the monthly wave: the months since January 2008."""


@dataclass(frozen=True)
class SamplePayroll:
    """The company and its records by name."""

    company: Company
    weekly_wave_id: int
    people: dict[str, int]
    """Employee IDs by first name."""
    fields: dict[str, int]
    """Custom field IDs by name."""
    items: dict[str, int]
    """Custom item IDs by name."""
    leave_types: dict[str, int]

    def number(self, name: str) -> str:
        """Return the number of an employee."""
        number: str = self.company.employee(self.people[name])["number"]
        return number


def pay_three_months(member: Member) -> SamplePayroll:
    """Create the company and finalise January to March 2026."""
    company = Company.of(member)
    weekly = company.wave(**{**WEEKLY, "first_end_date": WEEKS[0]})
    pay_point_id = member.new_pay_point(company.id, name="Warehouse")
    fields = {
        "Shirt size": company.field(name="Shirt size", type="dropdown", options=["Small", "Large"]),
        "Locker": company.field(name="Locker", type="text"),
        "Shift leader": company.field(name="Shift leader", type="boolean"),
    }
    items = {
        "Night shift": _item(company, name="Night shift", kind="allowance", input="per_employee"),
        "Bonus": _item(company, name="Bonus", kind="income", input="per_payslip"),
    }
    people = {
        "Mei": hired(
            company,
            first_name="Mei",
            last_name="Tan",
            pay_point_id=pay_point_id,
            custom_fields={
                str(fields["Shirt size"]): _options(company)["Large"],
                str(fields["Locker"]): 'No. 7, "left"',
                str(fields["Shift leader"]): True,
            },
        ),
        "Ravi": hired(company, "3000.00", first_name="Ravi", last_name="Kumar", race="INDIAN", birthdate="1964-01-10"),
        "Siti": hired(
            company, "2800.00", first_name="Siti", last_name="", name_format=3, appointment_date="2026-02-16"
        ),
        "Arun": hired(company, "3500.00", first_name="Arun", last_name="Pillai"),
        "Lim": hired(company, "700.00", first_name="Lim", last_name="Ah Kow", wave_id=weekly),
    }
    _enter_calculations(company, people, items)
    company.leave(people["Arun"], "2026-02-20")
    types = leave_types(member, company.id)
    _add_leave(company, people["Mei"], types)
    _add_national_service(company, people, types)
    for end in MONTHS:
        paid(company, end)
    special = opened(company, MARCH, special=True, employee_ids=[people["Mei"]])
    slip = member.get(f"/payment_runs/{special}/payslips").json()[0]["payslip"]["id"]
    enter(company, f"payslips/{slip}", "bonus", amount="1234.50")
    assert member.post(f"/payment_runs/{special}/finalise").status_code == 200
    for end in WEEKS:
        paid(company, end, wave_id=weekly)
    return SamplePayroll(company, weekly, people, fields, items, types)


def _item(company: Company, **attributes: Any) -> int:
    return created(company.member.post(f"/clients/{company.id}/calculation_definitions", attributes))


def _options(company: Company) -> dict[str, int]:
    """Return the options of the dropdown by name."""
    elements = company.member.get(f"/clients/{company.id}/custom_employee_fields").json()
    [options] = [
        element["custom_employee_field"]["options"]
        for element in elements
        if element["custom_employee_field"]["type"] == "dropdown"
    ]
    return {option["name"]: option["id"] for option in options}


def _enter_calculations(company: Company, people: dict[str, int], items: dict[str, int]) -> None:
    mei, ravi = f"employees/{people['Mei']}", f"employees/{people['Ravi']}"
    enter(company, mei, "transport_allowance", amount="150.00")
    enter(company, mei, "entertainment_allowance", amount="210.00")
    enter(company, mei, "loan", balance="1000.00", instalment="300.00", start_date="2026-01-01")
    enter(company, mei, "salary_advance", balance="400.00", instalment="150.00", start_date="2026-03-01")
    enter(company, ravi, str(items["Night shift"]), amount="88.80")
    enter(company, ravi, "savings", balance="20.00", instalment="50.00", start_date="2026-02-01")
    enter(company, ravi, "garnishee", balance="500.00", instalment="100.00")
    enter(company, f"employees/{people['Siti']}", "benefit_in_kind", amount="60.00", category="housing")


def _add_leave(company: Company, employee_id: int, types: dict[str, int]) -> None:
    """Add an adjustment, two leave days and a day of unpaid leave."""
    employee = f"/employees/{employee_id}"
    adjustment = {"type_id": types["annual_leave"], "date": "2026-01-05", "days": 4.5, "reason": "From last year"}
    created(company.member.post(f"{employee}/leave_adjustments", adjustment))
    for day, name, hours in (
        ("2026-01-15", "annual_leave", None),
        ("2026-03-12", "annual_leave", 4),
        ("2026-03-13", "unpaid_leave", None),
    ):
        created(company.member.post(f"{employee}/leave_days", {"date": day, "type_id": types[name], "hours": hours}))


def _add_national_service(company: Company, people: dict[str, int], types: dict[str, int]) -> None:
    """Add national service, which the company is reimbursed for."""
    for name, day in (("Mei", "2026-03-16"), ("Ravi", "2026-03-10"), ("Lim", "2026-03-17")):
        body = {"date": day, "type_id": types["national_service_leave"]}
        created(company.member.post(f"/employees/{people[name]}/leave_days", body))
