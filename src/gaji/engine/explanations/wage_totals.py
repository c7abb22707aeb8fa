"""Arithmetic of the wages that contributions are assessed on: payslip lines plus the month to date."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import CpfTreatment, PayslipLine, PayslipSection
from gaji.engine.earnings.basic_pay import OVERTIME_LINES
from gaji.engine.explanations.dated_pay import exact_sum
from gaji.engine.statutory import MonthAssessment
from gaji.engine.wages import COMMISSION_FOR, FOR_THE_MONTH
from gaji.law.columns import Cents, date_at
from gaji.law.explanation import money, step
from gaji.law.quantities import format_millis

Steps = tuple[str, ...]


def ordinary_steps(trace: CalculationTrace, month: MonthAssessment) -> Steps:
    """The ordinary wages of the month to date that count for CPF."""
    paid, counted = int(month.payslip_wages.ordinary_cents[0]), int(month.payslip_cpf_wages.ordinary_cents[0])
    lines = [line for line in _income_lines(trace) if _cpf_treatment(trace, line) == CpfTreatment.ORDINARY]
    return (
        *_top_up_steps(trace, lines),
        *_sum_steps(trace, lines, int(trace.wages.divided.ordinary_cents[0]), is_paid=False),
        *_month_steps(trace, month, trace.wages.divided.ordinary_cents, paid, is_paid=False, lines=lines),
        *_counted_steps(trace, month, paid, counted),
        *_to_date_steps(counted, int(month.earlier["ordinary"][0])),
    )


def additional_steps(trace: CalculationTrace, month: MonthAssessment) -> Steps:
    """The additional wages of the month to date that count for CPF."""
    paid, counted = int(month.payslip_wages.additional_cents[0]), int(month.payslip_cpf_wages.additional_cents[0])
    earlier = int(month.earlier["additional"][0])
    if not paid and not earlier:
        return ()
    lines = [line for line in _income_lines(trace) if _cpf_treatment(trace, line) == CpfTreatment.ADDITIONAL]
    terms = [int(trace.lines[line.name][0]) for line in lines]
    if trace.wages.overtime is not None and (overtime := int(trace.wages.overtime.additional_cents[0])):
        terms.append(overtime)
    if month is trace.statutory.previous:  # All additional wages belong to the payslip's month.
        terms = []
    not_counted = (step(f"{money(paid)} × 0", counted),) if paid != counted else ()
    return (
        step(" + ".join(money(term) for term in terms) or money(0), paid),
        *not_counted,
        *_to_date_steps(counted, earlier),
    )


def remuneration_steps(trace: CalculationTrace, month: MonthAssessment) -> Steps:
    """The remuneration of the month to date for the skills development levy."""
    paid = int(month.payslip_wages.remuneration_cents[0])
    lines = [line for line in _income_lines(trace) if line.treatment.sdl]
    return (
        *_partly_divided_steps(trace, month, lines, trace.wages.divided.remuneration_cents, paid),
        *_to_date_steps(paid, int(month.earlier["remuneration"][0])),
    )


def fund_steps(trace: CalculationTrace, month: MonthAssessment) -> Steps:
    """The wages of the month to date for the self-help funds."""
    paid = int(month.payslip_wages.fund_cents[0])
    lines = [line for line in _income_lines(trace) if line.treatment.funds]
    return (
        *_partly_divided_steps(trace, month, lines, trace.wages.divided.fund_cents, paid),
        *_to_date_steps(paid, int(month.earlier["fund_wages"][0])),
    )


def _partly_divided_steps(
    trace: CalculationTrace, month: MonthAssessment, lines: list[PayslipLine], divided_cents: Cents, paid: int
) -> Steps:
    """Ordinary wages are divided between the months. All other wages belong to the payslip's month."""
    if trace.wages.days is None:
        return (
            *_sum_steps(trace, lines, int(divided_cents[0]), is_paid=True),
            *_month_steps(trace, month, divided_cents, paid, is_paid=True, lines=lines),
        )
    others = [line for line in lines if _cpf_treatment(trace, line) != CpfTreatment.ORDINARY]
    other = 0 if month is trace.statutory.previous else sum(int(trace.lines[line.name][0]) for line in others)
    ordinary_lines = [line for line in lines if line not in others]
    return (
        *_sum_steps(trace, ordinary_lines, int(divided_cents[0]), is_paid=True),
        *_month_steps(trace, month, divided_cents, paid, other, is_paid=True, lines=ordinary_lines),
    )


def _month_steps(
    trace: CalculationTrace,
    month: MonthAssessment,
    divided_cents: Cents,
    paid: int,
    other: int = 0,
    *,
    is_paid: bool,
    lines: list[PayslipLine],
) -> Steps:
    """The part of the wages that belongs to the month, less the absences that belong to it by their days."""
    is_previous = month is trace.statutory.previous
    dated = int(trace.wages.reductions.dated_cents(paid=is_paid, previous=is_previous)[0])
    steps = _part_steps(trace, month, divided_cents, paid + dated, other, lines)
    return (*steps, step(f"{money(paid + dated)} − {money(dated)}", paid)) if dated else steps


def _part_steps(
    trace: CalculationTrace,
    month: MonthAssessment,
    divided_cents: Cents,
    paid: int,
    other: int,
    lines: list[PayslipLine],
) -> Steps:
    """The part by days, and overtime by the month in which it was worked."""
    wages, is_previous = trace.wages, month is trace.statutory.previous
    steps, part = [], int(divided_cents[0])
    if wages.days is not None:
        share = _share_steps(trace, divided_cents)
        before = int(wages.days.previous_share_cents(divided_cents)[0])
        shift_steps, shifted = _shift_steps(trace, lines, before)
        share, before = [*share, *shift_steps], shifted
        steps += share if is_previous else [*share, step(f"{money(part)} − {money(before)}", part - before)]
        part = before if is_previous else part - before
    elif is_previous:
        part = 0
    overtime = 0
    if wages.overtime is not None:
        if int(wages.overtime.previous_share_cents[0]):
            steps += _share_steps(trace, trace.lines["overtime"])
        overtime = int((wages.overtime.previous_cents if is_previous else wages.overtime.current_cents)[0])
        if not is_previous and paid != part + overtime + other:
            other += paid - part - overtime - other
    if part + overtime + other != part or overtime or other:
        terms = [money(part), *(money(term) for term in (overtime, other) if term)]
        steps.append(step(" + ".join(terms), paid))
    elif is_previous and not steps:
        steps.append(step(money(part), paid))
    return tuple(steps)


def _shift_steps(trace: CalculationTrace, lines: list[PayslipLine], before: int) -> tuple[list[str], int]:
    """Lines that are paid in parts have what each part earned in the previous month instead of their share by days."""
    shift, days, steps = trace.wages.month_shift, trace.wages.days, []
    for line in lines:
        pay = None if shift is None else shift.previous_pay.get(line.name, {}).get(0)
        if pay is None or days is None:
            continue
        by_days = int(days.previous_share_cents(trace.lines[line.name])[0])
        steps += [step(f"round_cents({exact_sum(pay)})", pay.cents), *_share_steps(trace, trace.lines[line.name])]
        steps.append(step(f"{money(before)} + {money(pay.cents)} − {money(by_days)}", before + pay.cents - by_days))
        before += pay.cents - by_days
    return steps, before


def _share_steps(trace: CalculationTrace, amounts_cents: Cents) -> list[str]:
    days = trace.wages.days
    if days is None:
        return []
    before, total = format_millis(int(days.previous_millidays[0])), int(days.total_millidays[0])
    share = int(days.previous_share_cents(amounts_cents)[0])
    if not total:
        return [step(f"{money(int(amounts_cents[0]))} × 0", share)]
    return [step(f"round_cents({money(int(amounts_cents[0]))} × {before} ÷ {format_millis(total)})", share)]


def _income_lines(trace: CalculationTrace) -> list[PayslipLine]:
    lines = [trace.catalogue.lines[name] for name, amounts in trace.lines.items() if int(amounts[0])]
    if trace.wages.overtime is not None:
        lines = [line for line in lines if line.name not in OVERTIME_LINES]
    return [line for line in lines if line.section == PayslipSection.INCOME]


def _cpf_treatment(trace: CalculationTrace, line: PayslipLine) -> CpfTreatment:
    if line.treatment.cpf != CpfTreatment.BY_INPUT:
        return line.treatment.cpf
    for_the_month = int(trace.inputs.choice_codes(line.name, COMMISSION_FOR)[0]) == FOR_THE_MONTH
    return CpfTreatment.ORDINARY if for_the_month else CpfTreatment.ADDITIONAL


def _sum_steps(trace: CalculationTrace, lines: list[PayslipLine], total: int, *, is_paid: bool) -> Steps:
    """The sum of lines less the absences that are divided like the wages. CPF is on the usual wages."""
    absence = int(trace.wages.reductions.apportioned_cents(paid=is_paid)[0])
    amounts = [int(trace.lines[line.name][0]) for line in lines]
    if not is_paid and (top_up := int(trace.wages.top_up_cents[0])):
        amounts.append(top_up)
    terms = " + ".join(money(amount) for amount in amounts) or money(0)
    return (step(terms + (f" − {money(absence)}" if absence else ""), total),)


def _top_up_steps(trace: CalculationTrace, lines: list[PayslipLine]) -> Steps:
    """What the usual wages during national service are above those of the payslip."""
    if not (top_up := int(trace.wages.top_up_cents[0])):
        return ()
    names = [line.name for line in lines]
    if trace.wages.overtime is not None:
        names += [name for name in OVERTIME_LINES if name in trace.lines]
    paid = "".join(f" − {money(int(trace.lines[name][0]))}" for name in names)
    return (step(f"{money(int(trace.wages.reductions.usual_wages_cents[0]))}{paid}", top_up),)


def _counted_steps(trace: CalculationTrace, month: MonthAssessment, paid: int, counted: int) -> Steps:
    """In the month in which permanent residence begins, wages count for the working days from that day onwards."""
    if paid == counted:
        return ()
    starts, served = month.assessment.applicability.counts_from, int(month.attendance.served_millidays[0])
    if not served or date_at(starts) is None:
        return (step(f"{money(paid)} × 0", counted),)
    later = int(month.attendance.served_millidays_from(starts)[0])
    share = f"round_cents(max({money(paid)}, 0.00) × {format_millis(later)} ÷ {format_millis(served)})"
    return (step(share, counted),)


def _to_date_steps(counted: int, earlier: int) -> Steps:
    return (step(f"{money(counted)} + {money(earlier)}", counted + earlier),) if earlier else ()
