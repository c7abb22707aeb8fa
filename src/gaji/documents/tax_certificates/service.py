"""Tax certificate use cases."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from gaji.company.clients.service import is_officer, require_client, require_officer
from gaji.core.errors import Conflict, NotFound
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters, ListOrder, ListPage, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.file_names import portable_number
from gaji.documents.pdf_client import render_pdf
from gaji.documents.tax_certificates import certificate_sets, repository, version_repository
from gaji.documents.tax_certificates import generate_certificates as generation
from gaji.documents.tax_certificates.certificate import (
    IdentifiedContent,
    StoredCertificate,
    TaxCertificate,
    is_current,
)
from gaji.documents.tax_certificates.current_certificates import generator_version, load_current
from gaji.documents.tax_certificates.explanations import BoxExplanation, explain_boxes
from gaji.documents.tax_certificates.exports import store_files
from gaji.documents.tax_certificates.pdf_context import FormData
from gaji.documents.tax_certificates.printed_forms import load_forms
from gaji.documents.tax_certificates.repository import CertificateDraft
from gaji.documents.tax_certificates.schemas import GENERATE_CERTIFICATES, GenerateCertificatesInput, review_json
from gaji.documents.tax_certificates.versions import Replacement, find_replacement
from gaji.identity.roles import require_writer
from gaji.people.employees import directory
from gaji.people.employees.access import lock_employee, require_readable_employee

NOT_CALCULATED = "Employees can read their own certificates but not how they were calculated"


class CertificatePdf(NamedTuple):
    """A certificate as PDF."""

    content: bytes
    name: str
    """With the year and the employee number."""
    certificate: TaxCertificate


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
    new_set: tuple[int, int] | None
    """The number of the set that reports them, and the number of its records. None if nothing changed."""


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
        await repository.record_year(tx, client_id, year, len(certificates), generator_version())
        return result, validated


async def find_client_id(tenant: Tenant, certificate_id: int) -> int:
    """Return the client of a certificate that the caller may see."""
    async with tenant.read_only() as tx:
        employee_id = await repository.find_employee_id(tx, certificate_id) or _raise_not_found(certificate_id)
        return await require_readable_employee(tx, employee_id)


async def release_certificate(tenant: Tenant, certificate_id: int) -> bool:
    """Make a certificate visible to the employee. Returns False if it was released before.

    Raises Conflict if it is out of date.
    """
    async with tenant.transaction() as tx:
        employee_id = await repository.find_employee_id(tx, certificate_id) or _raise_not_found(certificate_id)
        client_id = await lock_employee(tx, employee_id)
        await repository.lock_certificates(tx, client_id)
        stored = await repository.lock_certificate(tx, client_id, certificate_id) or _raise_not_found(certificate_id)
        year = stored.certificate.year
        if await _find_outdated(tx, client_id, [stored]):
            raise Conflict(
                f"The figures of certificate {certificate_id} have changed since it was generated; "
                f"generate the certificates of {year} again first"
            )
        await _release(tx, client_id, year, [stored])
        return not stored.certificate.released


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
        generated = await load_current(tx, client_id, year, stored)
        await _require_current(tx, client_id, year, stored, generated)
        await _release(tx, client_id, year, list(stored.values()))
        new_set = await certificate_sets.record_set(tx, client_id, year, stored)
        if new_set:
            await store_files(tx, client_id, year, new_set[0])
        ids = [certificate.id for certificate, _ in stored.values() if not certificate.released]
        return ReleaseResult(year, sorted(ids), len(stored) - len(ids), new_set), validated


async def _release(tx: Transaction, client_id: int, year: int, stored: Sequence[StoredCertificate]) -> None:
    """Release certificates that are up to date."""
    ids = [certificate.id for certificate, _ in stored]
    employee_ids = [certificate.employee_id for certificate, _ in stored]
    await repository.mark_clean(tx, client_id, ids)
    await repository.delete_changes(tx, client_id, year, employee_ids)
    released_ids = await repository.mark_released(tx, client_id, ids)
    await certificate_sets.record_versions(tx, client_id, year, stored)
    tx.emit(ResourceEvent(EventType.TAX_CERTIFICATE_RELEASED, client_id, tuple(released_ids)))


async def _require_current(
    tx: Transaction,
    client_id: int,
    year: int,
    stored: Mapping[int, StoredCertificate],
    generated: Mapping[int, IdentifiedContent],
) -> None:
    # Without income in the year, there is still something to release if an earlier set reported some.
    if not stored and (generated or not await version_repository.load_sets(tx, client_id, year)):
        raise Conflict(f"No certificates of {year} have been generated")
    changed = sum(
        not is_current(stored.get(employee_id), generated.get(employee_id))
        for employee_id in stored.keys() | generated.keys()
    )
    if changed:
        noun = "1 certificate" if changed == 1 else f"{changed:,} certificates"
        verb = "is" if changed == 1 else "are"
        raise Conflict(
            f"{noun} of {year} {verb} missing or out of date; generate the certificates again first. None was released"
        )


async def list_released(
    tenant: Tenant, employee_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> CertificatePage:
    """List the released certificates of an employee."""
    async with tenant.snapshot() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        stored, total = await repository.list_released(tx, client_id, employee_id, page, filters)
        outdated = await _find_outdated(tx, client_id, stored)
    elements = [json_text(certificate.to_json(certificate.id in outdated)) for certificate, _ in stored]
    return CertificatePage(elements, total, _rules_versions(stored))


async def read_pdf(tenant: Tenant, certificate_id: int) -> CertificatePdf:
    """Return a released certificate as PDF."""
    async with tenant.read_only() as tx:
        stored = await repository.find_released(tx, certificate_id) or _raise_not_found(certificate_id)
        source = await _load_source(tx, stored)
    return await _render(tenant.caller.account_id, stored.certificate, source)


async def read_preview(tenant: Tenant, certificate_id: int) -> CertificatePdf:
    """Return a certificate as PDF for officers, released or not. One that is not released is marked as a draft."""
    async with tenant.read_only() as tx:
        employee_id = await repository.find_employee_id(tx, certificate_id) or _raise_not_found(certificate_id)
        client_id = await require_readable_employee(tx, employee_id)
        await require_officer(tx, client_id, NOT_CALCULATED)
        stored = await repository.find_certificate(tx, client_id, certificate_id) or _raise_not_found(certificate_id)
        source = await _load_source(tx, stored)
    return await _render(tenant.caller.account_id, stored.certificate, source, "-preview")


async def _render(
    account_id: int, certificate: TaxCertificate, source: tuple[FormData, str], suffix: str = ""
) -> CertificatePdf:
    data, number = source
    content = await render_pdf(account_id, "ir8a", data, certificate.generated_on)
    return CertificatePdf(content, f"IR8A-{certificate.year}-{portable_number(number)}{suffix}.pdf", certificate)


async def _load_source(tx: Transaction, stored: StoredCertificate) -> tuple[FormData, str]:
    """Load what the form shows, and the number of the employee."""
    certificate = stored.certificate
    [form] = await load_forms(tx, certificate.client_id, certificate.year, [stored])
    labels = await directory.load_employee_labels(tx, certificate.client_id, [certificate.employee_id])
    return form, labels[certificate.employee_id].number


async def explain_certificate(tenant: Tenant, certificate_id: int) -> tuple[list[BoxExplanation], TaxCertificate, bool]:
    """Return the payslips and rules behind each box, the certificate, and whether its figures are out of date."""
    async with tenant.snapshot() as tx:
        employee_id = await repository.find_employee_id(tx, certificate_id) or _raise_not_found(certificate_id)
        client_id = await require_readable_employee(tx, employee_id)
        await require_officer(tx, client_id, NOT_CALCULATED)
        stored = await repository.find_certificate(tx, client_id, certificate_id) or _raise_not_found(certificate_id)
        is_outdated = bool(await _find_outdated(tx, client_id, [stored]))
        return await explain_boxes(tx, client_id, stored.certificate), stored.certificate, is_outdated


async def list_for_review(
    tenant: Tenant, client_id: int, page: ListPage | None, filters: Filters, order: ListOrder | None = None
) -> CertificatePage:
    """List the certificates of a client with their figures, released or not."""
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        stored, total = await repository.list_by_client(tx, client_id, page, filters, order)
        outdated = await _find_outdated(tx, client_id, stored)
        replacements = await _load_replacements(tx, client_id, stored)
    elements = await run_in_thread_if_many(
        len(stored),
        lambda: [
            json_text(review_json(certificate, certificate.id in outdated, replacements.get(certificate.id)))
            for certificate, _ in stored
        ],
    )
    return CertificatePage(elements, total, _rules_versions(stored))


async def _save(
    tx: Transaction, client_id: int, year: int, generated: Mapping[int, IdentifiedContent]
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
    outdated = [
        employee_id for employee_id in stored if not is_current(stored[employee_id], generated.get(employee_id))
    ]
    changed = [employee_id for employee_id in outdated if employee_id in generated]
    obsolete = [stored[employee_id].certificate.id for employee_id in outdated if employee_id not in generated]
    released = [stored[employee_id] for employee_id in outdated if stored[employee_id].certificate.released]
    # Certificates that were released before versions were recorded have none yet.
    await certificate_sets.record_versions(tx, client_id, year, released)
    await repository.insert(tx, client_id, year, [drafts[employee_id] for employee_id in new])
    await repository.replace(tx, client_id, year, [drafts[employee_id] for employee_id in changed])
    await repository.mark_clean(tx, client_id, [ids[employee_id] for employee_id in stored.keys() - set(outdated)])
    await repository.delete(tx, client_id, obsolete)
    withdrawn = sum(stored[employee_id].certificate.released for employee_id in changed)
    return GenerationResult(year, sorted(ids[employee_id] for employee_id in generated), withdrawn, len(obsolete))


async def _find_outdated(tx: Transaction, client_id: int, stored: Sequence[StoredCertificate]) -> set[int]:
    """Return the ids of the certificates that are out of date.

    Employees cannot see all payslips of a certificate. For them, those count that were marked when a run changed.
    """
    if not await is_officer(tx, client_id):
        return {certificate.id for certificate, _ in stored if certificate.dirty}
    outdated: set[int] = set()
    for year, certificates in _by_year(stored).items():
        by_employee = {certificate.certificate.employee_id: certificate for certificate in certificates}
        generated = await load_current(tx, client_id, year, by_employee, list(by_employee))
        outdated |= {
            certificate.certificate.id
            for employee_id, certificate in by_employee.items()
            if not is_current(certificate, generated.get(employee_id))
        }
    return outdated


async def _load_replacements(
    tx: Transaction, client_id: int, stored: Sequence[StoredCertificate]
) -> dict[int, Replacement]:
    """Return what certificates replace, by id. Certificates that replace nothing are omitted."""
    replacements: dict[int, Replacement] = {}
    for year, certificates in _by_year(stored).items():
        employee_ids = [certificate.employee_id for certificate, _ in certificates]
        versions = await version_repository.load_versions(tx, client_id, year, employee_ids)
        for certificate in certificates:
            history = versions.get(certificate.certificate.employee_id, ())
            if replacement := find_replacement(certificate.identified, history):
                replacements[certificate.certificate.id] = replacement
    return replacements


def _by_year(stored: Sequence[StoredCertificate]) -> dict[int, list[StoredCertificate]]:
    by_year: dict[int, list[StoredCertificate]] = {}
    for certificate in stored:
        by_year.setdefault(certificate.certificate.year, []).append(certificate)
    return by_year


def _rules_versions(stored: Iterable[StoredCertificate]) -> set[str]:
    return {version for certificate, _ in stored for version in certificate.content.rules_versions}


def _raise_not_found(certificate_id: int) -> NoReturn:
    raise NotFound(f"Tax certificate {certificate_id} does not exist")
