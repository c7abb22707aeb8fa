"""Cases: all that the calculation of one payslip goes by, in the JSON form that is kept with the payslip.

Whoever has a case, the law of its rules version and the client's custom items has the payslip again, to the cent.
"""

from datetime import date

import msgspec

from gaji.engine.catalogue import Kept


class Person(msgspec.Struct, frozen=True, omit_defaults=True):
    """The facts about the employee that pay and contributions go by, under the names of the employee's attributes."""

    birthdate: date
    legal_status: str
    pr_date: date | None = None
    citizenship_date: date | None = None
    pr_cpf_rates: str = "GG"
    race: str = "OTHER"
    religion: str = "NONE"
    sdl_exempt: bool = False
    cpf_exempt: bool = False
    work_pass: str | None = None
    pass_from: date | None = None
    pass_to: date | None = None
    employment_act_group: str = "non_workman"


class Stretch(msgspec.Struct, frozen=True, omit_defaults=True):
    """Days in service, and paid by this wave, from the first to the last; without an end they go on."""

    start: date
    end: date | None = None


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A calculation of the payslip: the inputs of all levels, the closest of each."""

    inputs: dict[str, Kept]
    recurring: bool = True
    """Whether it is there on every payslip; false for what was entered for this one alone."""
    skip: bool = False
    """It has no line on this payslip. Its inputs still say what rates are."""
    multiplier: str | None = None


class Earlier(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the earlier payslips of the same calendar month come to, in cents."""

    ordinary: int = 0
    """Ordinary wages that count for CPF: those from the day on that permanent residence began."""
    ordinary_before: int = 0
    """Of these, for the days before citizenship began."""
    additional: int = 0
    additional_before: int = 0
    ordinary_subject: int = 0
    additional_subject: int = 0
    cpf_employee: int = 0
    cpf_employer: int = 0
    remuneration: int = 0
    """For the skills development levy."""
    sdl: int = 0
    fund_wages: int = 0
    cdac: int = 0
    ecf: int = 0
    mbmf: int = 0
    sinda: int = 0
    levy: int = 0


class YearToDate(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the months of the same year before this one come to, in cents; take-on balances included."""

    ordinary_subject: int = 0
    additional: int = 0
    additional_subject: int = 0


class PayPeriod(msgspec.Struct, frozen=True, omit_defaults=True):
    """The period of a payslip; all payslips of a batch have the same."""

    start: date
    end: date
    pay_date: date
    pays_a_year: int = 12
    """How many periods of its wave a year has: 12, 24, 26 or 52."""
    last_of_month: bool = True
    """Whether no later regular period of the wave ends in the same calendar month."""


class LeaveFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one type of leave came to in the period, in days."""

    accrual: str = "0"
    taken: str = "0"
    balance: str = "0"
    paid: str = "0"
    """Of what was taken, what is paid for."""


class LeaveEffects(msgspec.Struct, frozen=True, omit_defaults=True):
    """What leave does to a payslip, in days."""

    unpaid_days: str = "0"
    encash_days: str = "0"
    types: dict[str, LeaveFigures] = {}
    """By the name of a type."""


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One payslip to be calculated."""

    period: PayPeriod
    person: Person
    service: list[Stretch]
    """Those that touch the period."""
    calculations: dict[str, Entry]
    leaving: date | None = None
    """The recorded last day of service."""
    earlier: Earlier = Earlier()
    year: YearToDate = YearToDate()
    last_month: int = 0
    """The ordinary wages of the last complete month before this one, in cents: what varying pay may bring again."""
    moved: dict[str, int] = {}
    """By tracked item, what its earlier payslips took since its start date, in cents."""
    carried: dict[str, int] = {}
    """By deduction, what the payslip before this one could not take, in cents."""
    leave: LeaveEffects = LeaveEffects()
    """What leave does; the days that it does not pay for or pays out are among the calculations already."""


def read_case(text: bytes | str) -> Case:
    """The case that was kept."""
    return _decoder.decode(text)


def kept(case: Case) -> bytes:
    """The case as it is kept."""
    return msgspec.json.encode(case)


_decoder = msgspec.json.Decoder(Case)
