"""Employees and their leave, as the API shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.company import Company
from tests.support.running import Member, created

FIVE_AND_A_HALF: dict[str, Any] = {
    "schedule": "fixed",
    **{f"works_{day}": True for day in ("mon", "tue", "wed", "thu", "fri", "sat")},
    "day_type_sat": "partial",
    "partial_hours_sat": 4,
}


def leave_types(member: Member, client_id: int) -> dict[str, int]:
    """The types of a client: name → id."""
    answer = member.get(f"/clients/{client_id}/leave_types")
    assert answer.status_code == 200, answer.text
    return {name: int(type_id) for type_id, name in answer.json().items()}


@dataclass(frozen=True)
class OnLeave:
    """An employee, and what can be asked about their leave."""

    company: Company
    id: int
    types: dict[str, int]

    @classmethod
    def hired(cls, company: Company, **changes: Any) -> "OnLeave":
        """A new employee."""
        return cls(company, company.hire(**changes), leave_types(company.member, company.id))

    @property
    def member(self) -> Member:
        """Who asks."""
        return self.company.member

    def path(self, what: str) -> str:
        """A path below the employee."""
        return f"/employees/{self.id}/{what}"

    def post(self, date: str, type: str = "annual_leave", **more: Any) -> httpx.Response:
        """Ask for a day of leave."""
        return self.member.post(self.path("leave_days"), {"date": date, "type_id": self.types[type], **more})

    def take(self, date: str, type: str = "annual_leave", **more: Any) -> int:
        """Record a day of leave."""
        return created(self.post(date, type, **more))

    def post_many(self, dates: Sequence[Any], **more: Any) -> httpx.Response:
        """Ask for several days."""
        return self.member.post(self.path("leave_days/create_multiple"), {"dates": dates, **more})

    def adjust(self, date: str, days: Any, type: str = "annual_leave", reason: str = "Agreed") -> int:
        """Record an adjustment."""
        body = {"type_id": self.types[type], "date": date, "days": days, "reason": reason}
        return created(self.member.post(self.path("leave_adjustments"), body))

    def listed(self, what: str = "leave_days", query: str = "") -> list[dict[str, Any]]:
        """Elements without their wrapper."""
        answer = self.member.get(self.path(what) + query)
        assert answer.status_code == 200, answer.text
        return [element[what.removesuffix("s")] for element in answer.json()]

    def balances(self, date: str) -> dict[str, float]:
        """The balances by name of type, those of zero left out."""
        answer = self.member.get(self.path("leave_balances"), params={"date": date})
        assert answer.status_code == 200, answer.text
        names = {str(type_id): name for name, type_id in self.types.items()}
        assert set(answer.json()) == set(names)
        return {names[type_id]: days for type_id, days in answer.json().items() if days}

    def balance(self, date: str, type: str = "annual_leave") -> float:
        """One balance."""
        return self.balances(date).get(type, 0)

    def movements(self, to: str, type: str = "annual_leave") -> list[tuple[str, str, float]]:
        """Date, kind and days of each movement of a type."""
        found = self.listed("leave_movements", f"?to={to}&type_id={self.types[type]}")
        return [(one["date"], one["kind"], one["days"]) for one in found]

    def put_policy(self, type: str = "annual_leave", **given: Any) -> httpx.Response:
        """Give a type a policy."""
        return self.member.call("PUT", f"/leave_types/{self.types[type]}/policy", json=given)

    def set_hours(self, **details: Any) -> None:
        """Change the regular hours, from a day on where one is given."""
        body: dict[str, Any] = {"calc_type": "week_hours"}
        if since := details.pop("effective_date", None):
            body["effective_date"] = since
        answer = self.member.patch(self.path("inherited_calculations"), body | {"calculation_details": details})
        assert answer.status_code == 200, answer.text
