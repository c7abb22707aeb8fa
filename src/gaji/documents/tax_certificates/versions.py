"""The versions of a certificate: what it said each time it was released, and what changed between two of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from msgspec.structs import replace

from gaji.core.vault import mask
from gaji.documents.tax_certificates.boxes import AMOUNT_CAPTIONS
from gaji.documents.tax_certificates.certificate import CertificateContent, IdentifiedContent
from gaji.documents.tax_certificates.figures import IncomeFigures
from gaji.engine.money import decimal_text

PARTICULARS: Mapping[str, tuple[str, Callable[[CertificateContent], object]]] = {
    "name": ("Name", lambda content: content.employee.name),
    "identifier_kind": ("Kind of identity number", lambda content: content.employee.identifier_kind),
    "birthdate": ("Date of birth", lambda content: content.employee.birthdate),
    "gender": ("Gender", lambda content: content.employee.gender),
    "job_title": ("Designation", lambda content: content.employee.job_title),
    "commenced": ("Commenced", lambda content: content.commenced),
    "ceased": ("Ceased", lambda content: content.ceased),
    "bonus_declared": ("Bonus declared", lambda content: content.figures.declared),
    "directors_fee_approved": ("Director's fee approved", lambda content: content.figures.approved),
    "commission_from": ("Commission from", lambda content: content.figures.commission_from),
    "commission_to": ("Commission to", lambda content: content.figures.commission_to),
    "commission_for": ("Kind of commission", lambda content: content.figures.commission_for),
    "benefits": ("Benefits in kind", lambda content: content.figures.benefits),
    "appendix_8a": ("Appendix 8A", lambda content: [line.summary for line in content.figures.benefit_lines]),
    "appendix_8b": ("Appendix 8B", lambda content: [line.summary for line in content.figures.share_gain_lines]),
    "section_45": ("Tax withheld, section 45", lambda content: content.figures.section_45),
}
"""What is reported besides amounts and the identity number. A wrong address or nationality needs no amendment."""
IDENTIFIER, IDENTIFIER_CAPTION = "identifier", "Identity number"


class CertificateVersion(NamedTuple):
    """A certificate as it was released. Versions of an employee and a year are numbered from 1."""

    employee_id: int
    version: int
    certificate_id: int
    identified: IdentifiedContent
    released_on: date
    set_number: int | None
    """The set of the year that reports it. None if another version was released before a set was."""

    @property
    def is_withdrawn(self) -> bool:
        """Whether it reports that there is no income."""
        return not self.identified.content.figures


@dataclass(frozen=True)
class CertificateChange:
    """An amount or a detail that differs between two versions."""

    item: str
    """An amount key such as `a`, or a detail such as `name`."""
    caption: str
    before: str | None
    after: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the change as the API returns it."""
        return {"item": self.item, "caption": self.caption, "before": self.before, "after": self.after}


@dataclass(frozen=True)
class Replacement:
    """The version that a certificate replaces, and what changed."""

    version: CertificateVersion
    changes: Sequence[CertificateChange]

    def to_json(self) -> dict[str, Any]:
        """Return the replaced version as the API returns it."""
        return {
            "version": self.version.version,
            "released_on": self.version.released_on,
            "changes": [change.to_json() for change in self.changes],
        }


def list_changes(before: IdentifiedContent, after: IdentifiedContent) -> list[CertificateChange]:
    """Return what changed of what is reported: amounts in the order of the form, then details."""
    return [*_amount_changes(before, after), *_particular_changes(before, after)]


def find_replacement(identified: IdentifiedContent, versions: Sequence[CertificateVersion]) -> Replacement | None:
    """Return what a certificate replaces: the last version that says something else. Versions are in order."""
    earlier = versions[:-1] if versions and versions[-1].identified == identified else versions
    if not earlier:
        return None
    return Replacement(earlier[-1], list_changes(earlier[-1].identified, identified))


def last_reported(versions: Sequence[CertificateVersion], before_set: int | None = None) -> CertificateVersion | None:
    """Return the last version that a set has reported, or that a set before another one has."""
    reported = [
        version
        for version in versions
        if version.set_number is not None and (before_set is None or version.set_number < before_set)
    ]
    return reported[-1] if reported else None


def without_income(identified: IdentifiedContent) -> IdentifiedContent:
    """Return a certificate that reports no income, to overwrite one that should not have been submitted."""
    content = replace(identified.content, figures=IncomeFigures(), take_on_cents={})
    return IdentifiedContent(content, identified.identifier)


def _amount_changes(before: IdentifiedContent, after: IdentifiedContent) -> Iterator[CertificateChange]:
    old, new = before.content.figures.amounts, after.content.figures.amounts
    for key, caption in AMOUNT_CAPTIONS.items():
        if old.get(key, 0) != new.get(key, 0):
            yield CertificateChange(key, caption, decimal_text(old.get(key, 0)), decimal_text(new.get(key, 0)))


def _particular_changes(before: IdentifiedContent, after: IdentifiedContent) -> Iterator[CertificateChange]:
    if before.identifier != after.identifier:
        yield CertificateChange(IDENTIFIER, IDENTIFIER_CAPTION, _masked(before.identifier), _masked(after.identifier))
    for item, (caption, value_of) in PARTICULARS.items():
        old, new = value_of(before.content), value_of(after.content)
        if old != new:
            yield CertificateChange(item, caption, _text(old), _text(new))


def _masked(identifier: str | None) -> str | None:
    return mask(identifier) if identifier else None


def _text(value: object) -> str | None:
    """Return a detail as text. Nothing is None."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(map(str, value)) or None
    return str(value) if value else None
