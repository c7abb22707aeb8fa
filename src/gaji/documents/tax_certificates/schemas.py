"""Request and response schemas for tax certificates."""

from typing import Any

import msgspec

from gaji.core import clock, json_schemas
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Integer, JsonSchema
from gaji.core.json_schemas import IDENTIFIER, SAVED_MANY
from gaji.core.validation import Attribute, Record, Schema
from gaji.documents.certainty import CERTAINTY, OWN_LAYOUT
from gaji.documents.tax_certificates import appendix_8a, appendix_8b
from gaji.documents.tax_certificates.appendices import APPENDIX_8A, APPENDIX_8B, appendices_json
from gaji.documents.tax_certificates.boxes import AMOUNT_CAPTIONS, BOXES, OTHERS, TOTAL, BoxCategory, dollars_by_box
from gaji.documents.tax_certificates.certificate import TaxCertificate
from gaji.documents.tax_certificates.versions import Replacement
from gaji.engine.money import decimal_text

YEAR = Integer(2000, 2199)
YEAR_IN_FUTURE = ErrorCode("year_in_future", "must not be after {current_year}")


def _check_not_in_future(record: Record, errors: Errors) -> None:
    current_year = clock.today().year
    if record["year"] is not None and record["year"] > current_year:
        errors.add("year", YEAR_IN_FUTURE, current_year=current_year)


class GenerateCertificatesInput(msgspec.Struct, frozen=True, kw_only=True):
    """A valid request to generate certificates."""

    year: int


GENERATE_CERTIFICATES = Schema(
    "tax_certificates",
    (Attribute("year", YEAR, "The year of income.", required=True, example=2026),),
    rules=(_check_not_in_future,),
    read_only=(),
    struct=GenerateCertificatesInput,
)

DATE: JsonSchema = {"type": "string", "format": "date"}
DOLLAR_BOXES = [*(box.item for box in BOXES.values() if box.category != BoxCategory.OTHER_INCOME), OTHERS, TOTAL]
AMOUNT_KEYS = list(AMOUNT_CAPTIONS)

NULLABLE_TEXT: JsonSchema = {"type": ["string", "null"]}
CHANGES: JsonSchema = {
    "type": "array",
    "items": {
        "type": "object",
        "title": "CertificateChange",
        "required": ["item", "caption", "before", "after"],
        "properties": {
            "item": {"type": "string", "description": "A box or a part of one, or a detail such as `name`."},
            "caption": {"type": "string"},
            "before": NULLABLE_TEXT,
            "after": NULLABLE_TEXT,
        },
    },
}
CERTIFICATE: JsonSchema = {
    "type": "object",
    "title": "TaxCertificate",
    "required": ["id", "name", "date", "worked_from", "worked_to", "dirty"],
    "properties": {
        "id": IDENTIFIER,
        "name": {"type": "string"},
        "date": DATE,
        "worked_from": DATE,
        "worked_to": DATE,
        "dirty": {"type": "boolean", "description": "Whether the figures have changed since it was generated."},
    },
}
EXAMPLE: dict[str, Any] = {
    "id": 7,
    "name": "IR8A 2026",
    "date": "2026-12-31",
    "worked_from": "2026-01-01",
    "worked_to": "2026-12-31",
    "dirty": False,
}
_REVIEW_PROPERTIES: dict[str, JsonSchema] = {
    "employee_id": IDENTIFIER,
    "released": {"type": "boolean"},
    "boxes": {
        "type": "object",
        "description": "The boxes of form IR8A that take whole dollars, and the total of a, b, c and d.",
        "required": DOLLAR_BOXES,
        "properties": {name: {"type": "integer"} for name in DOLLAR_BOXES},
    },
    "amounts": {
        "type": "object",
        "description": "The same amounts in cents, with the parts of boxes b and d. Zero amounts are omitted.",
        "properties": {name: {"type": "string", "pattern": r"^-?\d+\.\d{2}$"} for name in AMOUNT_KEYS},
    },
    "bonus_declared": {"type": "array", "items": DATE},
    "directors_fee_approved": {"type": "array", "items": DATE},
    "section_45": {"type": "boolean", "description": "Whether tax was withheld on director's fees."},
    "replaces": {
        "type": ["object", "null"],
        "description": "The released version that this certificate replaces. Null if there is none.",
        "required": ["version", "released_on", "changes"],
        "properties": {"version": {"type": "integer", "minimum": 1}, "released_on": DATE, "changes": CHANGES},
    },
    "appendix_8a": APPENDIX_8A,
    "appendix_8b": APPENDIX_8B,
}
REVIEWED: JsonSchema = {
    **CERTIFICATE,
    "title": "ReviewedTaxCertificate",
    "required": [*CERTIFICATE["required"], *_REVIEW_PROPERTIES],
    "properties": {**CERTIFICATE["properties"], **_REVIEW_PROPERTIES},
}
REVIEWED_EXAMPLE: dict[str, Any] = {
    **EXAMPLE,
    "employee_id": 12,
    "released": False,
    "boxes": dict.fromkeys(DOLLAR_BOXES, 0) | {"a": 60000, "b": 5000, "total": 65000, "cpf": 13000},
    "amounts": {"a": "60000.50", "b.non_contractual": "5000.00", "cpf": "13000.00"},
    "bonus_declared": ["2026-12-18"],
    "directors_fee_approved": [],
    "section_45": False,
    "replaces": {
        "version": 1,
        "released_on": "2027-01-11",
        "changes": [
            {
                "item": "a",
                "caption": "a Gross salary, fees, leave pay, wages and overtime pay",
                "before": "58000.50",
                "after": "60000.50",
            }
        ],
    },
    "appendix_8a": appendix_8a.appendix_json([], 0),
    "appendix_8b": appendix_8b.appendix_json([], 0),
}
AMOUNT: JsonSchema = {"type": "string", "pattern": r"^-?\d+\.\d{2}$"}
_SOURCE_PROPERTIES: dict[str, JsonSchema] = {
    "payslip_id": IDENTIFIER,
    "date": DATE | {"description": "The last day of the pay period."},
    "pay_date": DATE,
    "item": {"type": "string"},
    "caption": {"type": "string"},
    "amount": AMOUNT | {"description": "The part of the line that is income of the year."},
    "rule": {"type": "string", "description": "The rule that gives the year of income."},
    "source": {"type": "string"},
}
_RECORD_PROPERTIES: dict[str, JsonSchema] = {
    "type": {"enum": ["benefit_in_kind", "share_gain"]},
    "id": IDENTIFIER,
    "date": DATE | {"description": "The day that gives the year of income."},
    "caption": {"type": "string"},
    "amount": AMOUNT,
    "rule": {"type": "string", "description": "The rule that gives the amount."},
    "source": {"type": "string"},
    "arithmetic": {"type": "array", "items": {"type": "string"}},
}
_BOX_PROPERTIES: dict[str, JsonSchema] = {
    "box": {"enum": AMOUNT_KEYS},
    "caption": {"type": "string"},
    "amount": AMOUNT,
    "take_on": AMOUNT | {"description": "The part that comes from take-on balances."},
    "rules": {"type": "array", "items": {"type": "string"}},
    "payslips": {
        "type": "array",
        "items": {"type": "object", "required": list(_SOURCE_PROPERTIES), "properties": _SOURCE_PROPERTIES},
    },
    "records": {
        "type": "array",
        "description": "Benefits in kind and share gains.",
        "items": {"type": "object", "required": list(_RECORD_PROPERTIES), "properties": _RECORD_PROPERTIES},
    },
}
EXPLANATION: JsonSchema = {
    "type": "object",
    "title": "TaxCertificateExplanation",
    "required": ["dirty", "boxes"],
    "properties": {
        "dirty": {"type": "boolean", "description": "Whether the figures have changed since it was generated."},
        "boxes": {
            "type": "array",
            "items": {"type": "object", "required": list(_BOX_PROPERTIES), "properties": _BOX_PROPERTIES},
        },
    },
}
_EXAMPLE_RULE = "Salary belongs to the year in which it was earned, whenever it is paid."
EXPLANATION_EXAMPLE: dict[str, Any] = {
    "dirty": False,
    "boxes": [
        {
            "box": "a",
            "caption": "a Gross salary, fees, leave pay, wages and overtime pay",
            "amount": "5000.00",
            "take_on": "0.00",
            "rules": [_EXAMPLE_RULE],
            "payslips": [
                {
                    "payslip_id": 7,
                    "date": "2026-12-31",
                    "pay_date": "2027-01-07",
                    "item": "basic_salary",
                    "caption": "Basic salary",
                    "amount": "5000.00",
                    "rule": _EXAMPLE_RULE,
                    "source": "IRAS, common mistakes made in filing form IR21",
                }
            ],
            "records": [],
        }
    ],
}
GENERATED: JsonSchema = {
    **SAVED_MANY,
    "examples": [{"message": "2 certificates for 2026 have been generated", "ids": [7, 8]}],
}


def review_json(certificate: TaxCertificate, dirty: bool, replacement: Replacement | None) -> dict[str, object]:
    """Return a certificate with its figures, as the API returns it for review."""
    figures = certificate.content.figures
    return {
        **certificate.to_json(dirty),
        "employee_id": certificate.employee_id,
        "released": certificate.released,
        "boxes": dollars_by_box(figures.amounts),
        "amounts": {key: decimal_text(cents) for key, cents in figures.amounts.items()},
        "bonus_declared": figures.declared,
        "directors_fee_approved": figures.approved,
        "section_45": figures.section_45,
        "replaces": replacement.to_json() if replacement else None,
        **appendices_json(figures),
    }


OPEN_POINTS: JsonSchema = {
    "type": "array",
    "items": {
        "type": "object",
        "title": "OpenPoint",
        "required": ["code", "message"],
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
    },
}
STATES = ["missing", "outdated", "ready", "released"]
YEAR_END_CHECK: JsonSchema = {
    "type": "object",
    "title": "YearEndCheck",
    "required": ["year", "complete", "employee_count", "must_submit", "counts", "points", "employees"],
    "properties": {
        "year": {"type": "integer"},
        "complete": {"type": "boolean", "description": "Whether nothing is left to be done."},
        "employee_count": {"type": "integer", "minimum": 0, "description": "Employees in service in the year."},
        "must_submit": {
            "type": "boolean",
            "description": "Whether the employer must submit electronically because of that number.",
        },
        "counts": {
            "type": "object",
            "description": "Certificates by state.",
            "required": STATES,
            "properties": {state: {"type": "integer", "minimum": 0} for state in STATES},
        },
        "points": OPEN_POINTS | {"description": "Open points of the company."},
        "employees": {
            "type": "array",
            "items": {
                "type": "object",
                "title": "YearEndEmployee",
                "required": ["employee_id", "number", "name", "certificate_id", "state", "points"],
                "properties": {
                    "employee_id": IDENTIFIER,
                    "number": {"type": "string"},
                    "name": {"type": "string"},
                    "certificate_id": {"type": ["integer", "null"]},
                    "state": {"enum": STATES},
                    "points": OPEN_POINTS,
                },
            },
        },
    },
}
YEAR_END_EXAMPLE = {
    "year": 2026,
    "complete": False,
    "employee_count": 15,
    "must_submit": True,
    "counts": {"missing": 0, "outdated": 0, "ready": 1, "released": 0},
    "points": [{"code": "uen_missing", "message": "The company has no UEN"}],
    "employees": [
        {
            "employee_id": 12,
            "number": "12",
            "name": "Mei Ling Tan",
            "certificate_id": 7,
            "state": "ready",
            "points": [{"code": "certificate_not_released", "message": "The certificate is not released"}],
        }
    ],
}
RECORD_KINDS = ["original", "revised"]
CERTIFICATE_SET: JsonSchema = {
    "type": "object",
    "title": "TaxCertificateSet",
    "required": ["number", "year", "amended", "released_at", "released_by", "record_count", "revisions"],
    "properties": {
        "number": {"type": "integer", "minimum": 1},
        "year": {"type": "integer"},
        "amended": {"type": "boolean", "description": "False for the first set of a year, which has all certificates."},
        "released_at": json_schemas.TIMESTAMP,
        "released_by": NULLABLE_TEXT | {"description": "The name or email address of the user."},
        "record_count": {"type": "integer", "minimum": 0},
        "revisions": {
            "type": "array",
            "description": "The records of an amended set. Empty for the first set.",
            "items": {
                "type": "object",
                "title": "TaxCertificateRevision",
                "required": ["record", "certificate_id", "employee_id", "number", "name", "changes"],
                "properties": {
                    "record": {
                        "enum": RECORD_KINDS,
                        "description": "`revised` overwrites the record with the same identity number.",
                    },
                    "certificate_id": IDENTIFIER,
                    "employee_id": IDENTIFIER,
                    "number": {"type": "string"},
                    "name": {"type": "string"},
                    "changes": CHANGES,
                },
            },
        },
    },
}
SET_EXAMPLE: dict[str, Any] = {
    "number": 2,
    "year": 2026,
    "amended": True,
    "released_at": "2027-02-15T10:30:00.000000+08:00",
    "released_by": "Mei Ling Tan",
    "record_count": 1,
    "revisions": [
        {
            "record": "revised",
            "certificate_id": 7,
            "employee_id": 12,
            "number": "12",
            "name": "Mei Ling Tan",
            "changes": REVIEWED_EXAMPLE["replaces"]["changes"],
        }
    ],
}
EXPORT_FILE: JsonSchema = {
    "type": "object",
    "title": "TaxCertificateFile",
    "required": ["name", "year", "set", "certainty", "accepted", "media_type", "part", "parts", "records", "errors"],
    "properties": {
        "name": {"type": "string", "description": "The last part of the path of the download."},
        "year": {"type": "integer"},
        "set": {"type": "integer", "minimum": 1, "description": "The number of the set. From 2 on, it is amended."},
        "certainty": CERTAINTY,
        "accepted": {
            "type": "boolean",
            "description": "Whether IRAS takes records of the year now: after its end, and for four years more.",
        },
        "media_type": {"type": "string"},
        "part": {"type": "integer", "minimum": 1},
        "parts": {"type": "integer", "minimum": 1},
        "records": {"type": "integer", "minimum": 1, "maximum": 2000},
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Why the file cannot be downloaded. Empty if it can.",
        },
    },
}
EXPORT_EXAMPLE = {
    "name": "ir8a_2026_1.json",
    "year": 2026,
    "set": 1,
    "certainty": OWN_LAYOUT.to_json(),
    "accepted": False,
    "media_type": "application/json",
    "part": 1,
    "parts": 1,
    "records": 15,
    "errors": {},
}
EXPORT_DOCUMENT: JsonSchema = {
    "type": "object",
    "title": "TaxCertificateExport",
    "required": ["form", "year", "year_of_assessment", "amendment", "part", "parts", "employer", "records"],
    "properties": {
        "form": {"const": "IR8A"},
        "year": {"type": "integer"},
        "year_of_assessment": {"type": "integer"},
        "amendment": {"type": "integer", "minimum": 0, "description": "0 for the first set, then that of the set."},
        "part": {"type": "integer", "minimum": 1},
        "parts": {"type": "integer", "minimum": 1},
        "employer": {"type": "object", "description": "Name, UEN and address."},
        "records": {"type": "array", "items": {"type": "object"}, "description": "The records of the set."},
    },
}
EXPORT_DOCUMENT_EXAMPLE: dict[str, Any] = {
    "form": "IR8A",
    "year": 2026,
    "year_of_assessment": 2027,
    "amendment": 0,
    "part": 1,
    "parts": 1,
    "employer": {"name": "Merlion Logistics Pte Ltd", "uen": "202699999E", "address": []},
    "records": [
        {
            "record": "original",
            "certificate_id": 7,
            "employee_id": 12,
            "boxes": {"a": 50400},
            "amounts": {"a": "50400.00"},
            "changes": [],
        }
    ],
}
