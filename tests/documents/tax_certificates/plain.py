"""Form IR8A told plainly: from payslips as the API shows them one by one, with a calculator and a list of the boxes."""

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
TAKES_AWAY = {"unpaid_leave": "a"}
NOT_TAXED = {
    "total",
    *("reimbursement", "retrenchment_benefit"),
    *("union_fee", "loan", "savings", "garnishee", "salary_advance", "other_deduction", "notice_shortfall"),
    *("cpf_employer", "sdl", "foreign_worker_levy"),
}
DECIDES = {
    "annual_bonus": "declaration_date",
    "bonus": "declaration_date",
    "annual_wage_supplement": "declaration_date",
    "directors_fee": "approval_date",
}
# What of a month's MBMF the mosques get (Administration of Muslim Law Act 1966, s. 78, as published for 2016).
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


def boxes(member: Member, client_id: int, employee_id: int, year: int) -> dict[str, int]:
    """The boxes in whole dollars, those that are not nothing."""
    sums = summed(member, client_id, employee_id, year)
    found = {box: math.floor(sums[box]) for box in ("a", "b", "c")}
    found["d"] = math.floor(sum(sums[box] for box in PARTS))
    found["total"] = sum(found.values())
    found |= {box: math.ceil(sums[box]) for box in ("cpf", "donation", "mosque", "insurance")}
    return {box: dollars for box, dollars in found.items() if dollars}


def summed(member: Member, client_id: int, employee_id: int, year: int) -> Sums:
    """The boxes to the cent, from the finalised payslips of an employee."""
    custom = {
        one["calc_type"]: one["treatment"]["ir8a"]
        for one in _got(member, f"/clients/{client_id}/calculation_types")
        if one["calc_type"].isdigit()
    }
    sums: Sums = defaultdict(Decimal)
    mbmf: Sums = defaultdict(Decimal)
    for slip in _finalised(member, client_id, employee_id):
        for item, amount in _lines(slip):
            if item == "mbmf":
                month = slip["date"][:7]
                mosque = MOSQUE[mbmf[month] + amount] - MOSQUE[mbmf[month]]
                mbmf[month] += amount
                if slip["pay_date"].startswith(str(year)):
                    sums["mosque"] += mosque
                    sums["donation"] += amount - mosque
            elif slip["entered"].get(item, slip["pay_date"]).startswith(str(year)):
                if item in TAKES_AWAY:
                    sums[TAKES_AWAY[item]] -= amount
                elif box := BOX_OF.get(item) or custom.get(item):
                    sums[box] += amount
                else:
                    assert item in NOT_TAXED or item in custom, f"nobody knows {item}"
    return sums


def _finalised(member: Member, client_id: int, employee_id: int) -> Iterator[dict[str, Any]]:
    """The payslips in the order of time, each with its lines, its pay date and the dates that decide on a year."""
    waves = {one["wave"]["id"]: one["wave"] for one in _got(member, f"/clients/{client_id}/waves")}
    wave = waves[_got(member, f"/employees/{employee_id}")["employee"]["wave_id"]]
    listed = [one["payslip"] for one in _got(member, f"/employees/{employee_id}/payslips")]
    for one in sorted(listed, key=lambda slip: (slip["date"], slip["id"])):
        if one["finalised"]:
            rows = _got(member, f"/payslips/{one['id']}/calculations")
            dates = {row["system_type"]: row["inputs"] for row in rows if row.get("system_type") in DECIDES}
            yield {
                **one,
                **_got(member, f"/payslips/{one['id']}")["payslip"],
                "pay_date": _pay_date(one["date"], wave),
                "entered": {
                    item: given[DECIDES[item]] for item, given in dates.items() if given.get(DECIDES[item]) is not None
                },
            }


def _pay_date(end: str, wave: dict[str, Any]) -> str:
    """The end of the period, unless its wave says otherwise; of those that the demo has."""
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


def _lines(slip: dict[str, Any]) -> Iterator[tuple[str, Decimal]]:
    groups = (slip["income"], slip["deduction"], *(lines for _, lines in slip["sideline"]))
    for lines in groups:
        for item, amount in lines:
            yield str(item), Decimal(amount)


def _got(member: Member, path: str) -> Any:
    answer = member.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()
