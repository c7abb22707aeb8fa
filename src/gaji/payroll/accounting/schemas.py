"""What accounting looks like in an answer."""

from typing import Any

from gaji.core.validation import JsonSchema
from gaji.payroll.accounting.rules import ACCOUNT
from gaji.web import schemas

TEXT: JsonSchema = {"type": "string"}
SPLIT: JsonSchema = {"type": "object", "required": ["id", "name"], "properties": {"id": TEXT, "name": TEXT}}
SPLIT_LIST: JsonSchema = {"type": "array", "items": SPLIT}
SPLITS: JsonSchema = {
    "type": "object",
    "title": "AccountingSplits",
    "required": ["mode", "splits"],
    "properties": {"mode": {"enum": ["none", "pay_point", "employee"]}, "splits": SPLIT_LIST},
}
SPLITS_SAVED: JsonSchema = {
    "type": "object",
    "required": ["message", "id", "splits"],
    "properties": {**schemas.SAVED["properties"], "splits": SPLIT_LIST},
}
SHARES: JsonSchema = {
    "type": "object",
    "title": "EmployeeAccountingSplits",
    "additionalProperties": {"type": "number", "exclusiveMinimum": 0, "maximum": 100},
}
GIVEN_SHARES: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": ["number", "string"], "description": "A percentage with at most 2 decimals."},
    "examples": [{"3": 60, "4": 40}],
}
ACCOUNT_ELEMENT: JsonSchema = {
    "type": "object",
    "title": "Account",
    "required": [one.name for one in ACCOUNT.attributes],
    "properties": {one.name: TEXT | {"description": one.description} for one in ACCOUNT.attributes},
}
ACCOUNT_LIST: JsonSchema = {"type": "array", "items": schemas.wrapped("account", ACCOUNT.json_schema())}
GIVEN_ACCOUNTS: JsonSchema = {
    "anyOf": [ACCOUNT_LIST, {"type": "object", "required": ["accounts"], "properties": {"accounts": ACCOUNT_LIST}}],
    "examples": [[{"account": schemas.example(ACCOUNT)}]],
}
POSTINGS: JsonSchema = {
    "type": "array",
    "items": {
        "type": "object",
        "title": "Posting",
        "required": ["category", "line_item", "label", "amount"],
        "properties": {
            "category": TEXT | {"description": "The heading of the item."},
            "line_item": TEXT | {"description": "The item, or `nett_pay`."},
            "label": TEXT | {"description": "The account."},
            "amount": {
                "type": "object",
                "additionalProperties": {"type": "number"},
                "description": "By the ID of a split; under the empty string when there are no splits.",
            },
        },
    },
}
JOURNAL: JsonSchema = {
    "type": "object",
    "title": "AccountingJournal",
    "required": ["posted_to_accounting_system", "accounting_splits", "debit", "credit"],
    "properties": {
        "posted_to_accounting_system": {"type": "boolean"},
        "accounting_splits": SPLIT_LIST,
        "debit": POSTINGS,
        "credit": POSTINGS,
    },
}


def _posting(category: str, line_item: str, label: str, amount: float) -> dict[str, Any]:
    return {"category": category, "line_item": line_item, "label": label, "amount": {"": amount}}


JOURNAL_EXAMPLE = [
    {
        "posted_to_accounting_system": False,
        "accounting_splits": [],
        "debit": [
            _posting("Earnings", "basic_salary", "Salaries and wages", 3000.00),
            _posting("CPF", "cpf_employer", "Employer CPF", 510.00),
        ],
        "credit": [
            _posting("CPF", "cpf_employee", "CPF payable", 600.00),
            _posting("CPF", "cpf_employer", "CPF payable", 510.00),
            _posting("Nett pay", "nett_pay", "Salaries payable", 2400.00),
        ],
    }
]
