"""The people of the demo: plausible, and the same for the same seed, day and company.

Pure: the day comes with the facts of the company, and everything random from the seed. The cases of the roster come
first; after them people are drawn as a company of this kind would have them.
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

Body = dict[str, Any]
T = TypeVar("T")

PASS_MONTHS = 24
LAST_DAY_OF_ALL_MONTHS = 28


@dataclass(frozen=True)
class Facts:
    """What people are placed in: the day, and what the company has."""

    today: date
    waves: Mapping[Frequency, int]
    pay_points: Sequence[int]
    """Office, warehouse and outlet."""
    uniform_field: int
    uniform_sizes: Sequence[int]
    locker_field: int


@dataclass(frozen=True)
class Community:
    """People who share the way they are named."""

    race: str
    home: str
    name_format: int
    religions: Mapping[str, int]
    male: Sequence[str]
    female: Sequence[str]
    family: Sequence[str]
    links: Mapping[str, str] | None = None
    """What stands before a father's name, by gender."""


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
"""A work permit is for manual work, an Employment Pass for none."""
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
    (9496, "000"): 4,  # the branch is a zero and the first two digits of the account
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


def _communities() -> Mapping[str, Community]:
    text = resources.files("gaji.demo").joinpath("names.toml").read_text()
    return {name: Community(**facts) for name, facts in tomllib.loads(text).items()}


COMMUNITIES = _communities()


def people(seed: int, count: int, facts: Facts) -> Iterator[Body]:
    """So many employees, as the API takes them. The same seed and facts give the same, and more only adds to fewer."""
    registry = Registry(Random(seed), facts)  # noqa: S311 - repeatable on purpose
    for index in range(count):
        yield registry.person(ROSTER[index] if index < len(ROSTER) else registry.ordinary())


class Registry:
    """Draws people, and sees to it that no two have the same identity number or email."""

    def __init__(self, random: Random, facts: Facts) -> None:
        self._random = random
        self._facts = facts
        self._today = facts.today
        self._numbers: set[str] = set()
        self._emails: Counter[str] = Counter()

    def ordinary(self) -> Archetype:
        """Someone as such a company would have them."""
        random = self._random
        status = self._weighted(STATUSES)
        title = self._weighted(JOBS_OPEN_TO[status])
        age = round(random.triangular(20, 58 if status in PASS_HOLDERS else 69, 34))
        service = min(round(random.expovariate(1 / 45)), 12 * (age - 18))
        return Archetype(
            "Drawn",
            self._weighted(self._origins(status)),
            title,
            legal_status={"EP": "FOREIGNER", "SPASS": "FOREIGNER", "WP": "FOREIGNER_WP"}.get(status, status),
            age=age,
            service_months=service,
            pr_months=random.randint(1, min(180, 12 * (age - 1))) if status == "PR" else None,
            frequency=self._weighted(FREQUENCIES[JOBS[title].group]),
            payment_method=self._weighted(PAYMENT_METHODS),
            address=self._weighted(ADDRESS_TYPES),
            attributes=self._elected(status),
        )

    def person(self, archetype: Archetype) -> Body:
        """The attributes of one person of this kind."""
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

    def _elected(self, status: str) -> Body:
        if status == "PR":
            return {"pr_cpf_rates": self._weighted(PR_CPF_RATES)}
        return {"work_pass": status} if status in PASS_HOLDERS else {}

    def _origins(self, status: str) -> Mapping[str, int]:
        return {"CITIZEN": CITIZENS, "PR": PERMANENT_RESIDENTS}.get(status) or PASS_HOLDERS[status]

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

    def _name(self, community: Community, gender: str) -> Body:
        first = self._random.choice(community.male if gender == "M" else community.female)
        if not community.family:
            return {"first_name": first, "name_format": 3}
        last = self._random.choice(community.family)
        if community.links:
            last = f"{community.links[gender]} {last}"
        return {"first_name": first, "last_name": last, "name_format": community.name_format}

    def _email(self, name: Body) -> str:
        words = f"{name['first_name']} {name.get('last_name', '')}".lower().replace("/", "").replace("-", "").split()
        address = ".".join(words)
        self._emails[address] += 1
        again = self._emails[address]
        return f"{address}{'' if again == 1 else again}@example.com"

    def _identity(self, archetype: Archetype, community: Community, gender: str, birth: date, joined: date) -> Body:
        """Who someone is to the authorities, by legal status."""
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

    def _residence(self, archetype: Archetype) -> Body:
        if archetype.pr_months is None:
            return {}
        found = {"pr_date": self._month(-archetype.pr_months, self._day()).isoformat()}
        if archetype.citizen_months is not None:
            found["citizenship_date"] = self._month(-archetype.citizen_months, self._day()).isoformat()
        return found

    def _pass_dates(self, joined: date) -> Body:
        """The pass began with the work, was renewed every two years without a gap, and is running."""
        months = (self._today.year - joined.year) * 12 + self._today.month - joined.month
        renewals = max(months, 0) // PASS_MONTHS
        ends = _months_after(joined, (renewals + 1) * PASS_MONTHS) - timedelta(days=1)
        return {"pass_from": joined.isoformat(), "pass_to": ends.isoformat()}

    def _nric(self, birth: date) -> str:
        """Born from 2000 on: series T and the year. From 1968 on: S and the year. Before: S and 0 or 1."""
        if birth.year >= 1968:
            return self._unused("T" if birth.year >= 2000 else "S", f"{birth.year % 100:02}")
        return self._unused("S", self._random.choice("01"))

    def _fin(self, archetype: Archetype, joined: date) -> str:
        """Series F was issued before 2000, G until the end of 2021, M since."""
        series = archetype.fin_series or ("F" if joined.year < 2000 else "G" if joined.year < 2022 else "M")
        return self._unused(series, "")

    def _unused(self, series: str, beginning: str) -> str:
        places = 7 - len(beginning)
        while True:
            digits = f"{beginning}{self._random.randrange(10**places):0{places}}"
            number = f"{series}{digits}{letter(series, digits)}"
            if number not in self._numbers:
                self._numbers.add(number)
                return number

    def _malaysian_ic(self, gender: str, birth: date) -> str:
        """Birthdate, state and a serial number, whose last digit is odd for a man."""
        serial = self._random.randrange(1000) * 10 + 2 * self._random.randrange(5) + (gender == "M")
        return f"{birth:%y%m%d}-{self._random.randint(1, 14):02}-{serial:04}"

    def _employment(self, archetype: Archetype) -> Body:
        facts, job = self._facts, JOBS[archetype.job]
        placed: Body = {
            "wave_id": facts.waves[archetype.frequency],
            "job_title": archetype.job,
            "employment_act_group": job.group,
            "pay_point_id": facts.pay_points[job.pay_point],
        }
        if job.pay_point != OFFICE:
            placed["custom_fields"] = {
                str(facts.uniform_field): self._random.choice(facts.uniform_sizes),
                str(facts.locker_field): f"{'WO'[job.pay_point - 1]}-{self._random.randint(1, 400):03}",
            }
        return placed

    def _payment(self, archetype: Archetype) -> Body:
        if archetype.payment_method != "eft_manual":
            return {"payment_method": archetype.payment_method}
        bank_id, branch_code = self._weighted(BANKS)
        account = f"{branch_code}{self._random.randrange(10**7):07}"
        return {
            "payment_method": "eft_manual",
            "bank_account": {"bank_id": bank_id, "account_number": account, "branch_code": branch_code},
        }

    def _address(self, archetype: Archetype, community: Community) -> Body:
        kind = archetype.address
        if kind is None:
            return {}
        # A citizen who lives abroad lives across the causeway.
        country = "MY" if archetype.legal_status == "CITIZEN" else archetype.nationality or community.home
        return {"physical_address": {"type": kind, **self._address_lines(kind, country)}}

    def _address_lines(self, kind: str, country: str) -> Body:
        random = self._random
        if kind == "L":
            street, sector = random.choice(STREETS)
            block = random.randint(100, 899)
            return {
                "block_no": f"{block}{random.choice(('', '', '', 'A', 'B'))}",
                "st_name": street,
                "level_no": f"{random.randint(2, 18):02}",
                "unit_no": f"{random.randint(1, 400):03}",
                "postal_code": f"{sector}{random.randint(0, 9)}{block}",
            }
        if kind == "C":
            first, second, postal_code = random.choice(CARE_OF)
            return {"address_line1": first, "address_line2": second, "tx_uf_postal_code": postal_code}
        if kind == "F":
            road, town, postal_code = ABROAD[country]
            return {
                "address_line1": f"{random.randint(1, 200)} {road}",
                "address_line2": town,
                "tx_uf_postal_code": postal_code,
                "country_code": country,
            }
        return {}

    def _day(self, *, first: float = 0) -> int:
        """A day that every month has; with this chance the first."""
        return 1 if self._random.random() < first else self._random.randint(1, LAST_DAY_OF_ALL_MONTHS)

    def _month(self, months: int, day: int) -> date:
        """A day so many months from now; of this month, one that is not yet to come."""
        found = day_of_month(self._today, months, day)
        return min(found, self._today) if months == 0 else found

    def _weighted(self, weights: Mapping[T, int]) -> T:
        return self._random.choices(list(weights), list(weights.values()))[0]


def day_of_month(today: date, months: int, day: int) -> date:
    """A day of the month so many months from this one, or its last day where it is shorter.

    >>> day_of_month(date(2026, 1, 15), 1, 31), day_of_month(date(2026, 1, 15), -1, 9)
    (datetime.date(2026, 2, 28), datetime.date(2025, 12, 9))
    """
    years, month = divmod(today.month - 1 + months, 12)
    year = today.year + years
    return date(year, month + 1, min(day, monthrange(year, month + 1)[1]))


def _months_after(day: date, months: int) -> date:
    return day_of_month(day, months, day.day)
