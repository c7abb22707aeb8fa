"""Payslips as attachments of mail, always encrypted."""

from gaji.company.clients.queries import load_client_features
from gaji.core.errors import NotFound
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.documents.payslips import repository
from gaji.documents.payslips.pdf_context import has_password
from gaji.documents.payslips.service import load_documents, render_document
from gaji.mail.attachments import PdfAttachment
from gaji.payroll.payslips.summaries import load_summary
from gaji.tasks.client_transactions import client_transaction


async def load_attachment(pool: Pool, vault: Vault, client_id: int, payslip_id: int) -> PdfAttachment | None:
    """Return a payslip as an encrypted PDF.

    Return None if the payslip does not exist or is no longer released, if the client no longer wants attachments, or if
    there is no password that the employee knows. No database connection is held while the PDF is rendered.
    """
    try:
        async with client_transaction(pool, vault, client_id, "repeatable_read") as tx:
            summary = await load_summary(tx, payslip_id)
            features = await load_client_features(tx, client_id)
            if not (summary.released and features["payslip_attachments"]):
                return None
            documents = await load_documents(tx, [payslip_id])
            if not documents:
                return None
            document = documents[0]
            identity_document = await repository.find_identity_document(
                tx, client_id, summary.employee_id, document.row["identity"]
            )
            account_id = tx.caller.account_id
    except NotFound:
        return None
    if not has_password(document.row):
        return None
    content = await render_document(account_id, document, is_encrypted=True)
    return PdfAttachment(document.file_name, content, identity_document)
