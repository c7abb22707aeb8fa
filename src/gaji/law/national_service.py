"""Pay during operationally ready national service (reservist training).

An employer on the DIRECT scheme pays the full salary and is reimbursed. Another employer pays the salary of an
incomplete month, and the serviceman is paid by the Ministry of Defence or the Ministry of Home Affairs. CPF is on the
usual wages in both cases.
"""

from dataclasses import dataclass

from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.parameters import History, ParameterFiles

PAID, USUAL = "paid", "usual"
CPF_SOURCE = "CPF Board, CPF contributions during national service; Enlistment Act 1970"


@dataclass(frozen=True)
class NationalServiceParameters:
    """The parameters of national service."""

    levy_and_funds_basis: History[str]
    """Whether the skills development levy and the self-help funds are on the pay or on the usual wages."""
    base_pay_cents: History[int]
    """Per month."""
    income_months_before: History[int]
    """How many months before the activity the ordinary wages are taken from."""


@dataclass(frozen=True)
class ServiceActivity:
    """A training activity within one calendar month, and the income that it is compensated by."""

    month: Month
    calendar_days: int
    working_days: int
    """Public holidays on working days included."""
    month_working_days: int
    service_pay_cents: int
    """Of a month, by rank and vocation."""
    ordinary_cents: int
    """The ordinary wages of a recent month."""
    additional_cents: int
    """The additional wages of the last twelve months."""


@dataclass(frozen=True)
class ServiceCompensation:
    """What the Ministry of Defence pays for an activity, in cents."""

    service_pay_cents: int
    income_lost_cents: int
    """The civilian income lost. An employer on the DIRECT scheme receives it."""
    make_up_pay_cents: int
    """The income lost above the service pay. Paid to the serviceman if the employer is not on the scheme."""
    top_up_cents: int
    """Up to the base pay, always paid to the serviceman."""

    def to_serviceman_cents(self, *, direct_scheme: bool) -> int:
        """What the serviceman receives from the ministry."""
        if direct_scheme:
            return self.top_up_cents
        return self.service_pay_cents + self.make_up_pay_cents + self.top_up_cents


def read_parameters(files: ParameterFiles) -> NationalServiceParameters:
    """Read the parameters from `national_service.toml`."""
    subject = files.subject("national_service")
    parameters = NationalServiceParameters(
        subject.choice("levy_and_funds_basis", PAID, USUAL),
        subject.cents("base_pay"),
        subject.whole_number("income_months_before"),
    )
    subject.reject_unknown()
    return parameters


def compensation(parameters: NationalServiceParameters, activity: ServiceActivity) -> ServiceCompensation:
    """Compute what the ministry pays. Each amount is rounded once, to the nearest cent."""
    days, month_days = activity.calendar_days, activity.month.last_day.day
    service_pay = _share(activity.service_pay_cents, days, month_days)
    income_lost = income_lost_cents(
        activity.ordinary_cents, activity.additional_cents, activity.working_days, activity.month_working_days
    )
    make_up = max(income_lost - service_pay, 0)
    base = _share(parameters.base_pay_cents.at(activity.month).value, days, month_days)
    return ServiceCompensation(service_pay, income_lost, make_up, max(base - service_pay - make_up, 0))


def income_lost_cents(ordinary_cents: int, additional_cents: int, working_days: int, month_working_days: int) -> int:
    """The civilian income lost: what the ministry pays to an employer on the DIRECT scheme. Days in any one unit."""
    yearly = MONTHS_PER_YEAR * ordinary_cents + additional_cents
    return _share(yearly, working_days, MONTHS_PER_YEAR * month_working_days)


def _share(amount_cents: int, days: int, total_days: int) -> int:
    return (2 * amount_cents * days + total_days) // (2 * total_days)
