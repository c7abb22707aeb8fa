"""What is unusual about the UEN and the CPF submission number of a company, in words."""

from gaji.company.clients.number_notes import load_number_notes
from gaji.console.error_messages import error_text
from gaji.console.glossary import company_label
from gaji.console.request import PageRequest
from gaji.core.errors import FieldError

SUBMISSION_NUMBER = "cpf_submission_number"


def number_text(note: FieldError) -> str:
    """Return a note with the name of the number."""
    return f"{company_label(note.path)}: {error_text(note)}"


async def load_number_texts(request: PageRequest, client_id: int) -> list[str]:
    """Return what is unusual about the numbers of a company."""
    notes = await load_number_notes(request.tenant_of_all_companies, [client_id])
    return [number_text(note) for note in notes.get(client_id, [])]
