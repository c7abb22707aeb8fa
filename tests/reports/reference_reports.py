"""A reference implementation of the reports, from the payslips and movements that the API returns."""

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
    """Return all employees, ordered by id."""
    return company.listed("?include=service_periods,wave_periods")


def payslips(company: Company, employee_id: int) -> Iterator[dict[str, Any]]:
    """Yield the payslips of an employee, ordered by date, with their lines."""
    listed = [element["payslip"] for element in get_json(company, f"/employees/{employee_id}/payslips")]
    for payslip in sorted(listed, key=lambda payslip: (payslip["date"], payslip["id"])):
        yield {**payslip, **get_json(company, f"/payslips/{payslip['id']}")["payslip"]}


def captions(company: Company) -> dict[str, str]:
    """Return the captions by item. A custom item with the name of a built-in one includes its number."""
    names: dict[str, str] = {}
    for item_outputs in get_json(company, f"/clients/{company.id}/items_and_outputs"):
        name = item_outputs["caption"]
        names[item_outputs["item"]] = f"{name} ({item_outputs['item']})" if name in names.values() else name
    return {**names, "total_income": "Total income", "total_deduction": "Total deduction", "nett_pay": "Nett pay"}


def amounts(payslip: dict[str, Any]) -> dict[str, tuple[str, Decimal]]:
    """Return the type and amount of each line, by item."""
    lines_by_item = {}
    for section in ("income", "deduction"):
        for item, amount in payslip[section]:
            if item == "total":
                lines_by_item[f"total_{section}"] = ("Total", Decimal(amount))
            else:
                kind = "Taxable income deduction" if item == "unpaid_leave" else TYPES[section]
                lines_by_item[str(item)] = (kind, Decimal(amount))
    for group, lines in payslip["sideline"]:
        lines_by_item.update({str(item): (TYPES[group], Decimal(amount)) for item, amount in lines})
    [(item, amount)] = payslip["grand_total"]
    lines_by_item[item] = ("Summary", Decimal(amount))
    return lines_by_item


def transaction_history(
    company: Company, start: str, end: str, items: Iterable[str] | None = None, wave_ids: Iterable[int] = ()
) -> list[Row]:
    """Return one row for each finalised payslip, with the given items or all that occur."""
    names = captions(company)
    payslip_rows = [
        (employee["number"], payslip["date"], amounts(payslip))
        for employee in employees(company)
        for payslip in payslips(company, employee["id"])
        if payslip["finalised"]
        and start <= payslip["date"] <= end
        and (not wave_ids or employee["wave_id"] in wave_ids)
    ]
    selected = list(items) if items else [item for item in names if any(item in lines for _, _, lines in payslip_rows)]
    return [
        {
            "employee": number,
            "Date": day,
            **{names[item]: float(lines.get(item, ("", Decimal(0)))[1]) for item in selected},
        }
        for number, day, lines in payslip_rows
    ]


def variance(company: Company, wave_id: int, before: str, selected: str) -> list[Row]:
    """One row for each employee and item that has an amount on one of two regular payslips of a wave."""
    names, rows = captions(company), []
    for employee in employees(company):
        if employee["wave_id"] != wave_id:
            continue
        slips = {
            payslip["date"]: amounts(payslip) for payslip in payslips(company, employee["id"]) if not payslip["special"]
        }
        two = [slips.get(day, {}) for day in (before, selected)]
        for item, caption in names.items():
            previous, now = (lines.get(item, ("", Decimal(0)))[1] for lines in two)
            if previous or now:
                rows.append(
                    {
                        "employee": employee["number"],
                        "Type": next(lines[item][0] for lines in two if item in lines),
                        "Transaction": _transaction(item, caption),
                        "Previous": float(previous),
                        "Selected": float(now),
                        "Variance": float(now - previous),
                    }
                )
    return rows


def comparison_leave(company: Company, start: str, end: str) -> list[Row]:
    """One row for each employee in service and type of leave, from the movements of each."""
    rows = []
    for employee in employees(company):
        for service in (period["service_period"] for period in employee["service_periods"]):
            last = min(end, service["end_date"] or end)
            if service["start_date"] > last or start > last:
                continue
            moves = [
                move["leave_movement"]
                for move in get_json(company, f"/employees/{employee['id']}/leave_movements?to={last}")
            ]
            rows += list(_leave_rows(company, employee, moves, start, last))
    return rows


def format_money(amount: float) -> str:
    """Return an amount with a currency sign."""
    return f"-${-amount:,.2f}" if amount < 0 else f"${amount:,.2f}"


def get_json(company: Company, path: str) -> Any:
    """Return the JSON of a GET request."""
    answer: httpx.Response = company.member.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _leave_rows(
    company: Company, employee: dict[str, Any], moves: list[dict[str, Any]], start: str, last: str
) -> Iterator[Row]:
    for type_id, name in get_json(company, f"/clients/{company.id}/leave_types").items():
        type_moves = [move for move in moves if move["type_id"] == int(type_id)]
        within = [move for move in type_moves if move["date"] >= start]

        def summed(*kinds: str, moves: list[dict[str, Any]] = within) -> float:
            return float(sum(Decimal(str(move["days"])) for move in moves if move["kind"] in kinds))

        policy = get_json(company, f"/leave_types/{type_id}/policy")["policy"]
        row = {
            "employee": employee["number"],
            "leave_type": name,
            "Date": last,
            "Accrual": summed("accrual", "carry_over_expiry"),
            "Entitlement": _entitlement(policy, employee, last),
            "Taken": -summed("taken", "encashment", "forfeiture"),
            "Adjustment": summed("adjustment", "take_on"),
            "Balance": float(sum(Decimal(str(move["days"])) for move in type_moves)),
        }
        if any(row[key] for key in ("Accrual", "Taken", "Adjustment", "Balance")) or row["Entitlement"] is not None:
            yield row


def _entitlement(policy: dict[str, Any], employee: dict[str, Any], last: str) -> float | None:
    """Return the entitlement for the year of service of a day."""
    if policy["accrual"] == "none":
        return None
    starts = [period["service_period"]["start_date"] for period in employee["service_periods"]]
    start = max(day for day in starts if day <= last)
    years = int(last[:4]) - int(start[:4]) - (last[5:] < start[5:])
    steps = {step["year"]: step["days"] for step in policy["entitlement"] if step["year"] <= years + 1}
    return float(steps[max(steps)])


def _transaction(item: str, caption: str) -> dict[str, Any]:
    transaction: dict[str, Any] = {"name": item, "caption": caption}
    return {**transaction, "calculation_def_id": int(item)} if item.isdigit() else transaction
