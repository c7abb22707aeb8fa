"""The cases of leave: `../cases_leave/*.toml`, each a sentence, what is so, what must come out."""

import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gaji.engine.leave.movements import LeaveService, Movement, MovementKind, Settlement
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy, Policies
from gaji.engine.leave.statutory_minimum import statutory_policies
from gaji.law import registry
from gaji.law.quantities import MILLI
from gaji.law.scale import Scale

FOLDER = Path(__file__).parent.parent / "cases_leave"
MISCONDUCT = 3

Case = dict[str, Any]


def cases(file: str) -> pytest.MarkDecorator:
    """Runs a test once for each case of a file, under its sentence."""
    found = of_file(file)
    return pytest.mark.parametrize("case", found, ids=[case["name"] for case in found])


def of_file(file: str) -> list[Case]:
    """The cases of a file; no two have one name."""
    found: list[Case] = tomllib.loads((FOLDER / f"{file}.toml").read_text(), parse_float=Decimal)["case"]
    names = [case["name"] for case in found]
    assert len(set(names)) == len(names), f"two cases of {file} have the same name"
    return found


def in_millis(days: int | Decimal) -> int:
    """Days of a case in thousandths."""
    thousandths = Decimal(days) * MILLI
    assert thousandths == int(thousandths), f"{days} is finer than a thousandth"
    return int(thousandths)


def policies_of(law: registry.Law, case: Case) -> Policies:
    """The policies of a case, or those of the law for its type."""
    if "policies" in case:
        return [policy_of(table) for table in case["policies"]]
    return statutory_policies(law.leave)[case["type"]]


def policy_of(table: Case) -> LeavePolicy:
    """One policy."""
    steps = table.get("entitlement", [{"year": 1, "days": table.get("days", 0)}])
    carry = table.get("carry_over", {})
    return LeavePolicy(
        accrual=AccrualMethod(table["accrual"]),
        entitlement=_scale(steps, "year"),
        since=table.get("from"),
        min_service_months=table.get("least_months", 0),
        first_year=_scale(table["first_year"], "months") if "first_year" in table else None,
        carry_limit_millidays=in_millis(carry["limit"]) if "limit" in carry else None,
        expiry_months=carry.get("expiry_months"),
        prorate=table.get("prorate", True),
        allows_negative=table.get("below_zero", False),
    )


def services_of(case: Case) -> list[LeaveService]:
    """The services of a case; a take-on balance is of the one that holds its day."""
    taken_on = case.get("take_on", {}).get("day")
    return [_service(case, table, taken_on) for table in case["service"]]


def _service(case: Case, table: Case, taken_on: date | None) -> LeaveService:
    last: date | None = table.get("last")
    settlement = Settlement.ENDS
    if case.get("type") == "annual_leave":
        settlement = Settlement.LOST if table.get("code") == MISCONDUCT else Settlement.PAID_OUT
    held = taken_on is not None and table["first"] <= taken_on and (last is None or taken_on <= last)
    return LeaveService(table["first"], last, settlement, taken_on if held else None)


def recorded_of(case: Case) -> list[Movement]:
    """What a case has recorded: leave that was taken, adjustments, and a take-on balance."""
    found = [
        *(Movement(one["date"], MovementKind.TAKEN, -in_millis(one["days"]), "leave") for one in case.get("taken", ())),
        *(
            Movement(one["date"], MovementKind.ADJUSTMENT, in_millis(one["days"]), "why")
            for one in case.get("adjusted", ())
        ),
    ]
    if "take_on" in case:
        found.append(
            Movement(case["take_on"]["day"], MovementKind.TAKE_ON, in_millis(case["take_on"]["days"]), "taken on")
        )
    return found


def _scale(steps: list[Case], measure: str) -> Scale:
    return Scale(tuple(step[measure] for step in steps), tuple(in_millis(step["days"]) for step in steps))
