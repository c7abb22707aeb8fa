"""Pay during operationally ready national service (reservist training).

An employer on the DIRECT scheme pays the full salary and is reimbursed. Another employer pays the salary of an
incomplete month, and the serviceman is paid by the Ministry of Defence or the Ministry of Home Affairs. CPF is on the
usual wages in both cases.
"""

from dataclasses import dataclass

from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.parameters import History, ParameterFiles
from gaji.law.rounding import divide_half_up

PAID, USUAL = "paid", "usual"
CPF_SOURCE = "CPF Board, CPF contributions during national service; Enlistment Act 1970"


@dataclass(frozen=True)
class NationalServiceParameters:
    """The parameters of national service."""

    levy_and_funds_basis: History[str]
    """Whether the skills development levy and the self-help funds are on the pay or on the usual wages."""
    income_months_before: History[int]
    """How many months before the activity the ordinary wages are taken from."""


def read_parameters(files: ParameterFiles) -> NationalServiceParameters:
    """Read the parameters from `national_service.toml`."""
    subject = files.subject("national_service")
    parameters = NationalServiceParameters(
        subject.choice("levy_and_funds_basis", PAID, USUAL),
        subject.whole_number("income_months_before"),
    )
    subject.reject_unknown()
    return parameters


def income_lost_cents(ordinary_cents: int, additional_cents: int, working_days: int, month_working_days: int) -> int:
    """The civilian income lost: what the ministry pays to an employer on the DIRECT scheme. Days in any one unit.

    Rounded once, to the nearest cent.
    """
    yearly, days = MONTHS_PER_YEAR * ordinary_cents + additional_cents, MONTHS_PER_YEAR * month_working_days
    return divide_half_up(yearly * working_days, days)
