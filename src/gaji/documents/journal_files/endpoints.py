"""Journal file endpoints."""

import msgspec

from gaji.core import json_schemas
from gaji.documents.journal_files import service
from gaji.documents.journal_files.schemas import EXAMPLE, JOURNAL_FILE
from gaji.web.operations import Request, Response, Router

router = Router("Accounting")

FILES = "/payment_runs/{payment_run_id}/accounting/files"


@router.get(
    FILES,
    response_schema=json_schemas.list_schema("file", JOURNAL_FILE),
    has_rules_version=True,
    error_statuses=[409],
    example=[{"file": EXAMPLE}],
)
async def list_journal_files(request: Request) -> Response:
    """List the files of the journal of a finalised payment run, each with any unmapped items."""
    files = await service.list_files(request.tenant, request.ids["payment_run_id"])
    response = Response(msgspec.json.encode([{"file": file.to_json()} for file in files]))
    return response.with_rules_version(version for file in files for version in file.rules_versions)


@router.get(
    f"{FILES}/{{name}}",
    path_schemas={"name": {"type": "string", "minLength": 1, "examples": ["journal.csv"]}},
    file_types=(service.MEDIA_TYPE,),
    has_rules_version=True,
    error_statuses=[409, 422],
    allows_replica=True,
)
async def download_journal_file(request: Request) -> Response:
    """Download a file of the journal of a finalised payment run for an accounting program."""
    file = await service.read_file(request.tenant, request.ids["payment_run_id"], request.names["name"])
    headers = {"Content-Disposition": f'attachment; filename="{file.file_name}"'}
    response = Response(file.data or b"", headers=headers, media_type=f"{service.MEDIA_TYPE}; charset=utf-8")
    return response.with_rules_version(file.rules_versions)
