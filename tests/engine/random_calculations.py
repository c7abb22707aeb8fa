"""Random custom items and inputs of calculations: every type, every input, often near a statutory threshold."""

import random
from calendar import monthrange
from datetime import date, timedelta
from decimal import Decimal

from gaji.engine.catalogue import CpfTreatment, ItemDefinition, StoredValue, Treatment
from gaji.engine.payslip_input import CalculationEntry, PayPeriod
from tests.engine.case_files import dated_entry
from tests.engine.reference_treatment import ALLOWANCES, AMOUNT_OR_DAYS, AMOUNTS, BONUSES, FUNDS, TRACKED

THRESHOLDS = (
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

InputValues = dict[str, StoredValue]


def definitions(rng: random.Random) -> list[ItemDefinition]:
    """Eight custom items of one client, of random kinds and inputs. Later items may use earlier ones."""
    items = [_simple_definition(rng, number) for number in range(101, 107)]
    share = rng.choice((("basic_salary",), ("basic_salary", "101"), ("overtime", "bonus", "102")))
    items.append(_definition(rng, 107, "percentage", percentage=rng.choice((None, "5", "12.5")), percentage_of=share))
    return [*items, _definition(rng, 108, "formula", formula=rng.choice(FORMULAS))]


def _simple_definition(rng: random.Random, number: int) -> ItemDefinition:
    input_kind = rng.choice(("fixed", "per_employee", "per_payslip", "rate_quantity"))
    amount = rng.randint(0, 100_000) if input_kind == "fixed" else None
    return _definition(rng, number, input_kind, amount_cents=amount)


def _definition(rng: random.Random, number: int, input_kind: str, **details: object) -> ItemDefinition:
    kind = rng.choice(("income", "allowance", "deduction", "benefit", "employer_contribution", "reimbursement"))
    is_wage = kind in ("income", "allowance")
    treatment = Treatment(
        cpf=rng.choice((CpfTreatment.ORDINARY, CpfTreatment.ADDITIONAL, CpfTreatment.NONE))
        if is_wage
        else CpfTreatment.NONE,
        sdl=is_wage and rng.random() < 0.7,
        funds=is_wage and rng.random() < 0.7,
        gross_rate=is_wage and rng.random() < 0.5,
    )
    return ItemDefinition(number, f"Item {number}", kind, input_kind, treatment, **details)  # type: ignore[arg-type]


def entries(rng: random.Random, period: PayPeriod, items: list[ItemDefinition]) -> dict[str, CalculationEntry]:
    """The calculations of one payslip."""
    calculations: dict[str, InputValues] = {}
    if rng.random() < 0.95:
        calculations["basic_salary"] = _basic_salary(rng, period)
    if rng.random() < 0.4:
        calculations["week_hours"] = _week_hours(rng)
    for name in ALLOWANCES:
        if rng.random() < 0.15:
            calculations[name] = {"amount": _money(rng, 1000)}
            if rng.random() < 0.7:
                calculations[name]["prorate"] = rng.random() < 0.5
    if rng.random() < 0.15:
        calculations["commission"] = {"commission_input": _money(rng, 5000)}
        if rng.random() < 0.6:
            calculations["commission"]["commission_for"] = rng.choice(("month", "longer"))
    for name in (*BONUSES, *AMOUNT_OR_DAYS, *AMOUNTS, "benefit_in_kind", "notice_shortfall", *PAYMENTS):
        if rng.random() < 0.07:
            calculations[name] = _amount(rng, name)
    if rng.random() < 0.2:
        calculations["unpaid_leave"] = _absence(rng)
    if rng.random() < 0.1:
        calculations["national_service_leave"] = _absence(rng)
        if rng.random() < 0.4:
            calculations["national_service_leave"]["usual_wages"] = _money(rng, 9_000 * 12 // period.periods_per_year)
    if rng.random() < 0.1:
        calculations["excess_leave"] = {"days": rng.choice(("1", "2.5", "0.333", "9"))}
        if rng.random() < 0.3:
            calculations["excess_leave"] = {"amount": _money(rng, 600)}
        if rng.random() < 0.5:
            calculations["excess_leave"]["taken_in"] = f"{period.end - timedelta(days=rng.choice((0, 31, 70))):%Y-%m}"
    for name in TRACKED:
        if rng.random() < 0.15:
            calculations[name] = _tracked(rng, period)
    for name in FUNDS:
        if rng.random() < 0.12:
            choices: tuple[InputValues, ...] = ({"opt_out": True}, {"amount": _money(rng, 20)}, {"opt_out": False}, {})
            calculations[name] = rng.choice(choices)
    if rng.random() < 0.25:
        calculations["foreign_worker_levy"] = _levy(rng)
    for definition in items:
        if rng.random() < 0.3:
            calculations[str(definition.id)] = _custom_inputs(rng, definition)
    whole = {
        name: CalculationEntry(inputs) if name == "week_hours" else _entry(rng, inputs)
        for name, inputs in calculations.items()
    }
    dated_names = {"basic_salary", "week_hours", *ALLOWANCES, *(str(item.id) for item in items if item.can_be_prorated)}
    return {
        name: _dated(rng, period, name, entry) if name in dated_names and rng.random() < 0.3 else entry
        for name, entry in whole.items()
    }


def _dated(rng: random.Random, period: PayPeriod, name: str, entry: CalculationEntry) -> CalculationEntry:
    """The entry after one to three changes within the period. The item may begin or end in it."""
    days = (period.end - period.start).days
    starts = sorted({period.start + timedelta(days=rng.randint(1, days)) for _ in range(rng.randint(1, 3))})
    before = [None if rng.random() < 0.1 else _changed(rng, period, name, entry) for _ in starts]
    closing = None if rng.random() < 0.1 else entry
    return dated_entry(list(zip([period.start, *starts], [*before, closing], strict=True)))


def _changed(rng: random.Random, period: PayPeriod, name: str, entry: CalculationEntry) -> CalculationEntry:
    if name == "basic_salary":
        return _entry(rng, _basic_salary(rng, period))
    if name == "week_hours":
        return CalculationEntry(_week_hours(rng))
    amount = {"amount": _money(rng, 1000)} if "amount" in entry.inputs else {}
    prorate = {"prorate": rng.random() < 0.5} if rng.random() < 0.3 else {}
    return _entry(rng, {**entry.inputs, **amount, **prorate})


def _entry(rng: random.Random, inputs: InputValues) -> CalculationEntry:
    multiplier = rng.choice(MULTIPLIERS) if rng.random() < 0.07 else None
    return CalculationEntry(inputs, recurring=rng.random() < 0.8, skip=rng.random() < 0.05, multiplier=multiplier)


def _basic_salary(rng: random.Random, period: PayPeriod) -> InputValues:
    inputs: InputValues
    pay_type = rng.choices(("monthly", "daily", "hourly"), weights=(6, 2, 2))[0]
    if pay_type == "monthly":
        inputs = {"fixed_amount": _money(rng, rng.choice((900, 9_000, 20_000)) * 12 // period.periods_per_year)}
    elif pay_type == "daily":
        inputs = {"daily_rate": _money(rng, 400)}
    else:
        inputs = {"hourly_rate": _money(rng, 60)}
    if pay_type != "monthly" or rng.random() < 0.3:
        inputs["pay_type"] = pay_type
    if pay_type != "monthly" and rng.random() < 0.5:
        inputs["days_input" if pay_type == "daily" else "hours_input"] = _quantity(
            rng, 26 if pay_type == "daily" else 200
        )
    if rng.random() < 0.2:
        inputs["overtime_hours_input"] = _quantity(rng, 80)
    if rng.random() < 0.1:
        inputs["overtime_hours_previous_input"] = _quantity(rng, 80)
    if rng.random() < 0.1:
        inputs["overtime_payable_on"] = (period.end + timedelta(days=rng.randint(-40, 60))).isoformat()
    if rng.random() < 0.1:
        inputs["overtime_period"] = f"{period.end - timedelta(days=rng.choice((0, 0, 31, 70))):%Y-%m}"
    for name in ("rest_day_employer_days", "rest_day_employee_days"):
        if rng.random() < 0.1:
            inputs[name] = rng.choice(("0.5", "1", "1.5", "4"))
    if rng.random() < 0.1:
        inputs["public_holiday_days"] = rng.choice(("1", "2", "0.5"))
    if rng.random() < 0.1:
        inputs["public_holiday_off_days"] = rng.choice(("1", "2", "0.5"))
    return inputs


def _week_hours(rng: random.Random) -> InputValues:
    inputs: InputValues = {}
    if rng.random() < 0.5:
        inputs["full_day_hours_input"] = rng.choice(("8", "7.5", "9", "4", "0"))
    if rng.random() < 0.3:
        return inputs | {"schedule": "casual", "full_days_per_week": rng.choice(("0", "3", "5.5"))}
    inputs["schedule"] = "fixed"
    if rng.random() < 0.2:
        return inputs | _cycle(rng)
    for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun"):
        if rng.random() < 0.75:
            inputs[f"works_{day}"] = True
            if rng.random() < 0.25:
                inputs[f"day_type_{day}"] = "partial"
                inputs[f"partial_hours_{day}"] = rng.choice(("4", "5", "5.5", "0", "2.25"))
    if rng.random() < 0.2:
        inputs["full_days_per_week"] = rng.choice(("4", "5", "6"))
    return inputs


def _cycle(rng: random.Random) -> InputValues:
    weeks = [
        [rng.choice(("8", "8", "8", "7.5", "5", "4", "0")) for _ in range(7)]
        for _ in range(rng.choice((2, 2, 3, 4, 6)))
    ]
    start = date(2024, 1, 1) + timedelta(days=rng.randrange(1500))
    return {"cycle": " / ".join(" ".join(week) for week in weeks), "cycle_start": start.isoformat()}


def _absence(rng: random.Random) -> InputValues:
    inputs: InputValues = {"days": rng.choice(("0.5", "1", "2.5", "7", "31", "1.333"))}
    if rng.random() < 0.5:
        inputs["previous_month_days"] = rng.choice(("0", "0.5", "1", "3"))
    return inputs


def _amount(rng: random.Random, name: str) -> InputValues:
    if name in BONUSES and rng.random() < 0.5:
        return {"months": rng.choice(("1", "0.5", "2.25", "12"))}
    if name in (*AMOUNT_OR_DAYS, "notice_shortfall") and rng.random() < 0.6:
        return {"days": rng.choice(("1", "3.5", "14", "22"))}
    return {"amount": _money(rng, rng.choice((50, 2_000, 90_000)))}


def _tracked(rng: random.Random, period: PayPeriod) -> InputValues:
    inputs: InputValues = {"instalment": _money(rng, rng.choice((100, 3_000)))}
    if rng.random() < 0.8:
        inputs["balance"] = _money(rng, 5_000)
    if rng.random() < 0.5:
        inputs["start_date"] = (period.end + timedelta(days=rng.choice((-400, -20, 0, 1, 60)))).isoformat()
    return inputs


def _levy(rng: random.Random) -> InputValues:
    inputs: InputValues = {"sector": rng.choice(SECTORS), "tier": rng.choice(TIERS)}
    if rng.random() < 0.8:
        inputs["skill"] = rng.choice(("R1", "R2"))
    return {"amount": _money(rng, 900)} if rng.random() < 0.2 else inputs


def _custom_inputs(rng: random.Random, definition: ItemDefinition) -> InputValues:
    match definition.input:
        case "fixed":
            return {}
        case "rate_quantity":
            return {"rate": _money(rng, 100), "quantity": _quantity(rng, 40)}
        case "percentage":
            return {"percentage": rng.choice(("3", "12.345"))} if rng.random() < 0.7 else {}
        case "formula":
            inputs: InputValues = {"amount": _money(rng, 500), "rate": _money(rng, 50), "quantity": _quantity(rng, 20)}
            return {**inputs, "percentage": rng.choice(("5", "0.5"))} if rng.random() < 0.8 else {}
    return {"amount": _money(rng, 800)}


def _money(rng: random.Random, max_dollars: int) -> str:
    """A stored amount, often at a statutory threshold."""
    if max_dollars > 400 and rng.random() < 0.25:
        return rng.choice(THRESHOLDS)
    return f"{Decimal(rng.randint(0, max_dollars * 100)) / 100:.2f}"


def _quantity(rng: random.Random, maximum: int) -> str:
    thousandths = rng.choice((1000, 500, 250, 1)) * rng.randint(0, 1000) % (maximum * 1000)
    return f"{Decimal(thousandths).scaleb(-3).normalize():f}"


def day_in(rng: random.Random, year: int, month: int) -> date:
    """A random day of a month, often its first or last."""
    last = monthrange(year, month)[1]
    return date(year, month, rng.choice((1, 2, 15, last, rng.randint(1, last))))
