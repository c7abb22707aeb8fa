"""How the wages that contributions go by come from the lines of the payslip and what the month had before it."""

from gaji.engine.batch import Workings
from gaji.engine.catalogue import Cpf, Line, Section
from gaji.engine.wages import COMMISSION_FOR, FOR_THE_MONTH
from gaji.law.columns import date_at
from gaji.law.explanation import money, step
from gaji.law.quantities import number


def ordinary(done: Workings) -> tuple[str, ...]:
    """The ordinary wages of the month to date that count for CPF."""
    paid, counted = int(done.wages.ordinary_cents[0]), int(done.statutory.counted.ordinary_cents[0])
    lines = [line for line in _income(done) if _cpf(done, line) == Cpf.ORDINARY]
    return (
        *_sum(done, lines, paid, less_unpaid=True),
        *_counted(done, paid, counted),
        *_to_date(counted, done.cases[0].earlier.ordinary),
    )


def additional(done: Workings) -> tuple[str, ...]:
    """The additional wages of the month to date that count for CPF."""
    paid, counted = int(done.wages.additional_cents[0]), int(done.statutory.counted.additional_cents[0])
    if not paid and not done.cases[0].earlier.additional:
        return ()
    lines = [line for line in _income(done) if _cpf(done, line) == Cpf.ADDITIONAL]
    before = (step(f"{money(paid)} × 0", counted),) if paid != counted else ()
    return (
        *_sum(done, lines, paid, less_unpaid=False),
        *before,
        *_to_date(counted, done.cases[0].earlier.additional),
    )


def remuneration(done: Workings) -> tuple[str, ...]:
    """The remuneration of the month to date for the skills development levy."""
    paid = int(done.wages.remuneration_cents[0])
    lines = [line for line in _income(done) if line.treatment.sdl]
    return (
        *_sum(done, lines, paid, less_unpaid=True),
        *_to_date(paid, done.cases[0].earlier.remuneration),
    )


def for_funds(done: Workings) -> tuple[str, ...]:
    """The wages of the month to date for the self-help funds."""
    paid = int(done.wages.fund_cents[0])
    lines = [line for line in _income(done) if line.treatment.funds]
    return (*_sum(done, lines, paid, less_unpaid=True), *_to_date(paid, done.cases[0].earlier.fund_wages))


def _income(done: Workings) -> list[Line]:
    lines = [done.catalogue.lines[name] for name, amounts in done.lines.items() if int(amounts[0])]
    return [line for line in lines if line.section == Section.INCOME]


def _cpf(done: Workings, line: Line) -> Cpf:
    if line.treatment.cpf != Cpf.BY_INPUT:
        return line.treatment.cpf
    for_the_month = int(done.inputs.choice(line.name, COMMISSION_FOR)[0]) == FOR_THE_MONTH
    return Cpf.ORDINARY if for_the_month else Cpf.ADDITIONAL


def _sum(done: Workings, lines: list[Line], total: int, *, less_unpaid: bool) -> tuple[str, ...]:
    unpaid = int(done.unpaid_cents[0]) if less_unpaid else 0
    terms = " + ".join(money(int(done.lines[line.name][0])) for line in lines) or money(0)
    return (step(terms + (f" − {money(unpaid)}" if unpaid else ""), total),)


def _counted(done: Workings, paid: int, counted: int) -> tuple[str, ...]:
    """In the month in which permanent residence began, wages count for the working days from that day on."""
    if paid == counted:
        return ()
    starts, served = done.statutory.assessment.applying.counts_from, int(done.presence.served_millidays[0])
    if not served or date_at(starts) is None:
        return (step(f"{money(paid)} × 0", counted),)
    later = int(done.presence.served_from(starts)[0])
    share = f"round_cents(max({money(paid)}, 0.00) × {number(later)} ÷ {number(served)})"
    return (step(share, counted),)


def _to_date(counted: int, earlier: int) -> tuple[str, ...]:
    return (step(f"{money(counted)} + {money(earlier)}", counted + earlier),) if earlier else ()
