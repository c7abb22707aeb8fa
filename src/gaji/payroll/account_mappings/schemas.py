"""Request and response schemas of account mappings and of the settings of accounting exports."""

import msgspec

from gaji.core import json_schemas
from gaji.core.constants import one_of
from gaji.core.field_types import JsonSchema, Text
from gaji.core.validation import Attribute, Schema
from gaji.payroll.accounting.schemas import ItemName

MAX_MAPPINGS = 5000
NAME = Text(min_length=1, max_length=100)


class AccountMapping(msgspec.Struct, frozen=True, kw_only=True):
    """The account of an accounting program for a ledger account, for all items and splits or for one."""

    account: str
    item: str | None = None
    split_id: str | None = None
    code: str | None = None
    name: str | None = None

    @property
    def key(self) -> tuple[str, str | None, str | None]:
        """What identifies a mapping: the ledger account, the item and the split."""
        return self.account, self.item, self.split_id

    @property
    def is_blank(self) -> bool:
        """Whether it names no account of the program."""
        return self.code is None and self.name is None


class ExportSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the imports of accounting programs need to know beyond the accounts."""

    xero_tax_rate: str
    xero_tracking_category: str | None
    quickbooks_date_format: str
    quickbooks_split_column: str | None


ACCOUNT_MAPPING: Schema[AccountMapping] = Schema(
    "account_mapping",
    (
        Attribute(
            "account",
            NAME,
            "Ledger account, as journals show it (`label`).",
            required=True,
            example="Salaries and wages",
        ),
        Attribute("item", ItemName(), "Payslip item. Default: every item.", example="basic_salary"),
        Attribute("split_id", Text(min_length=1, max_length=50), "ID of a split. Default: every split.", example="4"),
        Attribute("code", NAME, "Code of the account in the accounting program. Xero needs it.", example="477"),
        Attribute(
            "name",
            NAME,
            "Name of the account in the accounting program, a sub-account as `Parent:Child`. QuickBooks needs it.",
            example="Payroll expenses:Wages",
        ),
    ),
    read_only=(),
    struct=AccountMapping,
)
EXPORT_SETTINGS: Schema[ExportSettings] = Schema(
    "accounting_export_settings",
    (
        Attribute(
            "xero_tax_rate",
            NAME,
            "Tax rate of journal lines, with the full name that it has in Xero.",
            default="No Tax (0%)",
            example="No Tax (0%)",
        ),
        Attribute(
            "xero_tracking_category",
            NAME,
            "Tracking category in Xero whose options are the splits. Default: splits are not exported to Xero.",
            example="Department",
        ),
        Attribute(
            "quickbooks_date_format",
            one_of("quickbooks_date_format"),
            "Date format that is chosen when the file is uploaded to QuickBooks.",
            default="DD/MM/YYYY",
        ),
        Attribute(
            "quickbooks_split_column",
            one_of("quickbooks_split_column"),
            "Column for splits in QuickBooks. Default: splits are not exported to QuickBooks.",
        ),
    ),
    read_only=(),
    struct=ExportSettings,
)

NULLABLE_TEXT: JsonSchema = {"type": ["string", "null"]}
MAPPING_ELEMENT: JsonSchema = {
    "type": "object",
    "title": "AccountMapping",
    "required": [attribute.name for attribute in ACCOUNT_MAPPING.attributes],
    "properties": {
        attribute.name: ({"type": "string"} if attribute.required else NULLABLE_TEXT)
        | {"description": attribute.description}
        for attribute in ACCOUNT_MAPPING.attributes
    },
}
MAPPING_LIST: JsonSchema = {
    "type": "array",
    "maxItems": MAX_MAPPINGS,
    "items": json_schemas.wrapped_schema("account_mapping", ACCOUNT_MAPPING.json_schema()),
}
MAPPINGS_REQUEST: JsonSchema = {
    "anyOf": [
        MAPPING_LIST,
        {"type": "object", "required": ["account_mappings"], "properties": {"account_mappings": MAPPING_LIST}},
    ],
    "examples": [[{"account_mapping": json_schemas.resource_example(ACCOUNT_MAPPING)}]],
}
SETTINGS_RESPONSE: JsonSchema = {
    "type": "object",
    "title": "AccountingExportSettings",
    "required": [attribute.name for attribute in EXPORT_SETTINGS.attributes],
    "properties": {
        "xero_tax_rate": {"type": "string"},
        "xero_tracking_category": NULLABLE_TEXT,
        "quickbooks_date_format": {"type": "string"},
        "quickbooks_split_column": NULLABLE_TEXT,
    },
}
SETTINGS_EXAMPLE = {
    "xero_tax_rate": "No Tax (0%)",
    "xero_tracking_category": "Department",
    "quickbooks_date_format": "DD/MM/YYYY",
    "quickbooks_split_column": None,
}
