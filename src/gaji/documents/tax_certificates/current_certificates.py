"""The certificates of a year as they would be generated now, without generating all of them.

Generating reads every payslip of the year. Therefore each event that may change a certificate marks its employee
(invalidation.py). Everyone else's certificate says what it said, apart from the employer's name and address.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

import gaji
from gaji.company.clients.queries import Employer, load_employer
from gaji.core.law_loader import current_law
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates import repository
from gaji.documents.tax_certificates.certificate import IdentifiedContent, StoredCertificate
from gaji.documents.tax_certificates.generate_certificates import generate_certificates


def generator_version() -> str:
    """Return the versions of the program and of the rules. Another version may generate other certificates."""
    return f"{gaji.__version__} {current_law().rules_version}"


async def load_current(
    tx: Transaction,
    client_id: int,
    year: int,
    stored: Mapping[int, StoredCertificate],
    employee_ids: Sequence[int] | None = None,
) -> dict[int, IdentifiedContent]:
    """Return the certificates that would be generated now by employee, for some employees or all.

    `stored` are the stored certificates of these employees.
    """
    changed = await _load_changed(tx, client_id, year, employee_ids)
    if changed is None:
        return await generate_certificates(tx, client_id, year, employee_ids)
    employer = await load_employer(tx, client_id)
    unchanged = await run_in_thread_if_many(len(stored), lambda: _renew(stored, changed, employer))
    generated = await generate_certificates(tx, client_id, year, changed) if changed else {}
    return dict(sorted((unchanged | generated).items()))


async def _load_changed(
    tx: Transaction, client_id: int, year: int, employee_ids: Collection[int] | None
) -> list[int] | None:
    """Return the employees whose certificates must be generated. None for all of them."""
    if await repository.find_generator(tx, client_id, year) != generator_version():
        return None
    marked = await repository.load_changed(tx, client_id, year)
    return sorted(marked if employee_ids is None else marked & set(employee_ids))


def _renew(
    stored: Mapping[int, StoredCertificate], changed: Collection[int], employer: Employer
) -> dict[int, IdentifiedContent]:
    """Return the certificates of employees who have not changed, with the employer as it is now."""
    skipped = set(changed)
    return {
        employee_id: _with_employer(certificate.identified, employer)
        for employee_id, certificate in stored.items()
        if employee_id not in skipped
    }


def _with_employer(identified: IdentifiedContent, employer: Employer) -> IdentifiedContent:
    if identified.content.employer == employer:
        return identified
    return IdentifiedContent(replace(identified.content, employer=employer), identified.identifier)
