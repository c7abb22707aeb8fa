"""Account mapping endpoints."""

from gaji.core import json_schemas
from gaji.db.json_lists import slice_page
from gaji.payroll.account_mappings import service
from gaji.payroll.account_mappings.schemas import (
    ACCOUNT_MAPPING,
    EXPORT_SETTINGS,
    MAPPING_ELEMENT,
    MAPPINGS_REQUEST,
    SETTINGS_EXAMPLE,
    SETTINGS_RESPONSE,
)
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Accounting")

MAPPINGS = "/clients/{client_id}/account_mappings"
SETTINGS = "/clients/{client_id}/accounting_export_settings"
MAPPINGS_SAVED = "The account mappings have been saved"


@router.get(
    MAPPINGS,
    response_schema=json_schemas.list_schema("account_mapping", MAPPING_ELEMENT),
    paged=True,
    example=[{"account_mapping": json_schemas.resource_example(ACCOUNT_MAPPING)}],
)
async def list_account_mappings(request: Request) -> Response:
    """List the accounts of the client's accounting program for its ledger accounts."""
    mappings = await service.list_mappings(request.tenant, request.ids["client_id"])
    return request.list_response("account_mapping", slice_page(mappings, request.page))


@router.put(MAPPINGS, body_schema=MAPPINGS_REQUEST, response_schema=json_schemas.SAVED, error_statuses=[403, 422])
async def replace_account_mappings(request: Request) -> Response:
    """Replace all account mappings of a client."""
    client_id = request.ids["client_id"]
    warnings = await service.replace_mappings(request.tenant, client_id, request.json_value)
    return saved_response(MAPPINGS_SAVED, id=client_id, warnings=warnings)


@router.patch(MAPPINGS, body_schema=MAPPINGS_REQUEST, response_schema=json_schemas.SAVED, error_statuses=[403, 422])
async def change_account_mappings(request: Request) -> Response:
    """Change some account mappings of a client. One without code and name is removed."""
    client_id = request.ids["client_id"]
    warnings = await service.change_mappings(request.tenant, client_id, request.json_value)
    return saved_response(MAPPINGS_SAVED, id=client_id, warnings=warnings)


@router.get(SETTINGS, response_schema=SETTINGS_RESPONSE, example=SETTINGS_EXAMPLE)
async def read_accounting_export_settings(request: Request) -> Response:
    """Return the settings of the files for accounting programs."""
    return json_response(await service.read_settings(request.tenant, request.ids["client_id"]))


@router.patch(
    SETTINGS,
    body_schema=EXPORT_SETTINGS.json_schema(partial=True),
    response_schema=json_schemas.SAVED,
    error_statuses=[403, 422],
)
async def update_accounting_export_settings(request: Request) -> Response:
    """Change the settings of the files for accounting programs. Null returns a setting to its default."""
    client_id = request.ids["client_id"]
    warnings = await service.update_settings(request.tenant, client_id, request.body)
    return saved_response("The settings have been saved", id=client_id, warnings=warnings)
