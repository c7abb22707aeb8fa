"""The encodings of a set of certificates, in our own shape.

IRAS gives the field names of its interface (AIS-API 2.0) to registered vendors only. An encoding for it would be one
more `ExportFormat`; nothing else depends on the shape.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import msgspec
from msgspec.structs import asdict

from gaji.company.clients.queries import Employer
from gaji.documents.tax_certificates.appendices import APPENDIX_LINES, appendices_json
from gaji.documents.tax_certificates.boxes import dollars_by_box
from gaji.documents.tax_certificates.certificate_sets import SetRecord
from gaji.engine.money import decimal_text
from gaji.tabular import JSON, XLSX
from gaji.tabular.cells import Cell
from gaji.tabular.xlsx_writer import XlsxWorkbook

ExportRecord = Mapping[str, Any]
CHANGES = "changes"


@dataclass(frozen=True)
class ExportHead:
    """Which part of a set a file has, and the employer as it is now."""

    year: int
    amendment: int
    """0 for the first set of the year, then the number of the amended set."""
    part: int
    parts: int
    employer: Employer


@dataclass(frozen=True)
class ExportFormat:
    """An encoding of exported certificates.

    The records are encoded when a set is released. A download adds the head to them.
    """

    extension: str
    media_type: str
    encode_records: Callable[[int, Sequence[ExportRecord]], bytes]
    add_head: Callable[[ExportHead, bytes], bytes]


def export_record(record: SetRecord) -> ExportRecord:
    """Return a record as it is exported. Boxes are in whole dollars, amounts in dollars and cents."""
    content, identifier = record.identified
    employee, figures = content.employee, content.figures
    return {
        "record": record.kind,
        "certificate_id": record.version.certificate_id,
        "version": record.version.version,
        "employee_id": record.version.employee_id,
        "number": employee.number,
        "name": employee.name,
        "identifier_kind": employee.identifier_kind,
        "identifier": identifier,
        "birthdate": employee.birthdate,
        "gender": employee.gender,
        "nationality": employee.nationality,
        "job_title": employee.job_title or None,
        "address": employee.address,
        "worked_from": content.worked_from,
        "worked_to": content.worked_to,
        "commenced": content.commenced,
        "ceased": content.ceased,
        "boxes": dollars_by_box(figures.amounts),
        "amounts": {key: decimal_text(cents) for key, cents in figures.amounts.items()},
        "bonus_declared": figures.declared,
        "directors_fee_approved": figures.approved,
        "commission_from": figures.commission_from,
        "commission_to": figures.commission_to,
        "commission_for": figures.commission_for,
        "benefits": figures.benefits,
        "section_45": figures.section_45,
        CHANGES: [change.to_json() for change in record.changes],
        **appendices_json(figures),
    }


def encode_json_records(year: int, records: Sequence[ExportRecord]) -> bytes:
    """Return the records of a part as a JSON array."""
    return msgspec.json.encode(records)


def add_json_head(head: ExportHead, records: bytes) -> bytes:
    """Return a part as JSON."""
    document = {
        "form": "IR8A",
        "year": head.year,
        "year_of_assessment": head.year + 1,
        "amendment": head.amendment,
        "part": head.part,
        "parts": head.parts,
        "employer": asdict(head.employer),
        "records": msgspec.Raw(records),
    }
    return msgspec.json.encode(document)


def encode_xlsx(year: int, records: Sequence[ExportRecord]) -> bytes:
    """Return a part as a spreadsheet: one row for each certificate, with `boxes` and `amounts` as columns.

    The appendices are sheets of their own, with one row for each benefit and each share gain.
    """
    file = BytesIO()
    workbook = XlsxWorkbook(file)
    _write_sheet(workbook, f"IR8A {year}", [_flatten(record) for record in records])
    for appendix, (title, lines) in APPENDIX_LINES.items():
        _write_sheet(workbook, f"{title} {year}", list(_appendix_rows(records, appendix, lines)))
    workbook.close()
    return file.getvalue()


def _write_sheet(workbook: XlsxWorkbook, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    sheet = workbook.add_sheet(columns, title)
    for row in rows:
        sheet.append([_cell(row.get(name)) for name in columns])


def _appendix_rows(records: Sequence[ExportRecord], appendix: str, lines: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of an appendix, each with the certificate that it belongs to."""
    for record in records:
        for line in record[appendix][lines]:
            yield {name: record[name] for name in ("certificate_id", "employee_id", "name", "identifier")} | line


def _flatten(record: ExportRecord) -> dict[str, Any]:
    """Return the cells of a record. Objects become columns such as `boxes.a`, and lists one text."""
    cells: dict[str, Any] = {}
    for name, value in record.items():
        if name == CHANGES:
            cells[name] = "; ".join(f"{change['item']}: {change['before']} → {change['after']}" for change in value)
        elif name in APPENDIX_LINES:
            cells[f"{name}.ir8a"] = value["ir8a"]
        elif isinstance(value, Mapping):
            cells |= {f"{name}.{key}": child for key, child in value.items()}
        else:
            cells[name] = "; ".join(map(str, value)) if isinstance(value, list) else value
    return cells


def _cell(value: Any) -> Cell:
    return value if value is None or isinstance(value, bool | int) else str(value)


EXPORT_FORMATS = (
    ExportFormat("json", JSON, encode_json_records, add_json_head),
    ExportFormat("xlsx", XLSX, encode_xlsx, lambda head, workbook: workbook),
)
FORMATS_BY_EXTENSION = {export_format.extension: export_format for export_format in EXPORT_FORMATS}
