"""The page that led to a form, because something has to be repaired. The user gets back to it after saving."""

import re
from collections.abc import Mapping

CLIENT_IDS = r"client_id=[0-9]{1,18}(?:&client_id=[0-9]{1,18}){0,49}"
VALUE_DATE = r"value_date=[0-9]{4}-[0-9]{2}-[0-9]{2}"
FURTHER_RETURN = r"return_to=[A-Za-z0-9/%_.~-]{1,3000}"
"""Where the page of a pay run leads back to. That page checks it."""
RETURN_PATH = re.compile(
    rf"/payment_runs/[0-9]{{1,18}}(?:/finalise)?(?:\?{FURTHER_RETURN})?"
    rf"|/payment_runs/[0-9]{{1,18}}/files(?:\?{VALUE_DATE})?"
    rf"|/companies(?:\?show=[a-z_]{{1,20}})?"
    rf"|/companies/cpf_files\?{CLIENT_IDS}|/companies/payment_files\?{CLIENT_IDS}(?:&{VALUE_DATE})?"
    rf"|/companies/steps\?step=(?:open|finalise|mark_paid|release)&{CLIENT_IDS}"
)


def return_path(values: Mapping[str, str]) -> str:
    """Return the page that led to a form. Other paths are ignored."""
    path = values.get("return_to", "")
    return path if RETURN_PATH.fullmatch(path) else ""


def return_text(path: str) -> str:
    """Return what the page is called after "return to".

    >>> return_text("/companies/cpf_files?client_id=1"), return_text("/companies/steps?step=release&client_id=1")
    ('the CPF files', 'the pay runs')
    >>> return_text("/companies?show=details")
    'the companies'
    """
    if path.partition("?")[0] == "/companies":
        return "the companies"
    if path.startswith("/companies/cpf_files"):
        return "the CPF files"
    if path.startswith("/companies/payment_files"):
        return "the payment files"
    return "the pay runs" if path.startswith("/companies/") else "the pay run"
