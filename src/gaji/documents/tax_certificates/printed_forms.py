"""The released certificates of a year in one PDF, for employers who print them and give them to their employees."""

from typing import NamedTuple

from gaji.company.clients.service import require_client
from gaji.core.errors import NotFound
from gaji.core.identifier_reads import note_identifier_read
from gaji.core.vault import mask
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.pdf_client import render_pdf
from gaji.documents.tax_certificates import repository, version_repository
from gaji.documents.tax_certificates.certificate import StoredCertificate
from gaji.documents.tax_certificates.pdf_context import FormData, ir8a_data
from gaji.documents.tax_certificates.versions import find_replacement

MAX_FORMS = 100
"""Forms in one part."""


class PrintedForms(NamedTuple):
    """A part of the forms of a year."""

    pdf: bytes
    file_name: str
    rules_versions: set[str]


async def read_forms(tenant: Tenant, client_id: int, year: int, part: int = 1) -> PrintedForms:
    """Return a part of the released certificates of a year as one PDF. Raises NotFound if there is none."""
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        stored = await repository.load_year(tx, client_id, year)
        released = [certificate for certificate in stored.values() if certificate.certificate.released]
        forms = released[(part - 1) * MAX_FORMS : part * MAX_FORMS]
        if not forms:
            count = "1 certificate" if len(released) == 1 else f"{len(released):,} certificates"
            raise NotFound(f"Client {client_id} has {count} released for {year}; there is no part {part} of the forms")
        data = await load_forms(tx, client_id, year, forms)
    created_on = max(certificate.generated_on for certificate, _ in forms)
    pdf = await render_pdf(tenant.caller.account_id, "ir8a_forms", {"year": str(year), "forms": data}, created_on)
    versions = {version for certificate, _ in forms for version in certificate.content.rules_versions}
    return PrintedForms(pdf, f"IR8A-{year}-forms-{part}.pdf", versions)


async def load_forms(tx: Transaction, client_id: int, year: int, stored: list[StoredCertificate]) -> list[FormData]:
    """Load the data of the forms. Identity numbers are masked if the caller may not see them."""
    employee_ids = [certificate.employee_id for certificate, _ in stored]
    versions = await version_repository.load_versions(tx, client_id, year, employee_ids)
    is_masked = tx.caller.hide_identifiers
    if not is_masked and any(certificate.identifier for certificate in stored):
        note_identifier_read(f"/clients/{client_id}/tax_certificates")
    return [
        ir8a_data(
            year,
            certificate.certificate.content,
            mask(certificate.identifier) if certificate.identifier and is_masked else certificate.identifier,
            draft=not certificate.certificate.released,
            replacement=find_replacement(certificate.identified, versions.get(certificate.certificate.employee_id, ())),
        )
        for certificate in stored
    ]
