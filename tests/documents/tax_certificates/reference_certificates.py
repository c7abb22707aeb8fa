"""A reference implementation of form IR8A, from the payslips that the API returns and a list of the boxes."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import ROUND_DOWN, Decimal
from typing import Any

from tests.support.running import Member

Sums = dict[str, Decimal]

BOXES = {
    "a": "basic_salary overtime rest_day_pay public_holiday_pay public_holiday_off_pay back_pay ns_makeup_pay",
    "b": "annual_bonus bonus annual_wage_supplement",
    "c": "directors_fee",
    "d1_transport": "transport_allowance",
    "d1_entertainment": "entertainment_allowance",
    "d1_other": "meal_allowance housing_allowance other_allowance leave_encashment",
    "d2": "commission",
    "d4": "notice_pay gratuity ex_gratia",
    "d9": "benefit_in_kind",
    "cpf": "cpf_employee",
    "donation": "donation cdac ecf sinda",
    "insurance": "insurance",
}
BOX_OF = {item: box for box, items in BOXES.items() for item in items.split()}
WAGE_DEDUCTIONS = {"unpaid_leave": "a", "national_service_leave": "a", "excess_leave": "a", "bonus_repayment": "b"}
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
"""Dates that set the year, of a bonus only if it is contractual."""
BY_PAYMENT = {"annual_bonus", "bonus", "bonus_repayment", "notice_pay", "ex_gratia"} | {
    *("donation", "insurance", "directors_fee")
}
"""Items of the year of payment, unless a date sets their year. All others are those of the period."""
BY_PERIOD_END = {"annual_wage_supplement", "leave_encashment", "gratuity", "cpf_employee", "cdac", "ecf", "sinda"}
"""Items that are never divided between two years."""
CENT = Decimal("0.01")
SUM = re.compile(r"(−?[0-9.]+) \+ (−?[0-9.]+) = (−?[0-9.]+)")
"""A line of arithmetic that adds the amounts of two months."""
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
                mosque = Decimal(0)
                for month, part in _mbmf_by_month(member, payslip, amount):
                    mosque += MOSQUE[mbmf[month] + part] - MOSQUE[mbmf[month]]
                    mbmf[month] += part
                if payslip["date"].startswith(str(year)):
                    sums["mosque"] += mosque
                    sums["donation"] += amount - mosque
            elif part := _part_of_year(payslip, item, amount, year):
                if item in WAGE_DEDUCTIONS:
                    sums[WAGE_DEDUCTIONS[item]] -= part
                elif box := BOX_OF.get(item) or custom.get(item):
                    sums[box] += part
                else:
                    assert item in NOT_TAXED or item in custom, f"unknown item {item}"
    return sums


def _part_of_year(payslip: dict[str, Any], item: str, amount: Decimal, year: int) -> Decimal:
    """Return the part of a line that is income of a year: a week over New Year is divided by its working days."""
    days, end = payslip["days"], payslip["date"]
    is_divided = len({day.year for day, _ in days}) > 1 and item not in {*BY_PAYMENT, *BY_PERIOD_END}
    if not is_divided:
        return amount if _income_date(payslip, item).startswith(str(year)) else Decimal(0)
    before = sum(length for day, length in days if day.year < int(end[:4]))
    first: Decimal = (amount * before / sum(length for _, length in days)).quantize(CENT, ROUND_DOWN)
    return {int(end[:4]) - 1: first, int(end[:4]): amount - first}.get(year, Decimal(0))


def _mbmf_by_month(member: Member, payslip: dict[str, Any], amount: Decimal) -> list[tuple[str, Decimal]]:
    """Return the contribution of a payslip by calendar month. That of a week that spans two months is explained so."""
    months = sorted({f"{day:%Y-%m}" for day, _ in payslip["days"]})
    if len(months) < 2:
        return [(payslip["date"][:7], amount)]
    explanation = member.get(f"/payslips/{payslip['id']}/explanation").json()["explanation"]
    [line] = [line for line in explanation if line["item"] == "mbmf"]
    sums = [SUM.fullmatch(step) for step in line["arithmetic"]]
    parts = [[Decimal(number.replace("−", "-")) for number in found.groups()] for found in sums if found]
    before, after = next((first, second) for first, second, total in reversed(parts) if total == amount)
    return [(months[0], before), (months[1], after)]


def _working_days(rows: list[dict[str, Any]], end: str, weeks: int) -> list[tuple[date, int]]:
    """Return the days of a weekly or fortnightly period with their length in half days. Empty for other periods."""
    inputs: dict[str, Any] = next((row["inputs"] for row in rows if row.get("system_type") == "week_hours"), {})
    last = date.fromisoformat(end)
    days = [last - timedelta(days=back) for back in range(7 * weeks - 1, -1, -1)]
    return [(day, _half_days(inputs, f"{day:%a}".lower())) for day in days]


def _half_days(inputs: dict[str, Any], name: str) -> int:
    if inputs.get("schedule") == "casual" or not any(key.startswith("works_") for key in inputs):
        return 2 * (name not in ("sat", "sun"))
    if inputs.get(f"works_{name}") not in (True, "true"):
        return 0
    return 1 if inputs.get(f"day_type_{name}") == "partial" else 2


def _income_date(payslip: dict[str, Any], item: str) -> str:
    """Return a date in the year of income. The demo has no item of a leaver in January."""
    inputs = payslip["entered"].get(item, {})
    contractual = inputs.get("contractual", item == "annual_wage_supplement")
    date_input = YEAR_INPUTS.get(item)
    if date_input and inputs.get(date_input) and (contractual or item == "directors_fee"):
        return str(inputs[date_input])
    return str(payslip["pay_date"] if item in BY_PAYMENT and not contractual else payslip["date"])


def _finalised(member: Member, client_id: int, employee_id: int) -> Iterator[dict[str, Any]]:
    """Yield the payslips in chronological order, with their lines, pay dates and the dates that determine the year."""
    waves = {element["wave"]["id"]: element["wave"] for element in _get(member, f"/clients/{client_id}/waves")}
    wave = waves[_get(member, f"/employees/{employee_id}")["employee"]["wave_id"]]
    listed = [element["payslip"] for element in _get(member, f"/employees/{employee_id}/payslips")]
    for payslip in sorted(listed, key=lambda slip: (slip["date"], slip["id"])):
        if payslip["finalised"]:
            rows = _get(member, f"/payslips/{payslip['id']}/calculations")
            yield {
                **payslip,
                **_get(member, f"/payslips/{payslip['id']}")["payslip"],
                "pay_date": _pay_date(payslip["date"], wave),
                "days": _working_days(rows, payslip["date"], wave["length_weeks"]),
                "entered": {row["system_type"]: row["inputs"] for row in rows if row.get("system_type") in YEAR_INPUTS},
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
