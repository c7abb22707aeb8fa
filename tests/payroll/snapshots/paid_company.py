"""A company with a finalised run, and everything that the API returns about the run."""

from dataclasses import dataclass
from typing import Any

from tests.documents.payslip_pdfs import pdf_text
from tests.payroll.calculations.requests import assign_profile, create_calculation, create_item, create_profile
from tests.payroll.payment_runs.runs import done, hired, opened, payslips
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.running import Member, created

CLIENT: dict[str, Any] = {
    "name": "Kopi Trading Pte Ltd",
    "uen": "202699999E",
    "physical_address": {
        "unit_no": "#08-15",
        "complex": "Ubi Techpark",
        "st_name": "10 Ubi Crescent",
        "postal_code": "408564",
    },
    "bank_account": {
        "bank_id": 7171,
        "account_number": "001-234567-8",
        "branch_code": "001",
        "account_name": "Kopi Trading Pte Ltd",
        "company_id": "KOPI01",
    },
    "cpf_submission_number": "202699999EPTE01",
}
GIRO: dict[str, Any] = {"payment_method": "eft_manual", "bank_account": BANK_ACCOUNT, "job_title": "Barista"}


@dataclass(frozen=True)
class PaidCompany:
    """A company whose January is finalised and divided over the splits of employees."""

    company: Company
    run_id: int
    mei: int
    """Paid by GIRO, with a profile and her own and custom items."""
    ravi: int
    """Paid in cash."""
    item_id: int
    unused_item_id: int
    profile_id: int
    mapping_id: int
    pay_point_id: int
    payslip_ids: tuple[int, ...]
    payslip_calculation_id: int

    @property
    def member(self) -> Member:
        """The owner of the company."""
        return self.company.member

    def get(self, path: str) -> Any:
        """Return the body of a successful read: JSON, or text."""
        answer = self.member.get(path)
        assert answer.status_code == 200, f"{path}: {answer.text}"
        return answer.json() if "json" in answer.headers["content-type"] else answer.content

    def pdf(self, payslip_id: int) -> str:
        """Return the text of a payslip."""
        return pdf_text(self.get(f"/payslips/{payslip_id}.pdf"))

    def calculations(self, payslip_id: int) -> dict[str, dict[str, Any]]:
        """Return the calculations of a payslip, by type."""
        rows = self.get(f"/payslips/{payslip_id}/calculations")
        return {str(row.get("system_type", row["calculation_def_id"])): row for row in rows}

    def finalise_again(self) -> dict[str, Any]:
        """Unfinalise and finalise the run. Returns the response."""
        done(self.company, self.run_id, "unfinalise")
        answer = self.member.post(f"/payment_runs/{self.run_id}/finalise")
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    def responses(self) -> dict[str, Any]:
        """Return everything that the API returns about the finalised run and its payslips."""
        run = f"/payment_runs/{self.run_id}"
        found: dict[str, Any] = {
            path: self.member.get(path).content for path in (run, f"{run}/payslips", f"{run}/accounting")
        }
        for element in self.get(f"{run}/files"):
            path = f"{run}/files/{element['file']['name']}"
            found[path] = self.member.get(path).content
            found[f"{path} listed"] = {**element["file"], "downloads": None}
        for payslip_id in self.payslip_ids:
            for path in (f"/payslips/{payslip_id}{form}" for form in ("", "/calculations", "/explanation")):
                found[path] = self.member.get(path).content
            found[f"/payslips/{payslip_id}.pdf"] = self.pdf(payslip_id)
        path = f"/calculations/{self.payslip_calculation_id}"
        found[path] = self.member.get(path).content
        for employee_id in (self.mei, self.ravi):
            found[f"/employees/{employee_id}/payslips"] = self._own(self.get(f"/employees/{employee_id}/payslips"))
        for include in ("recent_payslips", "recent_payslips_with_data"):
            employees = [element["employee"] for element in self.get(f"{self.company.people}?include={include}")]
            found[include] = [self._own(employee[include]) for employee in employees]
        [filing] = self.get(f"/clients/{self.company.id}/filings/2026-01")
        found["filing"] = filing["filing"]["payments"]
        return found

    def _own(self, elements: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [element for element in elements if element["payslip"]["id"] in self.payslip_ids]


def pay_company(account: Member) -> PaidCompany:
    """Create a company and pay its January."""
    company = Company.of(account, **CLIENT)
    member, path = company.member, f"/clients/{company.id}"
    pay_point_id = created(member.post(f"{path}/pay_points", {"name": "Kitchen"}))
    item_id = create_item(company, name="Cold room", kind="allowance", input="per_employee")
    unused_item_id = create_item(company, name="Never paid", kind="allowance", input="per_employee")
    profile_id = create_profile(company, "Cooks", transport_allowance={"amount": 150}, union_fee={"amount": 5})
    create_calculation(company, f"clients/{company.id}", "insurance", amount="3.00")
    mei = hired(company, **GIRO, pay_point_id=pay_point_id)
    ravi = hired(company, "3100.00", first_name="Ravi", job_title="Cashier")
    mapping_id = assign_profile(company, mei, profile_id, union_fee=True)
    create_calculation(company, f"employees/{mei}", item_id, amount="40.00")
    create_calculation(company, f"employees/{mei}", unused_item_id, amount="0.00")
    create_calculation(company, f"employees/{ravi}", "transport_allowance", amount="99.00")
    assert member.call("PUT", f"/employees/{mei}/take_on_balances", json=TAKEN_ON).status_code == 200
    body = {"mode": "employee", "splits": [{"name": "Front"}, {"name": "Back"}]}
    front, back = (split["id"] for split in member.call("PUT", f"{path}/accounting_splits", json=body).json()["splits"])
    assert member.call("PUT", f"/employees/{mei}/accounting_splits", json={front: 60, back: 40}).status_code == 200
    run_id = opened(company)
    slips = {payslip["employee_id"]: payslip["id"] for payslip in payslips(company, run_id)}
    calculation_id = create_calculation(company, f"payslips/{slips[mei]}", "bonus", amount="500.00")
    done(company, run_id, "finalise")
    return PaidCompany(
        company,
        run_id,
        mei,
        ravi,
        item_id,
        unused_item_id,
        profile_id,
        mapping_id,
        pay_point_id,
        (slips[mei], slips[ravi]),
        calculation_id,
    )


TAKEN_ON = {"year": 2026, "cpf_employee": "100.00", "cpf_employer": "85.00"}
