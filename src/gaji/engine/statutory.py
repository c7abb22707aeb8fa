"""What the law takes: CPF, self-help funds, the skills development levy and the foreign worker levy.

All are of a calendar month: a payslip takes the month's liability to date less what the month's earlier payslips took.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine import employee_columns as facts
from gaji.engine.payslip_input import Case, PayPeriod, Person
from gaji.engine.catalogue import SYSTEM
from gaji.engine.input_columns import Inputs
from gaji.engine.attendance import Presence
from gaji.engine.wages import SlipWages, ordinary_from, pay_day
from gaji.law import cpf, levy, sdl, self_help_funds
from gaji.law.registry import Law
from gaji.law.columns import Cents, Codes, Flags, any_nonzero, is_code, cents, date_column
from gaji.law.months import Month
from gaji.law.pay.rates import PayType
from gaji.law.residency import LegalStatus
from gaji.law.self_help_funds import FUNDS, NOT_GIVEN, Choice, Fund, Givers

LEVY = "foreign_worker_levy"
FUND_NAMES: Mapping[Fund, str] = {fund: fund.name.lower() for fund in FUNDS}


@dataclass(frozen=True)
class Counted:
    """The wages of the payslip that count for CPF."""

    ordinary_cents: Cents
    ordinary_before_cents: Cents
    additional_cents: Cents
    additional_before_cents: Cents


@dataclass(frozen=True)
class Statutory:
    """What the law takes on each payslip, and what that rests on."""

    counted: Counted
    cpf_people: cpf.People
    cpf_wages: cpf.Wages
    cpf_year: cpf.Year
    cpf_taken: cpf.Contributions
    assessment: cpf.Assessment
    givers: Givers
    fund_choices: dict[Fund, Choice]
    fund_wages_cents: Cents
    """Of the month to date."""
    funds: dict[Fund, Cents]
    remuneration_cents: Cents
    """Of the month to date."""
    sdl_exempt: Flags
    sdl_cents: Cents
    workers: levy.Workers | None
    levy_given: Flags
    levy_cents: Cents
    levy_without_rate: Flags


def statutory(
    law: Law, month: Month, period: PayPeriod, cases: Sequence[Case], inputs: Inputs, presence: Presence, own: SlipWages
) -> Statutory:
    """What the law takes on the payslips of a batch."""
    persons, earlier = facts.persons(cases), facts.earlier(cases)
    who = facts.contributors(persons)
    applies = cpf.applying(month, who)
    counted = _counted(presence, own, applies, who, pay_day(period))
    month_wages = _month_wages(cases, earlier, own, counted, inputs)
    year = cpf.Year(
        cents([case.year.ordinary_subject for case in cases]),
        cents([case.year.additional for case in cases]),
        cents([case.year.additional_subject for case in cases]),
    )
    taken = cpf.Contributions(
        earlier["ordinary_subject"], earlier["additional_subject"], earlier["cpf_employee"], earlier["cpf_employer"]
    )
    givers = facts.givers(law.self_help_funds, month, persons, who, inputs)
    choices = _fund_choices(inputs)
    fund_wages = earlier["fund_wages"] + own.fund_cents
    remuneration = earlier["remuneration"] + own.remuneration_cents
    exempt = facts.sdl_exempt(persons)
    month_sdl = sdl.levy_cents(law.sdl, month, remuneration, exempt)
    month_funds = self_help_funds.contributions_cents(law.self_help_funds, month, givers, fund_wages, choices)
    workers, given, levies, without = _levies(law, month, period, persons, inputs, earlier["levy"])
    return Statutory(
        counted=counted,
        cpf_people=who,
        cpf_wages=month_wages,
        cpf_year=year,
        cpf_taken=taken,
        assessment=cpf.assess(law.cpf, month, who, month_wages, year, taken, applies),
        givers=givers,
        fund_choices=choices,
        fund_wages_cents=fund_wages,
        funds={fund: month_funds[fund] - earlier[FUND_NAMES[fund]] for fund in FUNDS},
        remuneration_cents=remuneration,
        sdl_exempt=exempt,
        sdl_cents=month_sdl - earlier["sdl"],
        workers=workers,
        levy_given=given,
        levy_cents=levies,
        levy_without_rate=without,
    )


def _counted(
    presence: Presence, own: SlipWages, applies: cpf.Applying, who: cpf.People, paid_on: np.datetime64
) -> Counted:
    """The wages that count, and those of them before the day of citizenship, where a month is divided by such a day."""
    contributes = ~np.isnat(applies.counts_from)
    ordinary = np.where(contributes, own.ordinary_cents, 0)
    additional = np.where(contributes, own.additional_cents, 0)
    begins = _residence_begins(applies, who)
    if any_nonzero(begins):
        from_then = ordinary_from(presence, ordinary, applies.counts_from, paid_on)
        ordinary = np.where(begins, from_then, ordinary)
        additional = np.where(begins & (paid_on < applies.counts_from), 0, additional)
    changes = ~np.isnat(applies.changes_on)
    if not any_nonzero(changes):
        return Counted(ordinary, np.zeros_like(ordinary), additional, np.zeros_like(additional))
    after = np.where(changes, ordinary_from(presence, ordinary, applies.changes_on, paid_on), ordinary)
    earlier = changes & (paid_on < applies.changes_on)
    return Counted(ordinary, ordinary - after, additional, np.where(earlier, additional, 0))


def _residence_begins(applies: cpf.Applying, who: cpf.People) -> Flags:
    """Whose permanent residence begins in the month; a citizen by birth may have a date that was left behind."""
    by_birth = is_code(who.legal_status, LegalStatus.CITIZEN) & np.isnat(who.citizenship_dates)
    begins: Flags = (applies.counts_from == who.pr_dates) & ~by_birth
    return begins


def _month_wages(
    cases: Sequence[Case], earlier: Mapping[str, Cents], own: SlipWages, counted: Counted, inputs: Inputs
) -> cpf.Wages:
    to_date = earlier["ordinary"] + counted.ordinary_cents
    pay_types = inputs.choice("basic_salary", SYSTEM["basic_salary"].input_names["pay_type"])
    last_month = cents([case.last_month for case in cases])
    return cpf.Wages(
        ordinary_cents=to_date,
        additional_cents=earlier["additional"] + counted.additional_cents,
        ordinary_before_cents=earlier["ordinary_before"] + counted.ordinary_before_cents,
        additional_before_cents=earlier["additional_before"] + counted.additional_before_cents,
        expected_month_cents=np.where(
            is_code(pay_types, PayType.MONTHLY), own.full_month_cents, np.maximum(to_date, last_month)
        ),
        leaving_dates=date_column([case.leaving for case in cases]),
    )


def _fund_choices(inputs: Inputs) -> dict[Fund, Choice]:
    present = set(inputs.names)
    return {
        fund: Choice(
            inputs.flag(name, "opt_out"),
            np.where(inputs.given(name, "amount"), inputs.money(name, "amount"), NOT_GIVEN),
        )
        for fund, name in FUND_NAMES.items()
        if name in present
    }


def _levies(
    law: Law, month: Month, period: PayPeriod, persons: Sequence[Person], inputs: Inputs, taken_cents: Cents
) -> tuple[levy.Workers | None, Flags, Cents, Flags]:
    """Who the workers are, for whom an amount was entered, the levies, and for whom no rate is known."""
    nobody = np.zeros(inputs.people, dtype=np.bool_)
    if LEVY not in inputs.names or not period.last_of_month:
        return None, nobody, np.zeros(inputs.people, dtype=np.int64), nobody
    one = SYSTEM[LEVY].input_names
    from_, to = facts.passes_held(persons)
    workers = levy.Workers(
        facts.work_passes(persons),
        _places(inputs, one["sector"].choices, "sector", levy.SECTORS, levy.SECTORS[0]),
        _places(inputs, one["tier"].choices, "tier", levy.TIERS, "none"),
        _places(inputs, one["skill"].choices, "skill", levy.SKILLS, "none"),
        from_,
        to,
    )
    due, given, shown = levy.levies(law.levy, month, workers), inputs.given(LEVY, "amount"), inputs.shows(LEVY)
    amounts = np.where(given, inputs.money(LEVY, "amount"), due.amount_cents)
    without = shown & ~given & ~due.has_rate
    return workers, given, np.where(shown & ~without, amounts - taken_cents, 0), without


def _places(inputs: Inputs, choices: Sequence[str], name: str, known: Sequence[str], otherwise: str) -> Codes:
    """The place of what was entered among those that the law knows."""
    column = np.full(inputs.people, known.index(otherwise), dtype=np.int8)
    for place, entry in inputs.entries(LEVY):
        if (chosen := entry.inputs.get(name)) in choices:
            column[place] = known.index(str(chosen))
    return column
