"""A company that requires the approval of a second person, and its people."""

from dataclasses import dataclass
from typing import Any

import httpx

from tests.documents.payment_files.test_files import GIRO, UOB_PAYER
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company
from tests.support.running import Member

OLD: dict[str, Any] = GIRO["bank_account"]
NEW: dict[str, Any] = {"bank_id": 7171, "account_number": "0119988776", "branch_code": "011"}


@dataclass(frozen=True)
class TwoPeople:
    """An owner and a payroll officer of a company that requires approval, and an employee paid by GIRO."""

    company: Company
    owner: Member
    officer: Member
    employee_id: int

    def account(self) -> Any:
        """The bank account of the employee."""
        return self.company.employee(self.employee_id)["bank_account"]

    def approvals(self, **filters: Any) -> list[dict[str, Any]]:
        """The approvals of the company, newest first."""
        answer = self.owner.get(f"/clients/{self.company.id}/approvals", params=filters)
        assert answer.status_code == 200, answer.text
        return [element["approval"] for element in answer.json()]

    def request_change(self, member: Member | None = None) -> int:
        """Ask for the new account as a member, by default the officer. Return the approval."""
        body = {"employee": {"bank_account": NEW}}
        return pending((member or self.officer).patch(f"/employees/{self.employee_id}", body))


def pending(answer: httpx.Response) -> int:
    """Return the approval that a request got instead of being done."""
    assert answer.status_code == 202, answer.text
    approval = answer.json()["approval"]
    assert approval["status"] == "pending"
    return int(approval["id"])


def require_approval(company: Company) -> Member:
    """Require approval for a company, and return its second person."""
    officer = company.member.colleague(company.id, "payroll")
    answer = company.member.patch(f"/clients/{company.id}/approval_settings", {"required": True})
    assert answer.status_code == 200, answer.text
    return officer


def two_people(account: Member) -> TwoPeople:
    """Return a new company with two people."""
    company = Company.of(account, bank_account=UOB_PAYER)
    employee_id = hired(company, **GIRO)
    return TwoPeople(company, account, require_approval(company), employee_id)
