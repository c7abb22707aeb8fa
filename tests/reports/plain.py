"""The reports told plainly: from payslips and movements as the API shows them one by one, with a calculator."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import httpx

from tests.support.company import Company

Row = dict[str, Any]

TYPES = {
    "income": "Income",
    "deduction": "Deduction",
    "employer_contribution": "Employer contribution",
    "benefit": "Benefit",
}


def employees(company: Company) -> list[dict[str, Any]]:
    """All employees in the order of their ids."""
    return company.listed("?include=service_periods,wave_periods")


def payslips(company: Company, employee_id: int) -> Iterator[dict[str, Any]]:
    """The payslips of an employee in the order of their dates, each with its list form and its lines."""
    listed = [one["payslip"] for one in got(company, f"/employees/{employee_id}/payslips")]
    for one in sorted(listed, key=lambda slip: (slip["date"], slip["id"])):
        yield {**one, **got(company, f"/payslips/{one['id']}")["payslip"]}


def captions(company: Company) -> dict[str, str]:
    """By item what people read; a custom item called like one of the system's has its number beside it."""
    found: dict[str, str] = {}
    for one in got(company, f"/clients/{company.id}/items_and_outputs"):
        name = one["caption"]
        found[one["item"]] = f"{name} ({one['item']})" if name in found.values() else name
    return {**found, "total_income": "Total income", "total_deduction": "Total deduction", "nett_pay": "Nett pay"}


def amounts(slip: dict[str, Any]) -> dict[str, tuple[str, Decimal]]:
    """By item the type of a line and its amount."""
    found = {}
    for section in ("income", "deduction"):
        for item, amount in slip[section]:
            if item == "total":
                found[f"total_{section}"] = ("Total", Decimal(amount))
            else:
                kind = "Taxable income deduction" if item == "unpaid_leave" else TYPES[section]
                found[str(item)] = (kind, Decimal(amount))
    for group, lines in slip["sideline"]:
        found.update({str(item): (TYPES[group], Decimal(amount)) for item, amount in lines})
    [(item, amount)] = slip["grand_total"]
    found[item] = ("Summary", Decimal(amount))
    return found


def transaction_history(
    company: Company, start: str, end: str, items: Iterable[str] | None = None, wave_ids: Iterable[int] = ()
) -> list[Row]:
    """One row for each finalised payslip; of all items that occur, unless some are named."""
    names = captions(company)
    found = [
        (one["number"], slip["date"], amounts(slip))
        for one in employees(company)
        for slip in payslips(company, one["id"])
        if slip["finalised"] and start <= slip["date"] <= end and (not wave_ids or one["wave_id"] in wave_ids)
    ]
    shown = list(items) if items else [item for item in names if any(item in lines for _, _, lines in found)]
    return [
        {
            "employee": number,
            "Date": day,
            **{names[item]: float(lines.get(item, ("", Decimal(0)))[1]) for item in shown},
        }
        for number, day, lines in found
    ]


def variance(company: Company, wave_id: int, before: str, selected: str) -> list[Row]:
    """One row for each employee and item that has an amount on one of two regular payslips of a wave."""
    names, rows = captions(company), []
    for one in employees(company):
        if one["wave_id"] != wave_id:
            continue
        slips = {slip["date"]: amounts(slip) for slip in payslips(company, one["id"]) if not slip["special"]}
        two = [slips.get(day, {}) for day in (before, selected)]
        for item, caption in names.items():
            previous, now = (lines.get(item, ("", Decimal(0)))[1] for lines in two)
            if previous or now:
                rows.append(
                    {
                        "employee": one["number"],
                        "Type": next(lines[item][0] for lines in two if item in lines),
                        "Transaction": _described(item, caption),
                        "Previous": float(previous),
                        "Selected": float(now),
                        "Variance": float(now - previous),
                    }
                )
    return rows


def comparison_leave(company: Company, start: str, end: str) -> list[Row]:
    """One row for each employee in service and type of leave, from the movements of each."""
    rows = []
    for one in employees(company):
        for service in (period["service_period"] for period in one["service_periods"]):
            last = min(end, service["end_date"] or end)
            if service["start_date"] > last or start > last:
                continue
            moves = [
                move["leave_movement"] for move in got(company, f"/employees/{one['id']}/leave_movements?to={last}")
            ]
            rows += list(_leave_rows(company, one, moves, start, last))
    return rows


def money(amount: float) -> str:
    """An amount as people read it."""
    return f"-${-amount:,.2f}" if amount < 0 else f"${amount:,.2f}"


def got(company: Company, path: str) -> Any:
    """What the API shows."""
    answer: httpx.Response = company.member.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _leave_rows(
    company: Company, one: dict[str, Any], moves: list[dict[str, Any]], start: str, last: str
) -> Iterator[Row]:
    for type_id, name in got(company, f"/clients/{company.id}/leave_types").items():
        own = [move for move in moves if move["type_id"] == int(type_id)]
        within = [move for move in own if move["date"] >= start]

        def summed(*kinds: str, moves: list[dict[str, Any]] = within) -> float:
            return float(sum(Decimal(str(move["days"])) for move in moves if move["kind"] in kinds))

        policy = got(company, f"/leave_types/{type_id}/policy")["policy"]
        row = {
            "employee": one["number"],
            "leave_type": name,
            "Date": last,
            "Accrual": summed("accrual", "carry_over_expiry"),
            "Entitlement": _entitlement(policy, one, last),
            "Taken": -summed("taken", "encashment", "forfeiture"),
            "Adjustment": summed("adjustment", "take_on"),
            "Balance": float(sum(Decimal(str(move["days"])) for move in own)),
        }
        if any(row[key] for key in ("Accrual", "Taken", "Adjustment", "Balance")) or row["Entitlement"] is not None:
            yield row


def _entitlement(policy: dict[str, Any], one: dict[str, Any], last: str) -> float | None:
    """The days of the year of service that a day lies in."""
    if policy["accrual"] == "none":
        return None
    starts = [period["service_period"]["start_date"] for period in one["service_periods"]]
    start = max(day for day in starts if day <= last)
    years = int(last[:4]) - int(start[:4]) - (last[5:] < start[5:])
    steps = {step["year"]: step["days"] for step in policy["entitlement"] if step["year"] <= years + 1}
    return float(steps[max(steps)])


def _described(item: str, caption: str) -> dict[str, Any]:
    described: dict[str, Any] = {"name": item, "caption": caption}
    return {**described, "calculation_def_id": int(item)} if item.isdigit() else described
