"""Two employees of a company with a released payslip. One of them is signed in to the portal."""

from dataclasses import dataclass

from tests.console.console_user import ConsoleUser, signed_in_user
from tests.payroll.payment_runs.runs import done, hired, opened
from tests.support.company import Company

MONDAY, WEDNESDAY, SATURDAY, SUNDAY = "2027-05-03", "2027-05-05", "2027-05-08", "2027-05-09"


@dataclass(frozen=True)
class Pair:
    """An employee who is signed in, and a colleague; both have a released payslip."""

    company: Company
    own: ConsoleUser
    id: int
    other_id: int

    @property
    def start(self) -> str:
        """Where the employee begins."""
        return f"/own/{self.id}"

    def payslip_of(self, employee_id: int) -> int:
        """The first payslip of an employee."""
        result = self.company.member.get(f"/employees/{employee_id}/payslips").json()
        return int(result[0]["payslip"]["id"])


def create_pair(company: Company) -> Pair:
    """Create two employees whose January is paid and released, and sign one of them in."""
    own_id, other = hired(company, first_name="Aisha"), hired(company, first_name="Wei Jie")
    run_id = opened(company)
    done(company, run_id, "finalise")
    done(company, run_id, "release")
    return Pair(company, signed_in_user(company.member.colleague(company.id, "employee", own_id)), own_id, other)
