"""Generate the employees of the demo: plausible, and the same for the same seed, day and company.

Pure: the day comes with the company context, and all random values come from the seed. The archetypes of the roster
come first. After them, employees are drawn with realistic frequencies.
"""

import tomllib
from calendar import monthrange
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from importlib import resources
from random import Random
from typing import Any, TypeVar

from gaji.demo.jobs import JOBS, OFFICE
from gaji.demo.roster import ROSTER, Archetype
from gaji.engine.periods import Frequency
from gaji.law.check_letter import letter

EmployeeBody = dict[str, Any]
T = TypeVar("T")

PASS_MONTHS = 24
LAST_COMMON_DAY = 28
"""The last day that every month has."""


@dataclass(frozen=True)
class CompanyContext:
    """The day and the records of the company that employees refer to."""

    today: date
    waves: Mapping[Frequency, int]
    pay_points: Sequence[int]
    """IDs of the office, warehouse and outlet."""
    uniform_field: int
    uniform_sizes: Sequence[int]
    locker_field: int


@dataclass(frozen=True)
class Community:
    """Names and attributes that are common in a community."""

    race: str
    home: str
    name_format: int
    religions: Mapping[str, int]
    male: Sequence[str]
    female: Sequence[str]
    family: Sequence[str]
    links: Mapping[str, str] | None = None
    """The word before a father's name, by gender."""


CITIZENS = {
    "chinese": 62,
    "chinese_english": 12,
    "malay": 12,
    "tamil": 5,
    "indian_muslim": 2,
    "malayalee": 1,
    "punjabi": 1,
    "eurasian": 1,
    "javanese": 1,
    "boyanese": 1,
    "arab": 1,
    "british": 1,
}
PERMANENT_RESIDENTS = {"chinese": 40, "indian": 18, "mainland": 16, "filipino": 10, "malay": 8, "burmese": 4, "thai": 4}
PASS_HOLDERS = {
    "EP": {"indian": 30, "mainland": 22, "british": 14, "japanese": 10, "chinese": 16, "korean": 8},
    "SPASS": {"filipino": 34, "chinese": 26, "mainland": 16, "indian": 10, "burmese": 8, "vietnamese": 6},
    "WP": {"bangladeshi": 34, "chinese": 24, "tamil": 14, "mainland": 12, "burmese": 8, "thai": 4, "nepalese": 4},
}
STATUSES = {"CITIZEN": 64, "PR": 12, "EP": 6, "SPASS": 6, "WP": 12}
JOBS_OPEN_TO = {
    status: {
        title: job.share
        for title, job in JOBS.items()
        if {"WP": "workman", "EP": "manager"}.get(status) in (None, job.group)
    }
    for status in STATUSES
}
"""Work permits are for manual work, Employment Passes for managers."""
FREQUENCIES: Mapping[str, Mapping[Frequency, int]] = {
    "workman": {"monthly": 62, "twice_a_month": 16, "fortnightly": 12, "weekly": 10},
    "non_workman": {"monthly": 92, "twice_a_month": 4, "fortnightly": 2, "weekly": 2},
    "manager": {"monthly": 1},
}
PAYMENT_METHODS = {"eft_manual": 94, "cash": 3, "cheque": 3}
ADDRESS_TYPES = {"L": 94, "C": 3, "N": 2, "F": 1}
PR_CPF_RATES = {"GG": 80, "FG": 8, "FF": 12}
BANKS = {
    (7171, "001"): 14,
    (7171, "005"): 14,
    (7171, "081"): 18,
    (7339, "501"): 12,
    (7339, "712"): 10,
    (7375, "006"): 10,
    (7375, "030"): 10,
    (9496, "000"): 4,  # the branch is a zero followed by the first two digits of the account
    (7302, "001"): 4,
    (9548, "146"): 2,
    (9201, "001"): 2,
}
STREETS = (
    ("Ang Mo Kio Avenue 3", "56"),
    ("Bedok North Road", "46"),
    ("Bukit Batok Street 21", "65"),
    ("Choa Chu Kang Crescent", "68"),
    ("Clementi Avenue 4", "12"),
    ("Hougang Avenue 8", "53"),
    ("Jurong West Street 52", "64"),
    ("Pasir Ris Drive 6", "51"),
    ("Punggol Field", "82"),
    ("Sengkang East Way", "54"),
    ("Tampines Street 81", "52"),
    ("Toa Payoh Lorong 5", "31"),
    ("Woodlands Drive 14", "73"),
    ("Yishun Ring Road", "76"),
)
CARE_OF = (
    ("c/o Tuas Workers Lodge", "70 Tuas South Avenue 1", "637285"),
    ("c/o Kaki Bukit Residence", "7 Kaki Bukit Avenue 3", "415814"),
    ("c/o Sungei Kadut Hostel", "12 Sungei Kadut Way", "728780"),
)
ABROAD = {
    "MY": ("Jalan Wong Ah Fook", "Johor Bahru", "80000"),
    "GB": ("High Street", "Guildford", "GU1 3DY"),
    "IN": ("Anna Salai", "Chennai", "600002"),
    "CN": ("Jiefang Road", "Nanjing", "210002"),
    "PH": ("Rizal Avenue", "Batangas City", "4200"),
    "ID": ("Jalan Imam Bonjol", "Batam", "29444"),
    "BD": ("Station Road", "Comilla", "3500"),
    "MM": ("Strand Road", "Yangon", "11181"),
    "TH": ("Rama IV Road", "Bangkok", "10500"),
    "VN": ("Nguyen Hue Street", "Ho Chi Minh City", "700000"),
    "NP": ("Durbar Marg", "Kathmandu", "44600"),
    "LK": ("Galle Road", "Colombo", "00300"),
    "JP": ("Chuo-dori", "Tokyo", "104-0061"),
    "KR": ("Teheran-ro", "Seoul", "06133"),
}


def _load_communities() -> Mapping[str, Community]:
    text = resources.files("gaji.demo").joinpath("names.toml").read_text()
    return {name: Community(**table) for name, table in tomllib.loads(text).items()}


COMMUNITIES = _load_communities()


def generate_people(seed: int, count: int, context: CompanyContext) -> Iterator[EmployeeBody]:
    """Yield the request bodies of employees.

    The same seed and context give the same employees. A higher count only appends to them.
    """
    generator = EmployeeGenerator(Random(seed), context)  # noqa: S311 - repeatable on purpose
    for index in range(count):
        archetype = ROSTER[index] if index < len(ROSTER) else generator.draw_archetype()
        yield generator.generate(archetype)


class EmployeeGenerator:
    """Generates employees with unique identity numbers and emails."""

    def __init__(self, random: Random, context: CompanyContext) -> None:
        self._random = random
        self._context = context
        self._today = context.today
        self._numbers: set[str] = set()
        self._emails: Counter[str] = Counter()

    def draw_archetype(self) -> Archetype:
        """Draw an archetype with realistic frequencies."""
        random = self._random
        status = self._weighted(STATUSES)
        title = self._weighted(JOBS_OPEN_TO[status])
        age = round(random.triangular(20, 58 if status in PASS_HOLDERS else 69, 34))
        service = min(round(random.expovariate(1 / 45)), 12 * (age - 18))
        return Archetype(
            "Drawn",
            self._weighted(_communities_of(status)),
            title,
            legal_status={"EP": "FOREIGNER", "SPASS": "FOREIGNER", "WP": "FOREIGNER_WP"}.get(status, status),
            age=age,
            service_months=service,
            pr_months=random.randint(1, min(180, 12 * (age - 1))) if status == "PR" else None,
            frequency=self._weighted(FREQUENCIES[JOBS[title].group]),
            payment_method=self._weighted(PAYMENT_METHODS),
            address=self._weighted(ADDRESS_TYPES),
            attributes=self._status_attributes(status),
        )

    def generate(self, archetype: Archetype) -> EmployeeBody:
        """Generate the request body of an employee."""
        gender = archetype.gender or self._random.choice("MF")
        community = COMMUNITIES[archetype.community]
        birth = self._birthdate(archetype)
        joined = self._appointment_date(archetype)
        name = self._name(community, gender)
        return {
            **name,
            "gender": gender,
            "birthdate": birth.isoformat(),
            "appointment_date": joined.isoformat(),
            "legal_status": archetype.legal_status,
            "race": community.race,
            "religion": self._weighted(community.religions),
            "sdl_exempt": False,
            "cpf_exempt": False,
            "email": self._email(name),
            **self._identity(archetype, community, gender, birth, joined),
            **self._employment(archetype),
            **self._payment(archetype),
            **self._address(archetype, community),
            **archetype.attributes,
        }

    def _status_attributes(self, status: str) -> EmployeeBody:
        if status == "PR":
            return {"pr_cpf_rates": self._weighted(PR_CPF_RATES)}
        return {"work_pass": status} if status in PASS_HOLDERS else {}

    def _birthdate(self, archetype: Archetype) -> date:
        months = archetype.birthday_in_months
        if months is None:
            months = self._random.randint(-11, 0)
        return self._month(months - 12 * archetype.age, self._day())

    def _appointment_date(self, archetype: Archetype) -> date:
        months = archetype.service_months
        if months is None:
            months = min(self._random.randint(14, 96), 12 * (archetype.age - 18))
        return self._month(-months, self._day(first=0.6))

    def _name(self, community: Community, gender: str) -> EmployeeBody:
        first = self._random.choice(community.male if gender == "M" else community.female)
        if not community.family:
            return {"first_name": first, "name_format": 3}
        last = self._random.choice(community.family)
        if community.links:
            last = f"{community.links[gender]} {last}"
        return {"first_name": first, "last_name": last, "name_format": community.name_format}

    def _email(self, name: EmployeeBody) -> str:
        words = f"{name['first_name']} {name.get('last_name', '')}".lower().replace("/", "").replace("-", "").split()
        address = ".".join(words)
        self._emails[address] += 1
        count = self._emails[address]
        return f"{address}{'' if count == 1 else count}@example.com"

    def _identity(
        self, archetype: Archetype, community: Community, gender: str, birth: date, joined: date
    ) -> EmployeeBody:
        """Return the identity number and nationality, depending on the legal status."""
        status = archetype.legal_status
        nationality = archetype.nationality or community.home
        if status == "CITIZEN":
            return {"nric": self._nric(birth), "nationality": "SG", **self._residence(archetype)}
        if status == "PR":
            return {"nric": self._nric(birth), "nationality": nationality, **self._residence(archetype)}
        if status == "FD_MALAYSIA":
            return {"malaysian_ic": self._malaysian_ic(gender, birth), "nationality": "MY"}
        if status == "FD_OTHER":
            return {"passport_number": f"{self._random.randrange(10**9):09}", "nationality": nationality}
        return {"fin": self._fin(archetype, joined), "nationality": nationality, **self._pass_dates(joined)}

    def _residence(self, archetype: Archetype) -> EmployeeBody:
        if archetype.pr_months is None:
            return {}
        dates = {"pr_date": self._month(-archetype.pr_months, self._day()).isoformat()}
        if archetype.citizen_months is not None:
            dates["citizenship_date"] = self._month(-archetype.citizen_months, self._day()).isoformat()
        return dates

    def _pass_dates(self, joined: date) -> EmployeeBody:
        """Return a pass that started with the employment, was renewed every two years and is valid."""
        months = (self._today.year - joined.year) * 12 + self._today.month - joined.month
        renewals = max(months, 0) // PASS_MONTHS
        end = _months_after(joined, (renewals + 1) * PASS_MONTHS) - timedelta(days=1)
        return {"pass_from": joined.isoformat(), "pass_to": end.isoformat()}

    def _nric(self, birth: date) -> str:
        """Return an NRIC: series T and the year if born from 2000, S and the year from 1968, otherwise S and 0 or 1."""
        if birth.year >= 1968:
            return self._unused_number("T" if birth.year >= 2000 else "S", f"{birth.year % 100:02}")
        return self._unused_number("S", self._random.choice("01"))

    def _fin(self, archetype: Archetype, joined: date) -> str:
        """Return a FIN. Series F was issued before 2000, G until the end of 2021, M since then."""
        series = archetype.fin_series or ("F" if joined.year < 2000 else "G" if joined.year < 2022 else "M")
        return self._unused_number(series, "")

    def _unused_number(self, series: str, prefix: str) -> str:
        length = 7 - len(prefix)
        while True:
            digits = f"{prefix}{self._random.randrange(10**length):0{length}}"
            number = f"{series}{digits}{letter(series, digits)}"
            if number not in self._numbers:
                self._numbers.add(number)
                return number

    def _malaysian_ic(self, gender: str, birth: date) -> str:
        """Return a Malaysian IC: birthdate, state and a serial number whose last digit is odd for men."""
        serial = self._random.randrange(1000) * 10 + 2 * self._random.randrange(5) + (gender == "M")
        return f"{birth:%y%m%d}-{self._random.randint(1, 14):02}-{serial:04}"

    def _employment(self, archetype: Archetype) -> EmployeeBody:
        context, job = self._context, JOBS[archetype.job]
        body: EmployeeBody = {
            "wave_id": context.waves[archetype.frequency],
            "job_title": archetype.job,
            "employment_act_group": job.group,
            "pay_point_id": context.pay_points[job.pay_point],
        }
        if job.pay_point != OFFICE:
            body["custom_fields"] = {
                str(context.uniform_field): self._random.choice(context.uniform_sizes),
                str(context.locker_field): f"{'WO'[job.pay_point - 1]}-{self._random.randint(1, 400):03}",
            }
        return body

    def _payment(self, archetype: Archetype) -> EmployeeBody:
        if archetype.payment_method != "eft_manual":
            return {"payment_method": archetype.payment_method}
        bank_id, branch_code = self._weighted(BANKS)
        account = f"{branch_code}{self._random.randrange(10**7):07}"
        return {
            "payment_method": "eft_manual",
            "bank_account": {"bank_id": bank_id, "account_number": account, "branch_code": branch_code},
        }

    def _address(self, archetype: Archetype, community: Community) -> EmployeeBody:
        address_type = archetype.address
        if address_type is None:
            return {}
        # Citizens with a foreign address live in Malaysia.
        country = "MY" if archetype.legal_status == "CITIZEN" else archetype.nationality or community.home
        return {"physical_address": {"type": address_type, **self._address_lines(address_type, country)}}

    def _address_lines(self, address_type: str, country: str) -> EmployeeBody:
        random = self._random
        if address_type == "L":
            street, sector = random.choice(STREETS)
            block = random.randint(100, 899)
            return {
                "block_no": f"{block}{random.choice(('', '', '', 'A', 'B'))}",
                "st_name": street,
                "level_no": f"{random.randint(2, 18):02}",
                "unit_no": f"{random.randint(1, 400):03}",
                "postal_code": f"{sector}{random.randint(0, 9)}{block}",
            }
        if address_type == "C":
            first, second, postal_code = random.choice(CARE_OF)
            return {"address_line1": first, "address_line2": second, "tx_uf_postal_code": postal_code}
        if address_type == "F":
            road, town, postal_code = ABROAD[country]
            return {
                "address_line1": f"{random.randint(1, 200)} {road}",
                "address_line2": town,
                "tx_uf_postal_code": postal_code,
                "country_code": country,
            }
        return {}

    def _day(self, *, first: float = 0) -> int:
        """Return a day of the month. `first` is the probability of the first day."""
        return 1 if self._random.random() < first else self._random.randint(1, LAST_COMMON_DAY)

    def _month(self, months: int, day: int) -> date:
        """Return a day in the month that is this many months from now. In the current month it is not in the future."""
        date_in_month = day_of_month(self._today, months, day)
        return min(date_in_month, self._today) if months == 0 else date_in_month

    def _weighted(self, weights: Mapping[T, int]) -> T:
        return self._random.choices(list(weights), list(weights.values()))[0]


def day_of_month(today: date, months: int, day: int) -> date:
    """Return a day in the month that is this many months away, or its last day if the month is shorter.

    >>> day_of_month(date(2026, 1, 15), 1, 31), day_of_month(date(2026, 1, 15), -1, 9)
    (datetime.date(2026, 2, 28), datetime.date(2025, 12, 9))
    """
    years, month = divmod(today.month - 1 + months, 12)
    year = today.year + years
    return date(year, month + 1, min(day, monthrange(year, month + 1)[1]))


def _communities_of(status: str) -> Mapping[str, int]:
    return {"CITIZEN": CITIZENS, "PR": PERMANENT_RESIDENTS}.get(status) or PASS_HOLDERS[status]


def _months_after(day: date, months: int) -> date:
    return day_of_month(day, months, day.day)
