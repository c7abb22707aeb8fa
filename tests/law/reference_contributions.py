"""Reference implementation of CPF, self-help funds and SDL: one person, exact fractions, no columns, no Gaji code.

Its numbers are in `reference_*.txt`, taken from the published tables independently of the parameter files. It is slow;
the law package is compared with it.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
ZERO = Fraction(0)
YEAR_CEILING = Fraction(102_000)
RESIDENTS = ("CITIZEN", "PR")


@dataclass(frozen=True)
class ReferencePerson:
    """The personal details that the law needs."""

    birthdate: date
    legal_status: str = "CITIZEN"
    pr_date: date | None = None
    citizenship_date: date | None = None
    pr_cpf_rates: str = "GG"
    cpf_exempt: bool = False
    sdl_exempt: bool = False
    race: str = "OTHER"
    religion: str = "NONE"
    work_pass: str = "NONE"
    elects_second: bool = False
    opt_out: frozenset[str] = frozenset()
    chosen: dict[str, Fraction] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ReferenceWages:
    """The wages of a month to date and the totals before it, in dollars."""

    ordinary: Fraction
    additional: Fraction = ZERO
    ordinary_before: Fraction = ZERO
    additional_before: Fraction = ZERO
    expected_month: Fraction = ZERO
    leaving: date | None = None
    year_ordinary: Fraction = ZERO
    year_additional: Fraction = ZERO
    year_additional_subject: Fraction = ZERO
    left_out: dict[int, Fraction] | None = None
    """Additional wages not yet subject to CPF, by the number of the month in which they were paid."""
    earlier: "ReferenceCpf" = field(default_factory=lambda: ReferenceCpf(ZERO, ZERO, ZERO, ZERO))


@dataclass(frozen=True)
class ReferenceCpf:
    """The wages subject to CPF and the two shares."""

    ordinary: Fraction
    additional: Fraction
    employee: Fraction
    employer: Fraction


def cpf(year: int, month: int, person: ReferencePerson, pay: ReferenceWages) -> ReferenceCpf:
    """The contributions on a payslip."""
    table, table_before, change_day = rate_tables(year, month, person)
    if table is None:
        return ReferenceCpf(ZERO, ZERO, -pay.earlier.employee, -pay.earlier.employer)
    ordinary = min(max(pay.ordinary, ZERO), ordinary_ceiling(year, month))
    additional = additional_subject(year, month, pay, ordinary)
    age = cpf_age(year, month, person)
    parts: list[tuple[str | None, Fraction, tuple[int, int], int]] = []
    paid_now = additional
    for paid_in, amount in shortfall(year, month, pay, additional).items():
        table_then = rate_tables(year, paid_in, person)[0] or table
        parts.append((table_then, amount, (year, paid_in), cpf_age(year, paid_in, person)))
        paid_now -= amount
    wages_before = ZERO
    if change_day is not None:
        wages_before += min(max(pay.ordinary_before, ZERO), ordinary)
        wages_before += min(max(pay.additional_before, ZERO), paid_now)
    parts.append((table_before, wages_before, (year, month), age))
    parts.append((table, ordinary + paid_now - wages_before, (year, month), age))
    exact_total, exact_employee = shares(parts)
    total, employee = Fraction(math.floor(exact_total + Fraction(1, 2))), Fraction(math.floor(exact_employee))
    employer = total - employee
    return ReferenceCpf(ordinary, additional, employee - pay.earlier.employee, employer - pay.earlier.employer)


def shares(parts: list[tuple[str | None, Fraction, tuple[int, int], int]]) -> tuple[Fraction, Fraction]:
    """Total and employee's share before rounding. Each part has its own table, month and age; the total wages select
    the band."""
    wages = sum((part for _, part, _, _ in parts), ZERO)
    total = employee = ZERO
    for table, part, (year, month), age in parts:
        if not part:
            continue
        employer_only, graduated, total_rate, employee_rate = rates(year, month, table, age)
        if wages > 750:
            total += total_rate * part
            employee += employee_rate * part
        elif wages > 500:
            share = graduated * (wages - 500) * part / wages
            total += employer_only * part + share
            employee += share
        elif wages > 50:
            total += employer_only * part
    return total, employee


def is_final(year: int, month: int, pay: ReferenceWages) -> bool:
    """Whether the year's ordinary wages are known."""
    return month == 12 or (pay.leaving is not None and (pay.leaving.year, pay.leaving.month) <= (year, month))


def shortfall(year: int, month: int, pay: ReferenceWages, additional: Fraction) -> dict[int, Fraction]:
    """The additional wages of earlier months that are subject to CPF now, earliest first; unknown months before all."""
    if pay.left_out is None or not is_final(year, month, pay):
        return {}
    known = {number: max(pay.left_out[number], ZERO) for number in sorted(pay.left_out) if number < month}
    total = max(pay.year_additional - pay.year_additional_subject, ZERO)
    room = max(additional - max(total - sum(known.values(), ZERO), ZERO), ZERO)
    charged = {}
    for number, amount in known.items():
        charged[number] = min(amount, room)
        room -= charged[number]
    return {number: amount for number, amount in charged.items() if amount}


def excess(year: int, month: int, pay: ReferenceWages, ordinary: Fraction, additional: Fraction) -> Fraction:
    """The additional wages of the year on which too much was contributed."""
    subject = pay.year_additional_subject + additional
    over = pay.year_ordinary + ordinary + subject - YEAR_CEILING
    return min(max(over, ZERO), max(subject, ZERO)) if is_final(year, month, pay) else ZERO


def additional_subject(year: int, month: int, pay: ReferenceWages, ordinary: Fraction) -> Fraction:
    """The additional wages of the month that are subject to CPF."""
    final = is_final(year, month, pay)
    wages = pay.additional
    if final:
        wages += max(pay.year_additional - pay.year_additional_subject, ZERO)
    if wages <= 0:
        return ZERO
    rest_of_year = ordinary if final else ZERO
    if not final:
        for later in range(month, 13):
            if pay.leaving is None or (pay.leaving.year, pay.leaving.month) >= (year, later):
                rest_of_year += min(max(pay.expected_month, ZERO), ordinary_ceiling(year, later))
    room = YEAR_CEILING - pay.year_ordinary - rest_of_year - pay.year_additional_subject
    subject = min(wages, max(room, ZERO))
    # A higher estimate does not refund what earlier payslips of the month charged.
    still_needed = pay.earlier.ordinary + pay.earlier.additional - ordinary
    return max(subject, min(still_needed, pay.earlier.additional, wages))


def rate_tables(year: int, month: int, person: ReferencePerson) -> tuple[str | None, str | None, date | None]:
    """The table at the end of the month, the table before, and the day of the change, if any."""
    if person.legal_status not in RESIDENTS or person.cpf_exempt:
        return None, None, None
    as_resident = pr_table(year, month, person)
    if person.legal_status == "PR":
        return as_resident, as_resident, None
    day = person.citizenship_date
    if day is None or (day.year, day.month) < (year, month):
        return "T1", "T1", None
    if (day.year, day.month) > (year, month):
        return as_resident, as_resident, None
    return "T1", as_resident, (day if day.day > 1 else None)


def pr_table(year: int, month: int, person: ReferencePerson) -> str | None:
    """The table of a permanent resident."""
    if person.pr_date is None:
        return "T1"
    start = (person.pr_date.year, person.pr_date.month)
    if (year, month) < start:
        return None
    if person.pr_cpf_rates == "FF":
        return "T1"
    graduated = person.pr_cpf_rates == "GG"
    if (year - 1, month) <= start:
        return "T2" if graduated else "T4"
    if (year - 2, month) <= start:
        return "T3" if graduated else "T5"
    return "T1"


def cpf_age(year: int, month: int, person: ReferencePerson) -> int:
    """The age for CPF in a month: a birthday counts from the next month."""
    age = year - person.birthdate.year
    return age if month > person.birthdate.month else age - 1


def ordinary_ceiling(year: int, month: int) -> Fraction:
    """The ordinary wage ceiling of a month."""
    if year < 2023 or (year == 2023 and month < 9):
        return Fraction(6000)
    return Fraction({2023: 6300, 2024: 6800, 2025: 7400}.get(year, 8000))


def rates(year: int, month: int, table: str | None, age: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Employer-only, graduated, total and employee's rate for a CPF age."""
    if table is None:
        return ZERO, ZERO, ZERO, ZERO
    in_force = max(since for since in _cpf_lines() if since <= f"{year}-{month:02d}")
    # CPF age 54 is in the group up to 55; the next group starts with CPF age 55.
    return next(row for oldest, row in _cpf_lines()[in_force][table] if age < oldest)


@cache
def _cpf_lines() -> dict[str, dict[str, list[tuple[int, tuple[Fraction, Fraction, Fraction, Fraction]]]]]:
    rows: dict[str, dict[str, list[tuple[int, tuple[Fraction, Fraction, Fraction, Fraction]]]]] = {}
    for since, table, oldest, *numbers in _lines("reference_cpf.txt"):
        employer_only, graduated, total, employee = (Fraction(number) / 100 for number in numbers)
        row = (int(oldest), (employer_only, graduated, total, employee))
        rows.setdefault(since, {}).setdefault(table, []).append(row)
    return rows


def funds(year: int, month: int, person: ReferencePerson, wages: Fraction) -> dict[str, Fraction]:
    """The contribution to each fund, without those that are zero."""
    if wages <= 0:
        return {}
    races = person.race.split("-")
    member_of = {race_fund(races[0])}
    if person.elects_second and len(races) > 1:
        member_of.add(race_fund(races[1]))
    if person.religion == "ISLAM":
        member_of.add("MBMF")
    resident = is_resident(year, month, person)
    amounts = {
        fund: person.chosen.get(fund, fund_amount(fund, wages))
        for fund in member_of - person.opt_out
        if fund is not None and (resident or fund == "MBMF" or (fund == "SINDA" and person.work_pass == "EP"))
    }
    return {fund: amount for fund, amount in amounts.items() if amount}


def is_resident(year: int, month: int, person: ReferencePerson) -> bool:
    """Whether the person is a citizen or permanent resident at the end of the month."""
    if person.legal_status not in RESIDENTS:
        return False
    if person.legal_status == "CITIZEN" and not _after(person.citizenship_date, year, month):
        return True
    return not _after(person.pr_date, year, month)


def _after(day: date | None, year: int, month: int) -> bool:
    return day is not None and (day.year, day.month) > (year, month)


def race_fund(race: str) -> str | None:
    """The fund of a race."""
    if race in ("CHINESE", "EURASIAN"):
        return "CDAC" if race == "CHINESE" else "ECF"
    indian = "INDIAN BANGLADESHI BENGALI GOAN GUJARATI MALAYALEE PAKISTANI PARSEE PUNJABI SIKH SINDHI SINHALESE"
    return "SINDA" if race in f"{indian} SRI_LANKAN TAMIL TELUGU".split() else None


def fund_amount(fund: str, wages: Fraction) -> Fraction:
    """The standard contribution to a fund."""
    bounds, amounts = _fund_lines()[fund]
    return amounts[bisect_left(bounds, wages)]


@cache
def _fund_lines() -> dict[str, tuple[list[Fraction], list[Fraction]]]:
    bands: dict[str, tuple[list[Fraction], list[Fraction]]] = {}
    for fund, bound, amount in _lines("reference_funds.txt"):
        bounds, amounts = bands.setdefault(fund, ([], []))
        amounts.append(Fraction(amount))
        if bound != "more":
            bounds.append(Fraction(bound))
    return bands


def sdl(person: ReferencePerson, remuneration: Fraction) -> Fraction:
    """The skills development levy."""
    if person.sdl_exempt or remuneration <= 0:
        return ZERO
    exact = min(remuneration, Fraction(4500)) * Fraction(25, 10_000)
    return max(Fraction(math.floor(exact * 100 + Fraction(1, 2)), 100), Fraction(2))


def _lines(file: str) -> list[list[str]]:
    lines = (FOLDER / file).read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]
