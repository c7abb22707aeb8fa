"""Tax certificate use cases."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from gaji.company.clients.service import require_client
from gaji.core.errors import Conflict, Forbidden, NotFound
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import ListPage, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.pdf_client import render_pdf
from gaji.documents.tax_certificates import generate_certificates as generation
from gaji.documents.tax_certificates import repository
from gaji.documents.tax_certificates.certificate import TaxCertificate, has_changed
from gaji.documents.tax_certificates.clearances import load_clearances
from gaji.documents.tax_certificates.explanations import BoxExplanation, explain_boxes
from gaji.documents.tax_certificates.generate_certificates import GeneratedCertificate
from gaji.documents.tax_certificates.pdf_context import ir8a_data
from gaji.documents.tax_certificates.repository import CertificateDraft
from gaji.documents.tax_certificates.schemas import GENERATE_CERTIFICATES, GenerateCertificatesInput, review_json
from gaji.identity.service import require_writer
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.people.service_periods.queries import load_service_intervals
from gaji.people.take_on.queries import load_ir8a_amounts


class GenerationResult(NamedTuple):
    """The certificates of a year after they were generated."""

    year: int
    ids: Sequence[int]
    withdrawn: int
    """Released certificates whose content changed. They must be released again."""
    removed: int


class ReleaseResult(NamedTuple):
    """The certificates of a year after they were released."""

    year: int
    ids: Sequence[int]
    """Those that were not released before."""
    released_before: int


class CertificatePage(NamedTuple):
    """Certificates as JSON, their total number and the rules versions of their amounts."""

    elements: list[str]
    total: int
    rules_versions: set[str]


async def generate_certificates(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[GenerationResult, ValidatedInput[GenerateCertificatesInput]]:
    """Generate the certificates of a year for all employees with income, and replace the previous ones."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        validated = GENERATE_CERTIFICATES.parse_create(body)
        year = validated.data.year
        await repository.lock_certificates(tx, client_id)
        certificates = await generation.generate_certificates(tx, client_id, year)
        result = await _save(tx, client_id, year, certificates)
        await repository.record_year(tx, client_id, year, len(certificates))
        return result, validated


async def find_client_id(tenant: Tenant, certificate_id: int) -> int:
    """Return the client of a certificate that the caller may see."""
    async with tenant.read_only() as tx:
        employee_id = await repository.find_employee_id(tx, certificate_id) or _raise_not_found(certificate_id)
        return await require_readable_employee(tx, employee_id)


async def release_certificate(tenant: Tenant, certificate_id: int) -> bool:
    """Make a certificate visible to the employee. Returns False if it was released before.

    Raises Conflict if its figures are out of date.
    """
    async with tenant.transaction() as tx:
        employee_id = await repository.find_employee_id(tx, certificate_id) or _raise_not_found(certificate_id)
        client_id = await lock_employee(tx, employee_id)
        await repository.lock_certificates(tx, client_id)
        certificate = await repository.lock_certificate(tx, client_id, certificate_id)
        if certificate is None:
            _raise_not_found(certificate_id)
        if await _find_changed(tx, client_id, [certificate]):
            raise Conflict(
                f"The figures of certificate {certificate_id} have changed since it was generated; "
                f"generate the certificates of {certificate.year} again first"
            )
        await repository.mark_released(tx, client_id, [certificate_id])
        return not certificate.released


async def release_year(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[ReleaseResult, ValidatedInput[GenerateCertificatesInput]]:
    """Release all certificates of a year. Raises Conflict if one is missing or out of date; then none is released."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        validated = GENERATE_CERTIFICATES.parse_create(body)
        year = validated.data.year
        await repository.lock_certificates(tx, client_id)
        stored = await repository.load_year(tx, client_id, year)
        generated = await generation.generate_certificates(tx, client_id, year)
        _require_current(year, stored, generated)
        ids = [certificate.id for certificate, _ in stored.values() if not certificate.released]
        await repository.mark_released(tx, client_id, ids)
        return ReleaseResult(year, sorted(ids), len(stored) - len(ids)), validated


def _require_current(
    year: int, stored: Mapping[int, tuple[TaxCertificate, str | None]], generated: Mapping[int, GeneratedCertificate]
) -> None:
    if not stored:
        raise Conflict(f"No certificates of {year} have been generated")
    changed = [
        employee_id
        for employee_id in stored.keys() | generated.keys()
        if employee_id not in stored
        or employee_id not in generated
        or (stored[employee_id][0].content, stored[employee_id][1]) != generated[employee_id]
    ]
    if changed:
        noun = "1 certificate" if len(changed) == 1 else f"{len(changed):,} certificates"
        verb = "is" if len(changed) == 1 else "are"
        raise Conflict(
            f"{noun} of {year} {verb} missing or out of date; generate the certificates again first. None was released"
        )


async def list_released(tenant: Tenant, employee_id: int, page: ListPage | None) -> CertificatePage:
    """List the released certificates of an employee."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        certificates, total = await repository.list_released(tx, client_id, employee_id, page)
        changed = await _find_changed(tx, client_id, certificates)
    elements = [json_text(certificate.to_json(certificate.id in changed)) for certificate in certificates]
    return CertificatePage(elements, total, _rules_versions(certificates))


async def read_pdf(tenant: Tenant, certificate_id: int) -> tuple[bytes, TaxCertificate]:
    """Return a released certificate as PDF, and the certificate it was rendered from."""
    async with tenant.read_only() as tx:
        certificate, identifier = await repository.find_released(tx, certificate_id) or _raise_not_found(certificate_id)
    data = ir8a_data(certificate.year, certificate.content, identifier)
    return await render_pdf("ir8a", data, certificate.generated_on), certificate


async def read_preview(tenant: Tenant, certificate_id: int) -> tuple[bytes, TaxCertificate]:
    """Return a certificate as PDF for officers, released or not. One that is not released is marked as a draft."""
    async with tenant.read_only() as tx:
        employee_id = await repository.find_employee_id(tx, certificate_id) or _raise_not_found(certificate_id)
        client_id = await require_readable_employee(tx, employee_id)
        await _require_officer(tx, client_id)
        certificate, identifier = await repository.find_any(tx, client_id, certificate_id) or _raise_not_found(
            certificate_id
        )
    data = ir8a_data(certificate.year, certificate.content, identifier, draft=not certificate.released)
    return await render_pdf("ir8a", data, certificate.generated_on), certificate


async def explain_certificate(tenant: Tenant, certificate_id: int) -> tuple[list[BoxExplanation], TaxCertificate, bool]:
    """Return the payslips and rules behind each box, the certificate, and whether its figures are out of date."""
    async with tenant.snapshot() as tx:
        employee_id = await repository.find_employee_id(tx, certificate_id) or _raise_not_found(certificate_id)
        client_id = await require_readable_employee(tx, employee_id)
        await _require_officer(tx, client_id)
        certificate = await repository.find_certificate(tx, client_id, certificate_id)
        if certificate is None:
            _raise_not_found(certificate_id)
        is_changed = bool(await _find_changed(tx, client_id, [certificate]))
        return await explain_boxes(tx, client_id, certificate), certificate, is_changed


async def list_for_review(tenant: Tenant, client_id: int, year: int | None, page: ListPage | None) -> CertificatePage:
    """List the certificates of a client with their figures, released or not."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        certificates, total = await repository.list_by_client(tx, client_id, year, page)
        changed = await _find_changed(tx, client_id, certificates)
    elements = await run_in_thread_if_many(
        len(certificates),
        lambda: [json_text(review_json(certificate, certificate.id in changed)) for certificate in certificates],
    )
    return CertificatePage(elements, total, _rules_versions(certificates))


async def _save(
    tx: Transaction, client_id: int, year: int, generated: Mapping[int, GeneratedCertificate]
) -> GenerationResult:
    """Save the certificates. Those with the same content stay unchanged and keep their release."""
    stored = await repository.load_year(tx, client_id, year)
    new = [employee_id for employee_id in generated if employee_id not in stored]
    ids = dict(zip(new, await repository.allocate_ids(tx, len(new)), strict=True))
    ids |= {employee_id: certificate.id for employee_id, (certificate, _) in stored.items()}
    drafts = {
        employee_id: CertificateDraft(ids[employee_id], employee_id, certificate.content, certificate.identifier)
        for employee_id, certificate in generated.items()
    }
    changed = [
        employee_id
        for employee_id, certificate in generated.items()
        if employee_id in stored and (stored[employee_id][0].content, stored[employee_id][1]) != certificate
    ]
    unchanged = [ids[employee_id] for employee_id in stored.keys() & generated.keys() - set(changed)]
    obsolete = [certificate.id for employee_id, (certificate, _) in stored.items() if employee_id not in generated]
    await repository.insert(tx, client_id, year, [drafts[employee_id] for employee_id in new])
    await repository.replace(tx, client_id, year, [drafts[employee_id] for employee_id in changed])
    await repository.mark_clean(tx, client_id, unchanged)
    await repository.delete(tx, client_id, obsolete)
    withdrawn = sum(stored[employee_id][0].released for employee_id in changed)
    return GenerationResult(year, sorted(ids[employee_id] for employee_id in generated), withdrawn, len(obsolete))


async def _find_changed(tx: Transaction, client_id: int, certificates: Sequence[TaxCertificate]) -> set[int]:
    """Return the ids of the certificates whose figures are out of date."""
    employee_ids = sorted({certificate.employee_id for certificate in certificates})
    if not certificates:
        return set()
    services = await load_service_intervals(tx, client_id, employee_ids)
    clearances = await load_clearances(tx, client_id, employee_ids)
    take_on = {
        year: await load_ir8a_amounts(tx, client_id, year, employee_ids)
        for year in {certificate.year for certificate in certificates}
    }

    def find() -> set[int]:
        return {
            certificate.id
            for certificate in certificates
            if has_changed(
                certificate,
                services[certificate.employee_id],
                {}
                if clearances.covers_take_on(certificate.employee_id, certificate.year)
                else take_on[certificate.year].get(certificate.employee_id, {}),
                clearances.covered_ends(certificate.employee_id, certificate.year),
            )
        }

    return await run_in_thread_if_many(len(certificates), find)


async def _require_officer(tx: Transaction, client_id: int) -> None:
    """Raise Forbidden for employees, who can read their own certificates but not the payslips of a year."""
    try:
        await require_client(tx, client_id)
    except NotFound:
        raise Forbidden("Employees can read their own certificates but not how they were calculated") from None


def _rules_versions(certificates: Iterable[TaxCertificate]) -> set[str]:
    return {version for certificate in certificates for version in certificate.content.rules_versions}


def _raise_not_found(certificate_id: int) -> NoReturn:
    raise NotFound(f"Tax certificate {certificate_id} does not exist")
