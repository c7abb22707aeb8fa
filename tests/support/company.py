"""A client with a wave, and helpers to add employees."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import httpx

from gaji.law import check_letter
from tests.support.running import Member, created

MONTHLY: dict[str, Any] = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2024-01-31"}
ENDS_ON_20: dict[str, Any] = {**MONTHLY, "last_day_of_month": 20, "first_end_date": "2024-01-20"}
WEEKLY: dict[str, Any] = {"frequency": "weekly", "first_end_date": "2024-01-05"}
FORTNIGHTLY: dict[str, Any] = {"frequency": "fortnightly", "first_end_date": "2024-01-05"}
TWICE_A_MONTH: dict[str, Any] = {
    "frequency": "twice_a_month",
    "interim_day_of_month": 15,
    "last_day_of_month": 31,
    "first_end_date": "2024-01-15",
}

BANK_ACCOUNT: dict[str, Any] = {"bank_id": 7171, "account_number": "0052312891", "branch_code": "005"}

# What each legal status needs beyond the attributes that everybody has.
STATUSES: dict[str, dict[str, Any]] = {
    "CITIZEN": {"nric": "S1234567D"},
    "PR": {"nric": "S1234567D", "nationality": "MY", "pr_date": "2020-05-01"},
    "FOREIGNER": {"fin": "G1612350T", "nationality": "IN"},
    "FOREIGNER_WP": {"fin": "M1234567K", "nationality": "BD"},
    "FD_MALAYSIA": {"malaysian_ic": "800101-14-5678", "nationality": "MY"},
    "FD_OTHER": {"passport_number": "K1234567P", "nationality": "JP"},
}
FOREIGNER: dict[str, Any] = {
    "legal_status": "FOREIGNER",
    "nric": None,
    "fin": "G1612350T",
    "nationality": "IN",
    "race": "OTHER",
}
"""What makes an employee of the usual attributes a foreigner."""


def _numbers(series: str) -> Iterator[str]:
    for count in itertools.count(1):
        yield f"{series}{count:07d}{check_letter.letter(series, f'{count:07d}')}"


_NRICS = _numbers("T")


def new_nric() -> str:
    """An NRIC that no test has used yet."""
    return next(_NRICS)


def attributes(**changes: Any) -> dict[str, Any]:
    """All that a citizen needs but for the wave; a change to None leaves the attribute out."""
    given = {
        "first_name": "Mei Ling",
        "last_name": "Tan",
        "payment_method": "cash",
        "birthdate": "1990-04-12",
        "appointment_date": "2024-02-01",
        "legal_status": "CITIZEN",
        "gender": "F",
        "race": "CHINESE",
        "religion": "NONE",
        "sdl_exempt": False,
        "cpf_exempt": False,
        **changes,
    }
    if given["legal_status"] == "CITIZEN" and "nric" not in changes:
        given["nric"] = new_nric()
    return {name: value for name, value in given.items() if value is not None}


def of_status(legal_status: str, **changes: Any) -> dict[str, Any]:
    """All that someone of this legal status needs but for the wave."""
    return attributes(legal_status=legal_status, **{**STATUSES[legal_status], **changes})


@dataclass(frozen=True)
class Company:
    """A client with a monthly wave."""

    member: Member
    id: int
    wave_id: int

    @classmethod
    def of(cls, member: Member, **client: Any) -> "Company":
        """A fresh one in the member's account."""
        client_id = member.new_client(**client)
        return cls(member, client_id, created(member.post(f"/clients/{client_id}/waves", MONTHLY)))

    @property
    def people(self) -> str:
        """The path of its employees."""
        return f"/clients/{self.id}/employees"

    def wave(self, **given: Any) -> int:
        """One more wave."""
        return created(self.member.post(f"/clients/{self.id}/waves", given))

    def field(self, **given: Any) -> int:
        """A custom field."""
        return created(self.member.post(f"/clients/{self.id}/custom_employee_fields", given))

    def post(self, given: dict[str, Any]) -> httpx.Response:
        """Ask for an employee with these attributes, in the company's wave where none is given."""
        return self.member.post(self.people, {"employee": {"wave_id": self.wave_id, **given}})

    def hire(self, **changes: Any) -> int:
        """One more employee."""
        return created(self.post(attributes(**changes)))

    def patch(self, employee_id: int, **changes: Any) -> httpx.Response:
        """Ask for a change of an employee."""
        return self.member.patch(f"/employees/{employee_id}", {"employee": changes})

    def employee(self, employee_id: int) -> dict[str, Any]:
        """An employee as the API shows them."""
        answer = self.member.get(f"/employees/{employee_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["employee"]
        return found

    def listed(self, query: str = "") -> list[dict[str, Any]]:
        """Its employees as the list shows them."""
        return [element["employee"] for element in self.member.get(self.people + query).json()]

    def act(self, employee_id: int, action: str, **given: Any) -> httpx.Response:
        """end_service, reinstate or undo_end_service."""
        where = f"/employees/{employee_id}/service_periods/{action}"
        if action == "undo_end_service":
            return self.member.delete(where)
        return self.member.post(where, {"employee_action": given})

    def leave(self, employee_id: int, last_day: str = "2025-06-30", code: int = 1, **given: Any) -> None:
        """End the service of an employee."""
        answer = self.act(employee_id, "end_service", termination_date=last_day, termination_code=code, **given)
        assert answer.status_code == 200, answer.text

    def service_of(self, employee_id: int) -> list[tuple[str, str | None]]:
        """When an employee worked here: first and last days."""
        periods = self.member.get(f"/employees/{employee_id}/service_periods").json()
        return [(one["service_period"]["start_date"], one["service_period"]["end_date"]) for one in periods]

    def waves_of(self, employee_id: int) -> list[tuple[int, str, str | None]]:
        """By which wave an employee was paid from when to when; checked to be continuous, the last one open."""
        [found] = [one for one in self.listed("?include=wave_periods") if one["id"] == employee_id]
        periods = [one["wave_period"] for one in found["wave_periods"]]
        for earlier, later in itertools.pairwise(periods):
            day_after = date.fromisoformat(earlier["end_date"]) + timedelta(days=1)
            assert later["start_date"] == str(day_after)
        assert periods[-1]["end_date"] is None
        assert found["wave_id"] == periods[-1]["wave_id"]
        return [(one["wave_id"], one["start_date"], one["end_date"]) for one in periods]
