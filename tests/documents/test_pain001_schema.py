"""Payment files in ISO 20022 are valid against a schema of the message."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.documents.giro.batch import GiroPayee
from gaji.documents.giro.rules import payee_errors
from tests.documents.test_giro import MEI, PAIN_03, PAIN_09, RAVI, batch

SCHEMAS = Path(__file__).parent / "iso20022"
VERSIONS = {"03": PAIN_03, "09": PAIN_09}
every_version = pytest.mark.parametrize("version", VERSIONS)


@cache
def schema(version: str) -> xmlschema.XMLSchema:
    """Return the schema of a version of the message."""
    return xmlschema.XMLSchema(SCHEMAS / f"pain.001.001.{version}.xsd")


def encode(version: str, *payees: GiroPayee) -> str:
    """Return a message with these payments."""
    return VERSIONS[version].encode(batch(*payees)).decode()


@every_version
def test_a_message_is_valid(version: str) -> None:
    schema(version).validate(encode(version, MEI, replace(RAVI, pay_date=date(2026, 2, 2))))


def test_a_message_with_paynow_is_valid() -> None:
    schema("09").validate(encode("09", replace(MEI, paynow="+6591234567"), replace(RAVI, paynow="S1234567D")))


@every_version
@settings(max_examples=20)
@given(name=st.text(min_size=1, max_size=200), cents=st.integers(1, 10**14))
def test_a_message_is_valid_whatever_the_name_and_the_amount(version: str, name: str, cents: int) -> None:
    payee = replace(MEI, name=f"Tan {name}", amount_cents=cents)
    if not payee_errors(VERSIONS[version], batch(payee)):
        schema(version).validate(encode(version, payee))


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("<PmtMtd>TRF</PmtMtd>", ""),
        lambda text: text.replace("<PmtMtd>TRF", "<PmtMtd>GIRO"),
        lambda text: text.replace('Ccy="SGD"', ""),
        lambda text: text.replace("<NbOfTxs>2", "<NbOfTxs>two"),
        lambda text: text.replace("</Cdtr>", "</Cdtr><Other/>"),
        lambda text: text.replace("DBSSSGSGXXX", "DBS"),
    ],
)
@every_version
def test_the_schema_rejects_a_damaged_message(version: str, damage: Callable[[str], str]) -> None:
    text = encode(version, MEI, RAVI)
    assert damage(text) != text
    assert not schema(version).is_valid(damage(text))


def test_the_versions_differ() -> None:
    assert not schema("09").is_valid(encode("03", MEI))
    assert not schema("03").is_valid(encode("09", MEI))
