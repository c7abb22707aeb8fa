"""Which income was cleared with form IR21 and is therefore not reported again on form IR8A."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.law.tax import first_year_on_clearance
from gaji.people.service_periods.queries import ClearanceTerm, find_term, load_clearance_terms


class TaxClearances:
    """The services of employees that ended with an IR21, and the years that each covers."""

    def __init__(self, terms: Mapping[int, Sequence[ClearanceTerm]]) -> None:
        self._terms = terms

    def covers_payslip(self, employee_id: int, period_end: date, year: int) -> bool:
        """Return whether income of a year on a payslip is on the IR21 of the service that the payslip belongs to."""
        term = find_term(self._terms.get(employee_id, ()), period_end)
        return term is not None and _covers_year(term, year)

    def covers_take_on(self, employee_id: int, year: int) -> bool:
        """Return whether take-on balances of a year are on an IR21: that of the first service in the year."""
        terms = self._terms.get(employee_id, ())
        first = next((term for term in terms if term.end is None or term.end.year >= year), None)
        return first is not None and _covers_year(first, year)

    def covered_ends(self, employee_id: int, year: int) -> list[date]:
        """Return the last days of the services whose IR21 covers income of a year."""
        return [term.end for term in self._terms.get(employee_id, ()) if term.end and _covers_year(term, year)]


async def load_clearances(tx: Transaction, client_id: int, employee_ids: Sequence[int] | None) -> TaxClearances:
    """Load the tax clearances of some employees, or of everyone."""
    return TaxClearances(await load_clearance_terms(tx, client_id, employee_ids))


def _covers_year(term: ClearanceTerm, year: int) -> bool:
    return term.ir21 and term.end is not None and first_year_on_clearance(current_law().tax, term.end) <= year
