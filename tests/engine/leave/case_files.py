"""Load the leave cases of `../cases_leave/*.toml`. Each has a sentence as its name, inputs and expected results."""

import tomllib
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from operator import itemgetter
from pathlib import Path
from typing import Any

from gaji.engine.leave.movements import LeaveService, Movement, MovementKind, Settlement
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy, Policies
from gaji.engine.leave.statutory_minimum import statutory_policies
from gaji.law import registry
from gaji.law.quantities import MILLI
from gaji.law.scale import Scale
from tests.support.case_tables import Test, for_every

FOLDER = Path(__file__).parent.parent / "cases_leave"
MISCONDUCT = 3

Case = dict[str, Any]


def cases(file: str) -> Callable[[Test], Test]:
    """Run a test for each case of a file."""
    return for_every("case", load_cases(file), itemgetter("name"))


def load_cases(file: str) -> list[Case]:
    """Load the cases of a file. Names must be unique."""
    tables: list[Case] = tomllib.loads((FOLDER / f"{file}.toml").read_text(), parse_float=Decimal)["case"]
    names = [case["name"] for case in tables]
    assert len(set(names)) == len(names), f"two cases of {file} have the same name"
    return tables


def to_millidays(days: int | Decimal) -> int:
    """Days of a case in thousandths of a day."""
    thousandths = Decimal(days) * MILLI
    assert thousandths == int(thousandths), f"{days} is finer than a thousandth"
    return int(thousandths)


def case_policies(law: registry.Law, case: Case) -> Policies:
    """The policies of a case, or the statutory ones of its type."""
    if "policies" in case:
        return [build_policy(table) for table in case["policies"]]
    return statutory_policies(law.leave)[case["type"]]


def case_minimum(law: registry.Law, case: Case) -> Policies | None:
    """The legal minimum for a case with a type, if it has one for each year of service."""
    return statutory_policies(law.leave)["annual_leave"] if case.get("type") == "annual_leave" else None


def build_policy(table: Case) -> LeavePolicy:
    """Build a policy from its table."""
    steps = table.get("entitlement", [{"year": 1, "days": table.get("days", 0)}])
    carry = table.get("carry_over", {})
    return LeavePolicy(
        accrual=AccrualMethod(table["accrual"]),
        entitlement=_scale(steps, "year"),
        since=table.get("from"),
        min_service_months=table.get("least_months", 0),
        first_year=_scale(table["first_year"], "months") if "first_year" in table else None,
        carry_limit_millidays=to_millidays(carry["limit"]) if "limit" in carry else None,
        expiry_months=carry.get("expiry_months"),
        prorate=table.get("prorate", True),
        allows_negative=table.get("below_zero", False),
        leave_year_month=table.get("leave_year_month"),
    )


def case_services(case: Case) -> list[LeaveService]:
    """The services of a case. A take-on balance belongs to the service that contains its day."""
    take_on_date = case.get("take_on", {}).get("day")
    return [_service(case, table, take_on_date) for table in case["service"]]


def _service(case: Case, table: Case, take_on_date: date | None) -> LeaveService:
    last: date | None = table.get("last")
    settlement = Settlement.ENDS
    if case.get("type") == "annual_leave":
        settlement = Settlement.LOST if table.get("code") == MISCONDUCT else Settlement.PAID_OUT
    in_service = take_on_date is not None and table["first"] <= take_on_date and (last is None or take_on_date <= last)
    return LeaveService(table["first"], last, settlement, take_on_date if in_service else None)


def case_movements(case: Case) -> list[Movement]:
    """The recorded movements of a case: leave taken, adjustments, and a take-on balance."""
    taken = [
        Movement(table["date"], MovementKind.TAKEN, -to_millidays(table["days"]), "leave")
        for table in case.get("taken", ())
    ]
    adjustments = [
        Movement(table["date"], MovementKind.ADJUSTMENT, to_millidays(table["days"]), "adjustment")
        for table in case.get("adjusted", ())
    ]
    if "take_on" not in case:
        return [*taken, *adjustments]
    take_on = case["take_on"]
    return [
        *taken,
        *adjustments,
        Movement(take_on["day"], MovementKind.TAKE_ON, to_millidays(take_on["days"]), "take-on balance"),
    ]


def _scale(steps: list[Case], measure: str) -> Scale:
    return Scale(tuple(step[measure] for step in steps), tuple(to_millidays(step["days"]) for step in steps))
