"""What stands beside the amount of a line: how many hours or days at which rate, what for, what is left of a loan.

The Ministry of Manpower wants the rate and the hours or days of whoever is paid by them, and the hours of overtime
(Employment (Employment Records, Key Employment Terms and Pay Slips) Regulations 2016).
"""

from collections.abc import Callable, Mapping
from functools import partial

from gaji.engine.batch import calculate_with_trace
from gaji.engine.catalogue import Catalogue
from gaji.engine.money import to_cents
from gaji.engine.payslip_input import CalculationEntry, PayslipInput
from gaji.law.quantities import format_millis
from gaji.law.registry import Law

BASIC = "basic_salary"
OVERTIME_HOURS = "overtime_hours_input"
PERIODS = {12: "a month", 24: "a half month", 26: "a fortnight", 52: "a week"}
RATES = {"daily": ("daily_rate", "day"), "hourly": ("hourly_rate", "hour")}


def format_amount(amount_cents: int) -> str:
    """An amount as people read it.

    >>> grouped(123456789), grouped(-5)
    ('1,234,567.89', '-0.05')
    """
    whole, rest = divmod(abs(amount_cents), 100)
    return f"{'-' if amount_cents < 0 else ''}{whole:,}.{rest:02d}"


def money(amount: object) -> str:
    """An amount that was kept as a decimal text, as people read it."""
    return format_amount(to_cents(str(amount)))


def counted(quantity: object, unit: str) -> str:
    """So many of something.

    >>> counted("1", "day"), counted("0.5", "day"), counted("2.50", "hour")
    ('1 day', '0.5 day', '2.5 hours')
    """
    text = str(quantity)
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text} {unit}" if text in ("1", "0.5") else f"{text} {unit}s"


def details(law: Law, catalogue: Catalogue, case: PayslipInput) -> Callable[[str, int], str]:
    """What stands beside a line of this name and amount in cents; nothing where there is nothing to say."""
    basic = case.calculations.get(BASIC, CalculationEntry({}))
    beside_basic: Mapping[str, Callable[[int], str]] = {
        BASIC: partial(_basic_salary, law, catalogue, case, basic),
        "overtime": lambda _: counted(basic.inputs.get(OVERTIME_HOURS, "0"), "hour"),
        "rest_day_pay": lambda _: _rest_days(basic),
        "public_holiday_pay": lambda _: counted(basic.inputs.get("public_holiday_days", "0"), "day"),
    }

    def beside(name: str, amount_cents: int) -> str:
        if name in beside_basic:
            return beside_basic[name](amount_cents)
        entry = case.calculations.get(name)
        if entry is None:
            return ""
        tracked = catalogue.types[name].tracked if name in catalogue.types else None
        return _balance(name, entry, case, tracked, amount_cents) if tracked else _entered(entry)

    return beside


def _basic_salary(
    law: Law, catalogue: Catalogue, case: PayslipInput, basic: CalculationEntry, amount_cents: int
) -> str:
    rated = RATES.get(str(basic.inputs.get("pay_type", "monthly")))
    if rated is None:
        agreed = basic.inputs.get("fixed_amount", "0")
        whole = to_cents(str(agreed)) == amount_cents
        return "" if whole else f"{money(agreed)} {PERIODS[case.period.periods_per_year]}"
    rate, unit = rated
    quantity = format_millis(int(calculate_with_trace(law, catalogue, [case]).basic_pay.quantity_millis[0]))
    return f"{counted(quantity, unit)} × {money(basic.inputs.get(rate, '0'))}{_multiplied(basic)}"


def _rest_days(basic: CalculationEntry) -> str:
    asked = (("rest_day_employer_days", "at the employer's request"), ("rest_day_employee_days", "at own request"))
    return ", ".join(
        f"{counted(basic.inputs[name], 'day')} {whose}" for name, whose in asked if basic.inputs.get(name, "0") != "0"
    )


def _entered(entry: CalculationEntry) -> str:
    """What was entered of an item, beside its amount."""
    given = entry.inputs
    if "quantity" in given and "rate" in given:
        told = f"{counted(given['quantity'], '').strip(' s')} × {money(given['rate'])}"
    elif "percentage" in given:
        told = f"{given['percentage']}%"
    elif "days" in given:
        told = counted(given["days"], "day")
    elif "months" in given:
        told = counted(given["months"], "month")
    else:
        told = str(given.get("description", ""))
    return f"{told}{_multiplied(entry)}".strip()


def _balance(name: str, entry: CalculationEntry, case: PayslipInput, tracked: str, amount_cents: int) -> str:
    """What is left of what is owed, or was saved so far, after this payslip."""
    opening, moved = to_cents(str(entry.inputs.get("balance", "0"))), case.instalments_cents.get(name, 0)
    if tracked == "saved":
        return f"{format_amount(opening + moved + amount_cents)} saved so far"
    return f"{format_amount(opening - moved - amount_cents)} still owed"


def _multiplied(entry: CalculationEntry) -> str:
    return f" × {entry.multiplier}" if entry.multiplier is not None else ""
