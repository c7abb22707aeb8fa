"""Detail texts next to the amounts on a payslip: hours or days and their rate, a description, a loan balance.

Payslips must show the rate and the hours or days for employees paid by them, and the hours of overtime (Employment
(Employment Records, Key Employment Terms and Pay Slips) Regulations 2016).
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial

from gaji.engine.batch import calculate_with_trace
from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings import ABSENCES
from gaji.engine.earnings.basic_pay import HOLIDAYS_OFF, OVERTIME_LINES, WORKED_INPUTS
from gaji.engine.money import to_cents
from gaji.engine.payslip_input import CalculationEntry, EntryPart, ItemDifference, PastDifference, PayslipInput
from gaji.law.explanation import long_date, long_period
from gaji.law.months import Month
from gaji.law.quantities import format_millis
from gaji.law.registry import Law

BASIC = "basic_salary"
OVERTIME_HOURS = OVERTIME_LINES["overtime"]
PERIODS = {12: "a month", 24: "a half month", 26: "a fortnight", 52: "a week"}
RATES = {"daily": ("daily_rate", "day"), "hourly": ("hourly_rate", "hour")}
HOLIDAY_INPUTS = {"public_holiday_pay": "public_holiday_days", "public_holiday_off_pay": HOLIDAYS_OFF}
REST_DAY_PAY = "rest_day_pay"
REST_DAY_INPUTS = (
    ("rest_day_employer_days", "at the employer's request"),
    ("rest_day_employee_days", "at own request"),
)


def format_amount(amount_cents: int) -> str:
    """Return an amount with thousands separators.

    >>> format_amount(123456789), format_amount(-5)
    ('1,234,567.89', '-0.05')
    """
    dollars, cents = divmod(abs(amount_cents), 100)
    return f"{'-' if amount_cents < 0 else ''}{dollars:,}.{cents:02d}"


def format_decimal(amount: object) -> str:
    """Return an amount that is stored as decimal text with thousands separators."""
    return format_amount(to_cents(str(amount)))


def format_quantity(quantity: object, unit: str) -> str:
    """Return a quantity with its unit.

    >>> format_quantity("1", "day"), format_quantity("0.5", "day"), format_quantity("2.50", "hour")
    ('1 day', '0.5 day', '2.5 hours')
    """
    text = _strip_zeros(str(quantity))
    return f"{text} {unit}" if text in ("1", "0.5") else f"{text} {unit}s"


def make_line_formatter(law: Law, catalogue: Catalogue, payslip: PayslipInput) -> Callable[[str, int], str]:
    """Return a function from the name and cents of a line to its detail text, which may be empty."""
    basic = payslip.calculations.get(BASIC, CalculationEntry({}))
    formatters: Mapping[str, Callable[[int], str]] = {
        BASIC: partial(_basic_salary, law, catalogue, payslip, basic),
        **{name: partial(_overtime, payslip, basic, name) for name in OVERTIME_LINES},
        REST_DAY_PAY: lambda _: _rest_days(basic),
        **{line: partial(_days, basic, name) for line, name in HOLIDAY_INPUTS.items()},
    }

    def format_line(name: str, amount_cents: int) -> str:
        entry = payslip.calculations.get(name)
        if entry is not None and entry.parts:
            return _dated_values(entry)
        if name in formatters:
            return formatters[name](amount_cents)
        if entry is None:
            return ""
        tracked = catalogue.types[name].tracked if name in catalogue.types else None
        return _balance(name, entry, payslip, tracked, amount_cents) if tracked else _inputs(entry)

    return format_line


def corrected_item_detail(difference: PastDifference, item: str, amount: ItemDifference) -> str:
    """Return the period of a corrected item, the hours or days that were worked, what was due and what was paid.

    For an absence, what was deducted instead.
    """
    period = long_period(difference.start, difference.end)
    if item in ABSENCES:
        return f"{period}: {format_amount(amount.paid)} deducted, {format_amount(amount.due)} due"
    texts = [
        *_list_worked_quantities(difference, item),
        f"{format_amount(amount.due)} due",
        f"{format_amount(amount.paid)} paid",
    ]
    return f"{period}: {', '.join(texts)}"


def _list_worked_quantities(difference: PastDifference, item: str) -> Iterator[str]:
    """Yield the hours and days that a corrected item pays."""
    if item == REST_DAY_PAY:
        if text := _rest_days(CalculationEntry({**difference.worked})):
            yield text
        return
    for name in WORKED_INPUTS.get(item, ()):
        if quantity := difference.worked.get(name):
            unit = "hour" if "hours" in name else "day"
            yield f"{format_quantity(quantity, unit)} worked" if unit == "hour" else format_quantity(quantity, unit)


def overtime_period(payslip: PayslipInput, name: str) -> tuple[date, date]:
    """Return the first and the last day on which the overtime of a line was worked."""
    month = Month.from_date(payslip.period.end)
    entered = payslip.calculations[BASIC].inputs.get("overtime_period")
    if name == "overtime_previous":
        worked_in = month - 1
    elif entered is not None:
        worked_in = Month.parse(str(entered))
    else:
        start, end = payslip.period.start, payslip.period.end
        # Hours of the month before have a line of their own.
        separate = OVERTIME_LINES["overtime_previous"] in payslip.calculations[BASIC].inputs
        return max(start, month.first_day) if separate else start, end
    return worked_in.first_day, worked_in.last_day


def _overtime(payslip: PayslipInput, basic: CalculationEntry, name: str, _: int) -> str:
    start, end = overtime_period(payslip, name)
    hours = format_quantity(basic.inputs.get(OVERTIME_LINES[name], "0"), "hour")
    return f"{hours} worked, {long_date(start)} to {long_date(end)}"


def _days(basic: CalculationEntry, name: str, _: int) -> str:
    return format_quantity(basic.inputs.get(name, "0"), "day")


def _basic_salary(
    law: Law, catalogue: Catalogue, payslip: PayslipInput, basic: CalculationEntry, amount_cents: int
) -> str:
    rate_and_unit = RATES.get(str(basic.inputs.get("pay_type", "monthly")))
    if rate_and_unit is None:
        agreed = basic.inputs.get("fixed_amount", "0")
        is_full = to_cents(str(agreed)) == amount_cents
        return "" if is_full else f"{format_decimal(agreed)} {PERIODS[payslip.period.periods_per_year]}"
    rate, unit = rate_and_unit
    quantity = format_millis(int(calculate_with_trace(law, catalogue, [payslip]).basic_pay.quantity_millis[0]))
    return f"{format_quantity(quantity, unit)} × {format_decimal(basic.inputs.get(rate, '0'))}{_multiplier(basic)}"


def _dated_values(entry: CalculationEntry) -> str:
    """Return the values of an item that changes within the period, each with its first day.

    >>> parts = [EntryPart(date(2026, 2, 1), {"fixed_amount": "4400.00"}), EntryPart(date(2026, 2, 16))]
    >>> _dated_values(CalculationEntry({}, parts=parts))
    '4,400.00 from 1 February 2026, nothing from 16 February 2026'
    """
    return ", ".join(f"{_dated_amount(part)} from {long_date(part.start)}" for part in entry.parts)


def _dated_amount(part: EntryPart) -> str:
    inputs = part.inputs or {}
    names = ("fixed_amount", "amount", *(rate for rate, _ in RATES.values()))
    amount = next((inputs[name] for name in names if name in inputs), None)
    return "nothing" if amount is None or part.skip else format_decimal(amount)


def _rest_days(basic: CalculationEntry) -> str:
    return ", ".join(
        f"{format_quantity(basic.inputs[name], 'day')} {requested_by}"
        for name, requested_by in REST_DAY_INPUTS
        if basic.inputs.get(name, "0") != "0"
    )


def _inputs(entry: CalculationEntry) -> str:
    """Return the entered values that explain the amount."""
    inputs = entry.inputs
    if "quantity" in inputs and "rate" in inputs:
        text = f"{_strip_zeros(str(inputs['quantity']))} × {format_decimal(inputs['rate'])}"
    elif "percentage" in inputs:
        text = f"{inputs['percentage']}%"
    elif "days" in inputs:
        text = format_quantity(inputs["days"], "day")
    elif "months" in inputs:
        text = format_quantity(inputs["months"], "month")
    else:
        text = str(inputs.get("description", ""))
    return f"{text}{_multiplier(entry)}".strip()


def _balance(name: str, entry: CalculationEntry, payslip: PayslipInput, tracked: str, amount_cents: int) -> str:
    """Return the amount still owed, or saved so far, after this payslip."""
    opening_cents, moved_cents = to_cents(str(entry.inputs.get("balance", "0"))), payslip.instalments_cents.get(name, 0)
    if tracked == "saved":
        return f"{format_amount(opening_cents + moved_cents + amount_cents)} saved so far"
    return f"{format_amount(opening_cents - moved_cents - amount_cents)} still owed"


def _multiplier(entry: CalculationEntry) -> str:
    return f" × {entry.multiplier}" if entry.multiplier is not None else ""


def _strip_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
