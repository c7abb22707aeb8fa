"""Payslips on paper over HTTP."""

from gaji.documents.payslips import service
from gaji.web.operations import Answer, Call, Routes

routes = Routes("Documents")

PDF = "application/pdf"


@routes.get("/payslips/{payslip_id}.pdf", files=[PDF], by_rules=True, statuses=[409])
async def read_payslip_pdf(call: Call) -> Answer:
    """A payslip as PDF."""
    pdf, paper = await service.read_pdf(call.tenant, call.ids["payslip_id"])
    headers = {"Content-Disposition": f'inline; filename="{paper.file_name}"'}
    return Answer(pdf, headers=headers, media_type=PDF).by_rules([paper.rules_version])
