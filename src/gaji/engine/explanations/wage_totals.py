"""How the wages that contributions go by come from the lines of the payslip and what the month had before it."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import CpfTreatment, PayslipLine, PayslipSection
from gaji.engine.wages import COMMISSION_FOR, FOR_THE_MONTH
from gaji.law.columns import date_at
from gaji.law.explanation import money, step
from gaji.law.quantities import format_millis


def ordinary(done: CalculationTrace) -> tuple[str, ...]:
    """The ordinary wages of the month to date that count for CPF."""
    paid, counted = int(done.wages.ordinary_cents[0]), int(done.statutory.payslip_cpf_wages.ordinary_cents[0])
    lines = [line for line in _income(done) if _cpf(done, line) == CpfTreatment.ORDINARY]
    return (
        *_sum(done, lines, paid, less_unpaid=True),
        *_counted(done, paid, counted),
        *_to_date(counted, done.payslips[0].month_to_date.ordinary),
    )


def additional(done: CalculationTrace) -> tuple[str, ...]:
    """The additional wages of the month to date that count for CPF."""
    paid, counted = int(done.wages.additional_cents[0]), int(done.statutory.payslip_cpf_wages.additional_cents[0])
    if not paid and not done.payslips[0].month_to_date.additional:
        return ()
    lines = [line for line in _income(done) if _cpf(done, line) == CpfTreatment.ADDITIONAL]
    before = (step(f"{money(paid)} × 0", counted),) if paid != counted else ()
    return (
        *_sum(done, lines, paid, less_unpaid=False),
        *before,
        *_to_date(counted, done.payslips[0].month_to_date.additional),
    )


def remuneration(done: CalculationTrace) -> tuple[str, ...]:
    """The remuneration of the month to date for the skills development levy."""
    paid = int(done.wages.remuneration_cents[0])
    lines = [line for line in _income(done) if line.treatment.sdl]
    return (
        *_sum(done, lines, paid, less_unpaid=True),
        *_to_date(paid, done.payslips[0].month_to_date.remuneration),
    )


def for_funds(done: CalculationTrace) -> tuple[str, ...]:
    """The wages of the month to date for the self-help funds."""
    paid = int(done.wages.fund_cents[0])
    lines = [line for line in _income(done) if line.treatment.funds]
    return (*_sum(done, lines, paid, less_unpaid=True), *_to_date(paid, done.payslips[0].month_to_date.fund_wages))


def _income(done: CalculationTrace) -> list[PayslipLine]:
    lines = [done.catalogue.lines[name] for name, amounts in done.lines.items() if int(amounts[0])]
    return [line for line in lines if line.section == PayslipSection.INCOME]


def _cpf(done: CalculationTrace, line: PayslipLine) -> CpfTreatment:
    if line.treatment.cpf != CpfTreatment.BY_INPUT:
        return line.treatment.cpf
    for_the_month = int(done.inputs.choice_codes(line.name, COMMISSION_FOR)[0]) == FOR_THE_MONTH
    return CpfTreatment.ORDINARY if for_the_month else CpfTreatment.ADDITIONAL


def _sum(done: CalculationTrace, lines: list[PayslipLine], total: int, *, less_unpaid: bool) -> tuple[str, ...]:
    unpaid = int(done.unpaid_leave_cents[0]) if less_unpaid else 0
    terms = " + ".join(money(int(done.lines[line.name][0])) for line in lines) or money(0)
    return (step(terms + (f" − {money(unpaid)}" if unpaid else ""), total),)


def _counted(done: CalculationTrace, paid: int, counted: int) -> tuple[str, ...]:
    """In the month in which permanent residence began, wages count for the working days from that day on."""
    if paid == counted:
        return ()
    starts, served = done.statutory.assessment.applicability.counts_from, int(done.attendance.served_millidays[0])
    if not served or date_at(starts) is None:
        return (step(f"{money(paid)} × 0", counted),)
    later = int(done.attendance.served_millidays_from(starts)[0])
    share = f"round_cents(max({money(paid)}, 0.00) × {format_millis(later)} ÷ {format_millis(served)})"
    return (step(share, counted),)


def _to_date(counted: int, earlier: int) -> tuple[str, ...]:
    return (step(f"{money(counted)} + {money(earlier)}", counted + earlier),) if earlier else ()
