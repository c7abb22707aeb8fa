"""Stored JSON without personal values: inputs of payslips, pay items, certificates."""

from typing import Any

PERSON = "person"
"""The key of the employee's details in the inputs of a payslip."""
EMPLOYEE = "employee"
"""The key of the employee in a certificate."""
TEXTS = frozenset({"description", "address", "reason", "note", "metadata", "external_id"})
"""Keys of free texts, which may name people."""
ERASED_BIRTHDATE = "1900-01-01"


def scrub_document(document: Any, employee_id: int) -> Any:
    """Return stored JSON without personal values. Amounts and dates of pay stay.

    >>> scrub_document({"person": {"birthdate": "1990-04-12", "legal_status": "PR"}, "amount": 5}, 7)
    {'person': {'birthdate': '1900-01-01', 'legal_status': 'CITIZEN'}, 'amount': 5}
    >>> scrub_document([{"description": "for Mei Ling", "rate": "2"}], 7)
    [{'rate': '2'}]
    >>> scrub_document({"employee_id": 7, "employee_number": "HR-12"}, 7)
    {'employee_id': 7, 'employee_number': 'erased-7'}
    """
    if isinstance(document, list):
        return [scrub_document(item, employee_id) for item in document]
    if not isinstance(document, dict):
        return document
    names = [key for key, value in document.items() if not _is_text(key, value)]
    scrubbed = {key: _scrub_value(key, document[key], employee_id) for key in names}
    if document.get("employee_id") == employee_id and "employee_number" in document:
        scrubbed["employee_number"] = f"erased-{employee_id}"
    return scrubbed


def _is_text(key: str, value: Any) -> bool:
    return key in TEXTS and not isinstance(value, int)


def _scrub_value(key: str, value: Any, employee_id: int) -> Any:
    if key == PERSON and isinstance(value, dict):
        return {"birthdate": ERASED_BIRTHDATE, "legal_status": "CITIZEN"}
    if key == EMPLOYEE and isinstance(value, dict):
        return {
            "number": f"erased-{employee_id}",
            "name": f"Erased employee {employee_id}",
            "identifier_kind": "nric",
            "birthdate": ERASED_BIRTHDATE,
            "gender": "M",
            "nationality": "SG",
        }
    return scrub_document(value, employee_id)
