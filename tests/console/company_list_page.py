"""The page with the list of companies."""

import re

from tests.console.console_user import ConsoleUser, signed_in_user
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company
from tests.support.running import Service

UEN = "202699999E"


def companies_of(user: ConsoleUser, query: str = "") -> list[str]:
    """Return the names of the companies in the list."""
    text = user.get(f"/companies?{query}").text
    return re.findall(r'<a class="row" href="/companies/\d+">([^<]*)</a>', text)


def row_of(user: ConsoleUser, company: Company) -> str:
    """Return the text of the row of a company, without the pay dates that passed later."""
    page = user.get("/companies").text
    [row] = re.findall(
        rf'<tr><th scope="row">[^\n]*?<a class="row" href="/companies/{company.id}">.*?</tr>', page, re.DOTALL
    )
    text = " ".join(re.sub(r"<[^>]+>", " ", row).split())
    return re.sub(r" \d+ pay dates late: [A-Z][\w ,()]*? \d{4}(?=$| [A-Z])", "", text)


def cpf_months_due(company: Company) -> list[str]:
    """Return the months of the CPF files that the API lists as due."""
    deadlines = [element["deadline"] for element in company.member.get(f"/clients/{company.id}/deadlines").json()]
    return [deadline["month"] for deadline in deadlines if deadline["type"] == "cpf"]


def create_bureau(service: Service) -> tuple[Company, Company, ConsoleUser]:
    """Create two companies of one account: one is late with everything, and the other has no employees."""
    member = service.new_account()
    late = Company.of(member, name="Tampines Bakery")
    hired(late, first_name="Siti", last_name="Aminah")
    paid(late)
    empty = Company.of(member, name="Queenstown Clinic", uen=UEN)
    return late, empty, signed_in_user(member)
