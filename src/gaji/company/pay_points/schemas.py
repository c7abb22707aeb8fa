"""Request and response schemas of pay points."""

import msgspec

from gaji.company.addresses import PHYSICAL_ADDRESS, CompanyAddress
from gaji.core import json_schemas
from gaji.core.external_references import METADATA_SCHEMA, REFERENCES
from gaji.core.field_types import JsonSchema, Text
from gaji.core.validation import Attribute, Schema


class PayPointInput(msgspec.Struct, frozen=True, kw_only=True):
    """The writable attributes of a pay point."""

    name: str
    physical_address: CompanyAddress
    external_id: str | None = None
    metadata: dict[str, str] = {}


PAY_POINT = Schema(
    "pay_point",
    (
        Attribute("name", Text(min_length=1), "Name, unique in the client.", required=True, example="Changi outlet"),
        PHYSICAL_ADDRESS,
        *REFERENCES,
    ),
    struct=PayPointInput,
)

PAY_POINT_SCHEMA: JsonSchema = json_schemas.resource_schema(PAY_POINT, "PayPoint")
PAY_POINT_SCHEMA["properties"]["metadata"] = METADATA_SCHEMA
PAY_POINT_EXAMPLE = json_schemas.resource_example(PAY_POINT, id=3) | {
    "client_id": 1,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
