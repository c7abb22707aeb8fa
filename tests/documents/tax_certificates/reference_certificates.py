"""A reference implementation of form IR8A, from the payslips that the API returns and a list of the boxes."""

import math
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.support.running import Member

Sums = dict[str, Decimal]

BOXES = {
    "a": "basic_salary overtime rest_day_pay public_holiday_pay back_pay leave_encashment ns_makeup_pay",
    "b": "annual_bonus bonus annual_wage_supplement",
    "c": "directors_fee",
    "d1_transport": "transport_allowance",
    "d1_entertainment": "entertainment_allowance",
    "d1_other": "meal_allowance housing_allowance other_allowance",
    "d2": "commission",
    "d4": "notice_pay gratuity ex_gratia",
    "d9": "benefit_in_kind",
    "cpf": "cpf_employee",
    "donation": "donation cdac ecf sinda",
    "insurance": "insurance",
}
BOX_OF = {item: box for box, items in BOXES.items() for item in items.split()}
WAGE_DEDUCTIONS = {"unpaid_leave": "a"}
NOT_TAXED = {
    "total",
    *("reimbursement", "retrenchment_benefit"),
    *("union_fee", "loan", "savings", "garnishee", "salary_advance", "other_deduction", "notice_shortfall"),
    *("cpf_employer", "sdl", "foreign_worker_levy"),
}
YEAR_INPUTS = {
    "annual_bonus": "declaration_date",
    "bonus": "declaration_date",
    "annual_wage_supplement": "declaration_date",
    "directors_fee": "approval_date",
}
# The part of a month's MBMF for the Mosque Building Fund (Administration of Muslim Law Act 1966, s. 78; 2016 notice).
MOSQUE = {
    Decimal(amount): Decimal(part)
    for amount, part in (
        ("0", "0"),
        ("3", "1.75"),
        ("4.5", "3"),
        ("6.5", "5"),
        ("15", "11"),
        ("19.5", "13.5"),
        ("22", "14.5"),
        ("24", "16"),
        ("26", "17.5"),
    )
}
PARTS = [box for box in BOXES if box.startswith("d") and box[1:2].isdigit()]


def expected_boxes(member: Member, client_id: int, employee_id: int, year: int) -> dict[str, int]:
    """Return the boxes in whole dollars, without zero amounts."""
    sums = expected_amounts(member, client_id, employee_id, year)
    dollars_by_box = {box: math.floor(sums[box]) for box in ("a", "b", "c")}
    dollars_by_box["d"] = math.floor(sum(sums[box] for box in PARTS))
    dollars_by_box["total"] = sum(dollars_by_box.values())
    dollars_by_box |= {box: math.ceil(sums[box]) for box in ("cpf", "donation", "mosque", "insurance")}
    return {box: dollars for box, dollars in dollars_by_box.items() if dollars}


def expected_amounts(member: Member, client_id: int, employee_id: int, year: int) -> Sums:
    """Return the boxes in cents, from the finalised payslips of an employee."""
    custom = {
        calculation["calc_type"]: calculation["treatment"]["ir8a"]
        for calculation in _get(member, f"/clients/{client_id}/calculation_types")
        if calculation["calc_type"].isdigit()
    }
    sums: Sums = defaultdict(Decimal)
    mbmf: Sums = defaultdict(Decimal)
    for payslip in _finalised(member, client_id, employee_id):
        for item, amount in _lines(payslip):
            if item == "mbmf":
                month = payslip["date"][:7]
                mosque = MOSQUE[mbmf[month] + amount] - MOSQUE[mbmf[month]]
                mbmf[month] += amount
                if payslip["pay_date"].startswith(str(year)):
                    sums["mosque"] += mosque
                    sums["donation"] += amount - mosque
            elif payslip["entered"].get(item, payslip["pay_date"]).startswith(str(year)):
                if item in WAGE_DEDUCTIONS:
                    sums[WAGE_DEDUCTIONS[item]] -= amount
                elif box := BOX_OF.get(item) or custom.get(item):
                    sums[box] += amount
                else:
                    assert item in NOT_TAXED or item in custom, f"unknown item {item}"
    return sums


def _finalised(member: Member, client_id: int, employee_id: int) -> Iterator[dict[str, Any]]:
    """Yield the payslips in chronological order, with their lines, pay dates and the dates that determine the year."""
    waves = {element["wave"]["id"]: element["wave"] for element in _get(member, f"/clients/{client_id}/waves")}
    wave = waves[_get(member, f"/employees/{employee_id}")["employee"]["wave_id"]]
    listed = [element["payslip"] for element in _get(member, f"/employees/{employee_id}/payslips")]
    for payslip in sorted(listed, key=lambda slip: (slip["date"], slip["id"])):
        if payslip["finalised"]:
            rows = _get(member, f"/payslips/{payslip['id']}/calculations")
            dates = {row["system_type"]: row["inputs"] for row in rows if row.get("system_type") in YEAR_INPUTS}
            yield {
                **payslip,
                **_get(member, f"/payslips/{payslip['id']}")["payslip"],
                "pay_date": _pay_date(payslip["date"], wave),
                "entered": {
                    item: inputs[YEAR_INPUTS[item]]
                    for item, inputs in dates.items()
                    if inputs.get(YEAR_INPUTS[item]) is not None
                },
            }


def _pay_date(end: str, wave: dict[str, Any]) -> str:
    """Return the pay date of a period. Only the pay dates of the demo's waves are supported."""
    days = wave["pay_dates"]
    if not days["enabled"]:
        return end
    year, month, day = map(int, end.split("-"))
    if day == _interim(wave):
        assert days["interim_when"] == "current"
        return f"{year}-{month:02d}-{days['interim_day']:02d}"
    assert days["when"] == "next"
    year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return f"{year}-{month:02d}-{days['day']:02d}"


def _interim(wave: dict[str, Any]) -> int:
    return int(wave["interim_first_end_date"][-2:])


def _lines(payslip: dict[str, Any]) -> Iterator[tuple[str, Decimal]]:
    groups = (payslip["income"], payslip["deduction"], *(lines for _, lines in payslip["sideline"]))
    for lines in groups:
        for item, amount in lines:
            yield str(item), Decimal(amount)


def _get(member: Member, path: str) -> Any:
    answer = member.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()
