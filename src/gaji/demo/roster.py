"""The roster of the demo: one archetype for each case that a payroll must handle, the most important ones first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gaji.engine.periods import Frequency

END_OF_MONTH = 31


@dataclass(frozen=True)
class Departure:
    """A departure, in months relative to the current month. Negative months are in the past."""

    code: int
    """From the list `termination_code`."""
    months: int
    day: int = END_OF_MONTH
    ir21: bool = False
    back_in_months: int | None = None
    """The month of the reinstatement, on its first day."""


@dataclass(frozen=True)
class Archetype:
    """The attributes of an employee that matter for a case. The others are random."""

    case: str
    community: str
    job: str
    legal_status: str = "CITIZEN"
    nationality: str | None = None
    """The nationality of a non-citizen. Default: the home country of the community."""
    gender: str | None = None
    age: int = 36
    birthday_in_months: int | None = None
    """Months until the month in which the employee reaches this age. Default: random."""
    service_months: int | None = None
    """Negative if the employment starts in the future."""
    pr_months: int | None = None
    citizen_months: int | None = None
    fin_series: str | None = None
    frequency: Frequency = "monthly"
    payment_method: str = "eft_manual"
    address: str | None = "L"
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Attributes, as in an API request."""
    pay: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Calculations, as in an API request. They add to, or replace, those of the job."""
    hours: Mapping[str, Any] | None = None
    """Individual regular hours."""
    departure: Departure | None = None

    @property
    def is_casual(self) -> bool:
        """Whether the employee has casual hours."""
        return self.hours is not None and self.hours["schedule"] == "casual"


def _pr(case: str, community: str, job: str, months: int, **details: Any) -> Archetype:
    return Archetype(case, community, job, legal_status="PR", pr_months=months, **details)


def _foreigner(case: str, community: str, job: str, work_pass: str, **details: Any) -> Archetype:
    status = {"WP": "FOREIGNER_WP"}.get(work_pass, "FOREIGNER")
    attributes = {"work_pass": work_pass, **details.pop("attributes", {})}
    return Archetype(case, community, job, legal_status=status, attributes=attributes, **details)


def _around(age: int, months: int, community: str, job: str) -> Archetype:
    case = {-1: f"Turned {age} last month", 0: f"Turns {age} this month", 1: f"Turns {age} next month"}[months]
    return Archetype(case, community, job, age=age, birthday_in_months=months, service_months=12 * (age - 45))


ROSTER: tuple[Archetype, ...] = (
    Archetype(
        "Citizen, CDAC; contributes more than the standard amount, and to charity",
        "chinese",
        "Accountant",
        gender="F",
        age=34,
        pay={"cdac": {"amount": "5.00"}, "donation": {"amount": "20.00", "description": "Community Chest"}},
    ),
    Archetype(
        "Citizen, MBMF; pays back a loan",
        "malay",
        "Storekeeper",
        gender="M",
        age=41,
        frequency="twice_a_month",
        pay={"loan": {"balance": "1800.00", "instalment": "150.00"}},
    ),
    Archetype("Citizen, SINDA", "tamil", "Sales executive", gender="F", age=29),
    Archetype(
        "Citizen, ECF; saves",
        "eurasian",
        "Human resource manager",
        gender="F",
        age=47,
        pay={
            "savings": {"instalment": "300.00"},
            "insurance": {"amount": "45.00", "description": "Life insurance premium"},
        },
    ),
    _pr("PR in the first year", "chinese", "Software engineer", 5, gender="M", age=31),
    _pr(
        "PR in the second year; does not contribute to SINDA",
        "indian",
        "Financial analyst",
        17,
        gender="F",
        age=33,
        pay={"sinda": {"opt_out": True}},
    ),
    _pr("PR from the third year on", "filipino", "Customer service officer", 63, age=38),
    _foreigner(
        "Employment Pass, SINDA; with a housing allowance and a car",
        "indian",
        "Software engineer",
        "EP",
        gender="M",
        age=32,
        pay={
            "housing_allowance": {"amount": "1200.00", "prorate": True},
            "benefit_in_kind": {"amount": "650.00", "category": "car"},
        },
    ),
    _foreigner("S Pass, address not available", "filipino", "Shift supervisor", "SPASS", age=35, address="N"),
    _foreigner(
        "Work permit, MBMF",
        "bangladeshi",
        "Packer",
        "WP",
        gender="M",
        age=28,
        frequency="weekly",
        payment_method="cash",
        address="C",
        fin_series="G",
    ),
    Archetype("Malaysian director", "chinese", "Director", "FD_MALAYSIA", age=58, address="F"),
    Archetype("Other foreign director", "british", "Director", "FD_OTHER", age=61, address="F"),
    _around(55, 0, "chinese", "Logistics manager"),
    _around(60, 0, "malay", "Delivery driver"),
    _around(65, 0, "chinese", "Cleaner"),
    _around(70, 0, "tamil", "Security guard"),
    Archetype(
        "Resigned in the middle of a month",
        "chinese_english",
        "Sales executive",
        age=27,
        departure=Departure(1, months=-2, day=14),
    ),
    _foreigner(
        "Left and needs an IR21",
        "british",
        "Logistics manager",
        "EP",
        age=44,
        service_months=50,
        departure=Departure(5, months=-1, ir21=True),
    ),
    Archetype(
        "Retrenched as of a future date",
        "chinese",
        "Machine operator",
        age=49,
        service_months=110,
        pay={"garnishee": {"balance": "5000.00", "instalment": "400.00"}},
        departure=Departure(4, months=1),
    ),
    Archetype(
        "Rehired after leaving, works three days a week",
        "malay",
        "Retail assistant",
        gender="F",
        age=32,
        pay={"basic_salary": {"pay_type": "monthly", "fixed_amount": "1380.00"}},
        hours={
            "schedule": "fixed",
            "full_day_hours_input": "8",
            **{f"works_{day}": True for day in ("mon", "wed", "fri")},
            **{f"day_type_{day}": "full" for day in ("mon", "wed", "fri")},
        },
        departure=Departure(1, months=-8, back_in_months=-5),
    ),
    Archetype(
        "Student paid in cash by the hour every week, born after 2000",
        "chinese",
        "Retail assistant",
        age=19,
        service_months=4,
        frequency="weekly",
        payment_method="cash",
        hours={"schedule": "casual"},
    ),
    _pr("PR in the first year at full rates", "mainland", "Technician", 8, age=37, attributes={"pr_cpf_rates": "FF"}),
    _pr(
        "PR in the second year at the full employer rate",
        "indonesian",
        "Customer service officer",
        20,
        age=34,
        attributes={"pr_cpf_rates": "FG"},
    ),
    Archetype(
        "Paid by cheque every other week, care-of address",
        "indian_muslim",
        "Kitchen assistant",
        gender="M",
        age=52,
        frequency="fortnightly",
        payment_method="cheque",
        address="C",
    ),
    Archetype("PR who became a citizen", "chinese", "Accountant", age=40, pr_months=30, citizen_months=4),
    # The default company of 25 employees does not include the cases below.
    _around(55, -1, "chinese_english", "Human resource manager"),
    _around(55, 1, "malay", "Machine operator"),
    _around(60, -1, "chinese", "Accountant"),
    _around(60, 1, "tamil", "Storekeeper"),
    _around(65, -1, "eurasian", "Customer service officer"),
    _around(65, 1, "chinese", "Delivery driver"),
    _around(70, -1, "malay", "Cleaner"),
    _around(70, 1, "chinese", "Security guard"),
    _pr(
        "PR in the first year at the full employer rate",
        "vietnamese",
        "Technician",
        3,
        age=29,
        attributes={"pr_cpf_rates": "FG"},
    ),
    _pr(
        "PR in the second year at full rates",
        "malay",
        "Retail assistant",
        15,
        age=26,
        nationality="MY",
        attributes={"pr_cpf_rates": "FF"},
    ),
    _pr("PR since this month", "burmese", "Technician", 0, age=33),
    _pr("PR in the last month of the first year", "chinese", "Financial analyst", 12, age=35),
    _pr("PR in the last month of the second year", "indian", "Software engineer", 24, age=36),
    Archetype("Chinese Muslim: CDAC and MBMF", "chinese", "Kitchen assistant", attributes={"religion": "ISLAM"}),
    Archetype("Indian Muslim: SINDA and MBMF", "indian_muslim", "Sales executive", gender="F", age=30),
    Archetype("Double-barrelled race, CDAC", "chinese_english", "Accountant", attributes={"race": "CHINESE-INDIAN"}),
    Archetype(
        "Double-barrelled race, SINDA",
        "malayalee",
        "Sales executive",
        age=25,
        attributes={"race": "MALAYALEE-CHINESE"},
    ),
    Archetype("Sikh, SINDA", "punjabi", "Security guard", age=45, attributes={"race": "SIKH"}),
    Archetype("Sri Lankan, SINDA", "sri_lankan", "Financial analyst", age=39),
    Archetype("Javanese, MBMF", "javanese", "Delivery driver", gender="M", age=53, frequency="twice_a_month"),
    Archetype("Boyanese, MBMF", "boyanese", "Packer", age=57, frequency="fortnightly"),
    Archetype("Arab, MBMF", "arab", "Logistics manager", age=43),
    Archetype("Citizen without a fund", "british", "Software engineer", age=42),
    _foreigner("Another kind of pass", "japanese", "Customer service officer", "OTHER", gender="F", age=31),
    _foreigner(
        "In Singapore since before 2000, address abroad",
        "chinese",
        "Shift supervisor",
        "SPASS",
        age=59,
        service_months=330,
        fin_series="F",
        address="F",
    ),
    _foreigner("New arrival", "korean", "Financial analyst", "EP", age=27, service_months=2, fin_series="M"),
    _foreigner(
        "Work permit, single name",
        "indonesian",
        "Packer",
        "WP",
        gender="M",
        age=30,
        frequency="weekly",
        attributes={"religion": "ISLAM"},
    ),
    Archetype("Dismissed for misconduct", "chinese", "Packer", age=38, departure=Departure(3, months=-4, day=9)),
    Archetype("Retired", "chinese", "Cleaner", age=68, service_months=200, departure=Departure(6, months=-1)),
    Archetype(
        "Joined this month, exempt from SDL",
        "malay",
        "Retail assistant",
        age=23,
        service_months=0,
        attributes={"sdl_exempt": True},
    ),
    Archetype(
        "Begins next month, exempt from CPF, no address",
        "tamil",
        "Technician",
        age=24,
        service_months=-1,
        address=None,
        attributes={"cpf_exempt": True},
    ),
)
