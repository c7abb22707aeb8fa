"""Arithmetic of the wages that contributions are assessed on: payslip lines plus the month to date."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import CpfTreatment, PayslipLine, PayslipSection
from gaji.engine.wages import COMMISSION_FOR, FOR_THE_MONTH
from gaji.law.columns import date_at
from gaji.law.explanation import money, step
from gaji.law.quantities import format_millis

Steps = tuple[str, ...]


def ordinary_steps(trace: CalculationTrace) -> Steps:
    """The ordinary wages of the month to date that count for CPF."""
    paid, counted = int(trace.wages.ordinary_cents[0]), int(trace.statutory.payslip_cpf_wages.ordinary_cents[0])
    lines = [line for line in _income_lines(trace) if _cpf_treatment(trace, line) == CpfTreatment.ORDINARY]
    return (
        *_sum_steps(trace, lines, paid, less_unpaid_leave=True),
        *_counted_steps(trace, paid, counted),
        *_to_date_steps(counted, trace.payslips[0].month_to_date.ordinary),
    )


def additional_steps(trace: CalculationTrace) -> Steps:
    """The additional wages of the month to date that count for CPF."""
    paid, counted = int(trace.wages.additional_cents[0]), int(trace.statutory.payslip_cpf_wages.additional_cents[0])
    earlier = trace.payslips[0].month_to_date.additional
    if not paid and not earlier:
        return ()
    lines = [line for line in _income_lines(trace) if _cpf_treatment(trace, line) == CpfTreatment.ADDITIONAL]
    not_counted = (step(f"{money(paid)} × 0", counted),) if paid != counted else ()
    return (
        *_sum_steps(trace, lines, paid, less_unpaid_leave=False),
        *not_counted,
        *_to_date_steps(counted, earlier),
    )


def remuneration_steps(trace: CalculationTrace) -> Steps:
    """The remuneration of the month to date for the skills development levy."""
    paid = int(trace.wages.remuneration_cents[0])
    lines = [line for line in _income_lines(trace) if line.treatment.sdl]
    return (
        *_sum_steps(trace, lines, paid, less_unpaid_leave=True),
        *_to_date_steps(paid, trace.payslips[0].month_to_date.remuneration),
    )


def fund_steps(trace: CalculationTrace) -> Steps:
    """The wages of the month to date for the self-help funds."""
    paid = int(trace.wages.fund_cents[0])
    lines = [line for line in _income_lines(trace) if line.treatment.funds]
    return (
        *_sum_steps(trace, lines, paid, less_unpaid_leave=True),
        *_to_date_steps(paid, trace.payslips[0].month_to_date.fund_wages),
    )


def _income_lines(trace: CalculationTrace) -> list[PayslipLine]:
    lines = [trace.catalogue.lines[name] for name, amounts in trace.lines.items() if int(amounts[0])]
    return [line for line in lines if line.section == PayslipSection.INCOME]


def _cpf_treatment(trace: CalculationTrace, line: PayslipLine) -> CpfTreatment:
    if line.treatment.cpf != CpfTreatment.BY_INPUT:
        return line.treatment.cpf
    for_the_month = int(trace.inputs.choice_codes(line.name, COMMISSION_FOR)[0]) == FOR_THE_MONTH
    return CpfTreatment.ORDINARY if for_the_month else CpfTreatment.ADDITIONAL


def _sum_steps(trace: CalculationTrace, lines: list[PayslipLine], total: int, *, less_unpaid_leave: bool) -> Steps:
    unpaid = int(trace.unpaid_leave_cents[0]) if less_unpaid_leave else 0
    terms = " + ".join(money(int(trace.lines[line.name][0])) for line in lines) or money(0)
    return (step(terms + (f" − {money(unpaid)}" if unpaid else ""), total),)


def _counted_steps(trace: CalculationTrace, paid: int, counted: int) -> Steps:
    """In the month in which permanent residence begins, wages count for the working days from that day onwards."""
    if paid == counted:
        return ()
    starts, served = trace.statutory.assessment.applicability.counts_from, int(trace.attendance.served_millidays[0])
    if not served or date_at(starts) is None:
        return (step(f"{money(paid)} × 0", counted),)
    later = int(trace.attendance.served_millidays_from(starts)[0])
    share = f"round_cents(max({money(paid)}, 0.00) × {format_millis(later)} ÷ {format_millis(served)})"
    return (step(share, counted),)


def _to_date_steps(counted: int, earlier: int) -> Steps:
    return (step(f"{money(counted)} + {money(earlier)}", counted + earlier),) if earlier else ()
