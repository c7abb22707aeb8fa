"""Random people and wages, concentrated around the boundaries of the law, as records and as columns."""

import random
from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

import numpy as np
from msgspec import Struct

from gaji.law import cpf, registry, self_help_funds
from gaji.law.columns import Cents, Flags, cents, codes, date_column, flags
from gaji.law.months import Month
from gaji.law.residency import LegalStatus, WorkPass
from gaji.law.self_help_funds import FUNDS, NO_CHOSEN_AMOUNT, RACES, Fund, FundElection
from tests.law.reference_contributions import ReferenceCpf, ReferencePerson, ReferenceWages

FIRST_MONTH_WITH_FUNDS = Month(2016, 6)
BOUNDARIES_CENTS = (
    0,
    5_000,
    50_000,
    75_000,
    100_000,
    200_000,
    450_000,
    600_000,
    630_000,
    680_000,
    740_000,
    800_000,
    1_500_000,
)
RACES_WITH_FUNDS = ("CHINESE", "INDIAN", "EURASIAN")


class BatchColumns(Struct, frozen=True):
    """A batch as columns."""

    cpf_members: cpf.CpfMembers
    wages: cpf.MonthWages
    prior: cpf.PriorMonths
    earlier: cpf.CpfContributions
    fund_members: self_help_funds.FundMembers
    elections: dict[Fund, FundElection]
    total_wages_cents: Cents
    sdl_exempt: Flags


def random_person(rng: random.Random, month: Month) -> tuple[ReferencePerson, ReferenceWages]:
    """A random person and their wages in a month."""
    person = _person(rng, month)
    return person, _wages(rng, month, person)


def _person(rng: random.Random, month: Month) -> ReferencePerson:
    status = rng.choices(tuple(LegalStatus.__members__), weights=(45, 40, 5, 5, 2, 3))[0]
    pr_date = citizenship = None
    if status == "PR" or rng.random() < 0.4:
        pr_date = _day(rng, month + -rng.choice((-1, 0, 1, 6, 11, 12, 13, 18, 23, 24, 25, 40)))
    if status == "CITIZEN" and rng.random() < 0.4:
        citizenship = _day(rng, month + -rng.choice((-2, -1, 0, 0, 0, 1, 12)))
    age = rng.choice((20, 40, 54, 55, 55, 60, 60, 65, 65, 70, 70, 80))
    return ReferencePerson(
        birthdate=_day(rng, month + -12 * age + rng.choice((-2, -1, 0, 1, 2))),
        legal_status=status,
        pr_date=pr_date,
        citizenship_date=citizenship,
        pr_cpf_rates=rng.choice(("GG", "GG", "FG", "FF")),
        cpf_exempt=rng.random() < 0.03,
        sdl_exempt=rng.random() < 0.03,
        race=_race(rng),
        religion=rng.choice(("ISLAM", "NONE", "HINDUISM")),
        work_pass=rng.choice(tuple(WorkPass.__members__)),
        elects_second=rng.random() < 0.3,
        opt_out=frozenset(fund.name for fund in FUNDS if rng.random() < 0.1),
        chosen={fund.name: dollars(rng.choice((0, 1, 50, 5_000))) for fund in FUNDS if rng.random() < 0.1},
    )


def _race(rng: random.Random) -> str:
    """A random race, more often one with a fund; sometimes two races."""
    first, second = (rng.choice(rng.choice((RACES_WITH_FUNDS, RACES))) for _ in range(2))
    return f"{first}-{second}" if rng.random() < 0.3 else first


def _wages(rng: random.Random, month: Month, person: ReferencePerson) -> ReferenceWages:
    ordinary = _amount(rng)
    additional = _amount(rng) * rng.choice((1, 1, 10)) if rng.random() < 0.5 else 0
    naturalised = person.citizenship_date is not None
    year_additional = _amount(rng) * rng.choice((1, 20)) if rng.random() < 0.4 else 0
    leaving = _day(rng, month + rng.choice((-1, 0, 0, 1, 3, 8))) if rng.random() < 0.3 else None
    taken = ReferenceCpf(Fraction(0), Fraction(0), Fraction(0), Fraction(0))
    if rng.random() < 0.3:
        amounts = [
            rng.randint(0, ordinary) if ordinary > 0 else 0,
            rng.randint(0, max(additional, 0)),
            *[rng.randint(0, 1000) * 100] * 2,
        ]
        taken = ReferenceCpf(*(dollars(amount) for amount in amounts))
    year_subject = rng.randint(0, max(year_additional, 0))
    return ReferenceWages(
        ordinary=dollars(ordinary),
        additional=dollars(additional),
        ordinary_before=dollars(rng.randint(0, max(ordinary, 0)) if naturalised else 0),
        additional_before=dollars(rng.randint(0, max(additional, 0)) if naturalised else 0),
        expected_month=dollars(_amount(rng)),
        leaving=leaving,
        year_ordinary=dollars(rng.randint(0, 800_000 * (month.month - 1))),
        year_additional=dollars(year_additional),
        year_additional_subject=dollars(year_subject),
        left_out=_left_out(rng, month, year_additional - year_subject),
        earlier=taken,
    )


def _left_out(rng: random.Random, month: Month, total: int) -> dict[int, Fraction]:
    """Wages that were left out, by month. Sometimes the months of a part are not known."""
    left_out = {}
    for number in rng.sample(range(1, month.month), min(rng.randint(0, 3), month.month - 1)):
        amount = rng.randint(0, max(total, 0))
        left_out[number] = dollars(amount)
        total -= amount
    return left_out


def batch_columns(
    law: registry.Law, month: Month, batch: Sequence[tuple[ReferencePerson, ReferenceWages]]
) -> BatchColumns:
    """Convert a batch to columns."""
    people, pays = [person for person, _ in batch], [pay for _, pay in batch]
    funds_month = max(month, FIRST_MONTH_WITH_FUNDS)
    races = [person.race for person in people]
    first, second = self_help_funds.lookup_race_funds(law.self_help_funds, funds_month, races)
    religions = [person.religion for person in people]
    legal_status = codes([LegalStatus[person.legal_status] for person in people])
    pr_dates = date_column([person.pr_date for person in people])
    citizenship_dates = date_column([person.citizenship_date for person in people])
    return BatchColumns(
        cpf_members=cpf.CpfMembers(
            birthdates=date_column([person.birthdate for person in people]),
            legal_status=legal_status,
            pr_dates=pr_dates,
            citizenship_dates=citizenship_dates,
            pr_rates=codes([cpf.PrRateElection[person.pr_cpf_rates] for person in people]),
            exempt=flags([person.cpf_exempt for person in people]),
        ),
        wages=cpf.MonthWages(
            ordinary_cents=_column([pay.ordinary for pay in pays]),
            additional_cents=_column([pay.additional for pay in pays]),
            ordinary_before_cents=_column([pay.ordinary_before for pay in pays]),
            additional_before_cents=_column([pay.additional_before for pay in pays]),
            expected_month_cents=_column([pay.expected_month for pay in pays]),
            leaving_dates=date_column([pay.leaving for pay in pays]),
        ),
        prior=cpf.PriorMonths(
            ordinary_subject_cents=_column([pay.year_ordinary for pay in pays]),
            additional_cents=_column([pay.year_additional for pay in pays]),
            additional_subject_cents=_column([pay.year_additional_subject for pay in pays]),
            left_out_cents=np.array([_by_month(pay.left_out or {}) for pay in pays], dtype=np.int64),
        ),
        earlier=cpf.CpfContributions(
            ordinary_subject_cents=_column([pay.earlier.ordinary for pay in pays]),
            additional_subject_cents=_column([pay.earlier.additional for pay in pays]),
            employee_cents=_column([pay.earlier.employee for pay in pays]),
            employer_cents=_column([pay.earlier.employer for pay in pays]),
        ),
        fund_members=self_help_funds.FundMembers(
            race_funds=first,
            second_race_funds=second,
            elects_second=flags([person.elects_second for person in people]),
            religion_funds=self_help_funds.lookup_religion_funds(law.self_help_funds, funds_month, religions),
            legal_status=legal_status,
            pr_dates=pr_dates,
            citizenship_dates=citizenship_dates,
            work_passes=codes([WorkPass[person.work_pass] for person in people]),
        ),
        elections={fund: _election(fund, people) for fund in FUNDS},
        total_wages_cents=_column([pay.ordinary + pay.additional for pay in pays]),
        sdl_exempt=flags([person.sdl_exempt for person in people]),
    )


def _election(fund: Fund, people: Sequence[ReferencePerson]) -> FundElection:
    chosen = [person.chosen.get(fund.name) for person in people]
    return FundElection(
        opt_out=flags([fund.name in person.opt_out for person in people]),
        chosen_amount_cents=cents([NO_CHOSEN_AMOUNT if amount is None else int(amount * 100) for amount in chosen]),
    )


def dollars(amount_cents: int) -> Fraction:
    """Convert cents to dollars."""
    return Fraction(amount_cents, 100)


def _by_month(amounts: Mapping[int, Fraction]) -> list[int]:
    return [int(amounts.get(number, 0) * 100) for number in range(1, 13)]


def _column(amounts: Sequence[Fraction]) -> Cents:
    return cents([amount.numerator * 100 // amount.denominator for amount in amounts])


def _amount(rng: random.Random) -> int:
    """A random amount in cents, often at or next to a boundary, sometimes negative."""
    if rng.random() < 0.02:
        return -rng.randint(1, 100_000)
    if rng.random() < 0.4:
        return rng.choice(BOUNDARIES_CENTS) + rng.choice((-1, 0, 1)) * (rng.random() < 0.9)
    return rng.randint(0, rng.choice((5_000, 80_000, 900_000, 2_000_000)))


def _day(rng: random.Random, month: Month) -> date:
    last = monthrange(month.year, month.month)[1]
    return date(month.year, month.month, rng.choice((1, 2, 15, last, rng.randint(1, last))))
