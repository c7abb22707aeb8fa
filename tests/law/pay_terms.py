"""Pay terms and Part 4 status, from cases and random."""

import random
from decimal import Decimal
from fractions import Fraction

import numpy as np

from gaji.law.columns import cents, codes
from gaji.law.pay.incomplete_month import RatePeriods
from gaji.law.pay.part_four_coverage import EmploymentActGroup, PartFourStatus
from gaji.law.pay.rates import PayTerms, PayType
from gaji.law.quantities import Millis, counts, millis
from tests.law.cases import Case, in_cents

WEEKS = (
    (2, 2, 2, 2, 2, 0, 0),
    (2, 2, 2, 2, 2, 1, 0),
    (2, 2, 2, 2, 2, 2, 0),
    (2, 0, 2, 0, 2, 0, 0),
    (0, 2, 0, 2, 0, 1, 0),
    (0, 2, 2, 2, 2, 2, 1),
    (1, 1, 1, 1, 1, 0, 0),
    (2, 2, 2, 2, 2, 2, 2),
)


def case_terms(case: Case) -> PayTerms:
    """The terms of a case: `monthly`, `daily` or `hourly`, with `week_days` and `day_hours`."""
    (pay_type,) = (pay_type for pay_type in PayType if pay_type.name.lower() in case)
    return PayTerms(
        codes([pay_type]),
        cents([in_cents(case[pay_type.name.lower()])]),
        millis([case.get("week_days", 5)]),
        millis([case.get("day_hours", 0)]),
    )


def case_status(case: Case) -> PartFourStatus:
    """The Part 4 status of a case. Default: a non-workman with the monthly pay, if any, as basic salary."""
    group = EmploymentActGroup[case.get("group", "non_workman").upper()]
    basic = case["basic"] if "basic" in case else case.get("monthly", 0)
    return PartFourStatus(codes([group]), cents([in_cents(basic)]))


def random_terms(rng: random.Random, people: int) -> PayTerms:
    """Random terms of every pay type."""
    amounts = [
        rng.choice((rng.randrange(20_000), rng.randrange(2_000_000), rng.randrange(10**12))) for _ in range(people)
    ]
    return PayTerms(
        codes([rng.choice(list(PayType)) for _ in range(people)]),
        cents(amounts),
        counts([rng.choice((5000, 5500, 6000, 3000, rng.randrange(1, 7001))) for _ in range(people)]),
        counts([rng.choice((8000, 7500, 4000, rng.randrange(1, 24_001))) for _ in range(people)]),
    )


def random_status(rng: random.Random, people: int) -> PartFourStatus:
    """Random groups with salaries around the limits."""
    return PartFourStatus(
        codes([rng.choice(list(EmploymentActGroup)) for _ in range(people)]),
        cents([rng.choice((260_000, 260_001, 450_000, 450_001, rng.randrange(10**6))) for _ in range(people)]),
    )


def from_millis(thousandths: int) -> Fraction:
    """Convert thousandths to days or hours."""
    return Fraction(thousandths, 1000)


def dollars(amount_cents: int) -> Fraction:
    """Convert cents to dollars."""
    return Fraction(amount_cents, 100)


def milli_column(number: int | Decimal) -> Millis:
    """A column with one entry."""
    return millis([number])


def case_periods(parts: list[Case]) -> RatePeriods:
    """The parts of a case as rate periods of the first person."""
    return RatePeriods(
        np.zeros(len(parts), dtype=np.intp),
        cents([in_cents(part["monthly"]) for part in parts]),
        millis([part["worked"] for part in parts]),
    )
