"""Custom items and the inputs of calculations at random: every type, every input, often at an edge."""

import random
from calendar import monthrange
from datetime import date, timedelta
from decimal import Decimal

from gaji.engine.payslip_input import CalculationEntry, PayPeriod
from gaji.engine.catalogue import CpfTreatment, ItemDefinition, StoredValue, Treatment
from tests.engine.plain_treatment import ALLOWANCES, AMOUNT_OR_DAYS, AMOUNTS, BONUSES, FUNDS, TRACKED

EDGES = (
    "50.00",
    "50.01",
    "500.00",
    "500.01",
    "750.00",
    "750.01",
    "2000.00",
    "4500.00",
    "6800.00",
    "7400.00",
    "8000.00",
)
MULTIPLIERS = ("0", "0.5", "1.5", "2", "0.333")
TIERS = ("1", "2", "3", "NTS", "MYS_NAS_PRC", "offsite", "none")
SECTORS = ("services", "manufacturing", "construction", "process", "marine")
FORMULAS = (
    "basic_salary * 0.05",
    "min(basic_salary * percentage / 100, 300)",
    "if(quantity > 10, rate * 10 + rate * 1.5 * (quantity - 10), rate * quantity)",
    "amount / quantity",
    "calc.101 + overtime / 3",
    "basic_salary - 3000",
    "round(basic_salary * 12 / (52 * 5), 2) * basic_salary.days_input",
    "max(transport_allowance, calc.102, amount) * 0.1",
)
PAYMENTS = ("insurance", "union_fee", "donation", "other_deduction")

Entered = dict[str, StoredValue]


def definitions(at: random.Random) -> list[ItemDefinition]:
    """Eight custom items of one client: every kind and every input turns up; later ones may use earlier ones."""
    found = [_definition(at, number) for number in range(101, 107)]
    share = at.choice((("basic_salary",), ("basic_salary", "101"), ("overtime", "bonus", "102")))
    found.append(_described(at, 107, "percentage", percentage=at.choice((None, "5", "12.5")), percentage_of=share))
    return [*found, _described(at, 108, "formula", formula=at.choice(FORMULAS))]


def _definition(at: random.Random, number: int) -> ItemDefinition:
    one = at.choice(("fixed", "per_employee", "per_payslip", "rate_quantity"))
    return _described(at, number, one, amount_cents=at.randint(0, 100_000) if one == "fixed" else None)


def _described(at: random.Random, number: int, one: str, **own: object) -> ItemDefinition:
    kind = at.choice(("income", "allowance", "deduction", "benefit", "employer_contribution", "reimbursement"))
    counts = kind in ("income", "allowance")
    treatment = Treatment(
        cpf=at.choice((CpfTreatment.ORDINARY, CpfTreatment.ADDITIONAL, CpfTreatment.NONE)) if counts else CpfTreatment.NONE,
        sdl=counts and at.random() < 0.7,
        funds=counts and at.random() < 0.7,
        gross_rate=counts and at.random() < 0.5,
    )
    return ItemDefinition(number, f"Item {number}", kind, one, treatment, **own)  # type: ignore[arg-type]


def entries(at: random.Random, period: PayPeriod, custom: list[ItemDefinition]) -> dict[str, CalculationEntry]:
    """The calculations of one payslip."""
    found: dict[str, Entered] = {}
    if at.random() < 0.95:
        found["basic_salary"] = _basic_salary(at, period)
    if at.random() < 0.4:
        found["week_hours"] = _week_hours(at)
    for name in ALLOWANCES:
        if at.random() < 0.15:
            found[name] = {"amount": _money(at, 1000), "prorate": at.random() < 0.5}
    if at.random() < 0.15:
        found["commission"] = {"commission_input": _money(at, 5000)}
        if at.random() < 0.6:
            found["commission"]["commission_for"] = at.choice(("month", "longer"))
    for name in (*BONUSES, *AMOUNT_OR_DAYS, *AMOUNTS, "benefit_in_kind", "notice_shortfall", *PAYMENTS):
        if at.random() < 0.07:
            found[name] = _amount(at, name)
    if at.random() < 0.2:
        found["unpaid_leave"] = {"days": at.choice(("0.5", "1", "2.5", "7", "31", "1.333"))}
    for name in TRACKED:
        if at.random() < 0.15:
            found[name] = _tracked(at, period)
    for name in FUNDS:
        if at.random() < 0.12:
            choices: tuple[Entered, ...] = ({"opt_out": True}, {"amount": _money(at, 20)}, {"opt_out": False}, {})
            found[name] = at.choice(choices)
    if at.random() < 0.25:
        found["foreign_worker_levy"] = _levy(at)
    for definition in custom:
        if at.random() < 0.3:
            found[str(definition.id)] = _custom(at, definition)
    return {name: CalculationEntry(inputs) if name == "week_hours" else _entry(at, inputs) for name, inputs in found.items()}


def _entry(at: random.Random, inputs: Entered) -> CalculationEntry:
    multiplier = at.choice(MULTIPLIERS) if at.random() < 0.07 else None
    return CalculationEntry(inputs, recurring=at.random() < 0.8, skip=at.random() < 0.05, multiplier=multiplier)


def _basic_salary(at: random.Random, period: PayPeriod) -> Entered:
    found: Entered
    pay_type = at.choices(("monthly", "daily", "hourly"), weights=(6, 2, 2))[0]
    if pay_type == "monthly":
        found = {"fixed_amount": _money(at, at.choice((900, 9_000, 20_000)) * 12 // period.periods_per_year)}
    elif pay_type == "daily":
        found = {"daily_rate": _money(at, 400)}
    else:
        found = {"hourly_rate": _money(at, 60)}
    if pay_type != "monthly" or at.random() < 0.3:
        found["pay_type"] = pay_type
    if pay_type != "monthly" and at.random() < 0.5:
        found["days_input" if pay_type == "daily" else "hours_input"] = _quantity(
            at, 26 if pay_type == "daily" else 200
        )
    if at.random() < 0.2:
        found["overtime_hours_input"] = _quantity(at, 80)
    for name in ("rest_day_employer_days", "rest_day_employee_days"):
        if at.random() < 0.1:
            found[name] = at.choice(("0.5", "1", "1.5", "4"))
    if at.random() < 0.1:
        found["public_holiday_days"] = at.choice(("1", "2", "0.5"))
    return found


def _week_hours(at: random.Random) -> Entered:
    found: Entered = {}
    if at.random() < 0.5:
        found["full_day_hours_input"] = at.choice(("8", "7.5", "9", "4", "0"))
    if at.random() < 0.3:
        return found | {"schedule": "casual", "full_days_per_week": at.choice(("0", "3", "5.5"))}
    found["schedule"] = "fixed"
    for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun"):
        if at.random() < 0.75:
            found[f"works_{day}"] = True
            if at.random() < 0.25:
                found[f"day_type_{day}"] = "partial"
                found[f"partial_hours_{day}"] = at.choice(("4", "5", "5.5", "0", "2.25"))
    if at.random() < 0.2:
        found["full_days_per_week"] = at.choice(("4", "5", "6"))
    return found


def _amount(at: random.Random, name: str) -> Entered:
    if name in BONUSES and at.random() < 0.5:
        return {"months": at.choice(("1", "0.5", "2.25", "12"))}
    if name in (*AMOUNT_OR_DAYS, "notice_shortfall") and at.random() < 0.6:
        return {"days": at.choice(("1", "3.5", "14", "22"))}
    return {"amount": _money(at, at.choice((50, 2_000, 90_000)))}


def _tracked(at: random.Random, period: PayPeriod) -> Entered:
    found: Entered = {"instalment": _money(at, at.choice((100, 3_000)))}
    if at.random() < 0.8:
        found["balance"] = _money(at, 5_000)
    if at.random() < 0.5:
        found["start_date"] = (period.end + timedelta(days=at.choice((-400, -20, 0, 1, 60)))).isoformat()
    return found


def _levy(at: random.Random) -> Entered:
    found: Entered = {"sector": at.choice(SECTORS), "tier": at.choice(TIERS)}
    if at.random() < 0.8:
        found["skill"] = at.choice(("R1", "R2"))
    return {"amount": _money(at, 900)} if at.random() < 0.2 else found


def _custom(at: random.Random, definition: ItemDefinition) -> Entered:
    match definition.input:
        case "fixed":
            return {}
        case "rate_quantity":
            return {"rate": _money(at, 100), "quantity": _quantity(at, 40)}
        case "percentage":
            return {"percentage": at.choice(("3", "12.345"))} if at.random() < 0.7 else {}
        case "formula":
            wanted: Entered = {"amount": _money(at, 500), "rate": _money(at, 50), "quantity": _quantity(at, 20)}
            return {**wanted, "percentage": at.choice(("5", "0.5"))} if at.random() < 0.8 else {}
    return {"amount": _money(at, 800)}


def _money(at: random.Random, most: int) -> str:
    """An amount of dollars, kept as inputs are: often at an edge of the law where these are in reach."""
    if most > 400 and at.random() < 0.25:
        return at.choice(EDGES)
    return f"{Decimal(at.randint(0, most * 100)) / 100:.2f}"


def _quantity(at: random.Random, most: int) -> str:
    thousandths = at.choice((1000, 500, 250, 1)) * at.randint(0, 1000) % (most * 1000)
    return f"{Decimal(thousandths).scaleb(-3).normalize():f}"


def day_in(at: random.Random, year: int, month: int) -> date:
    """A day of a month, often its first or last."""
    last = monthrange(year, month)[1]
    return date(year, month, at.choice((1, 2, 15, last, at.randint(1, last))))
