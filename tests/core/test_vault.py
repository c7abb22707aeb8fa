"""Sealed values that are bound to their cell, and independent hashes."""

import hmac
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.core.vault import DecryptionError, SealedCell, Vault, _derive, mask, new_secret

CELL = SealedCell(client_id=1, table="clients", row_id=2, column="account_number_sealed")
VAULT = Vault(b"a secret that is long enough for this")
ids = st.integers(0, 2**63 - 1)
cells = st.builds(SealedCell, ids, st.sampled_from(["clients", "employees"]), ids, st.sampled_from(["nric", "fin"]))


@given(st.text(st.characters(exclude_categories=["Cs"])), cells)
def test_a_sealed_value_opens_in_its_cell(plain: str, cell: SealedCell) -> None:
    assert VAULT.open(VAULT.seal(plain, cell), cell) == plain


@given(cells, cells)
def test_a_sealed_value_opens_in_no_other_cell(cell: SealedCell, other: SealedCell) -> None:
    sealed = VAULT.seal("S1234567D", cell)
    if cell != other:
        with pytest.raises(DecryptionError):
            VAULT.open(sealed, other)


@pytest.mark.parametrize(
    "other",
    [CELL._replace(client_id=2), CELL._replace(row_id=3), CELL._replace(column="nric"), CELL._replace(table="x")],
)
def test_a_sealed_value_is_bound_to_client_row_and_column(other: SealedCell) -> None:
    with pytest.raises(DecryptionError):
        VAULT.open(VAULT.seal("0012345678", CELL), other)


def test_cells_with_ambiguous_digits_are_distinct() -> None:
    assert bytes(SealedCell(1, "a", 12, "b")) != bytes(SealedCell(11, "a", 2, "b"))


def test_a_sealed_value_does_not_open_with_another_secret() -> None:
    with pytest.raises(DecryptionError):
        Vault(b"another secret").open(VAULT.seal("0012345678", CELL), CELL)


@pytest.mark.parametrize("position", [0, 11, 12, -1])
def test_a_modified_sealed_value_does_not_open(position: int) -> None:
    sealed = bytearray(VAULT.seal("0012345678", CELL))
    sealed[position] ^= 1
    with pytest.raises(DecryptionError):
        VAULT.open(bytes(sealed), CELL)


@pytest.mark.parametrize("sealed", [b"", b"short", b"x" * 12])
def test_bytes_that_were_never_sealed_do_not_open(sealed: bytes) -> None:
    with pytest.raises(DecryptionError):
        VAULT.open(sealed, CELL)


def test_the_same_value_is_sealed_differently_each_time() -> None:
    assert len({VAULT.seal("0012345678", CELL) for _ in range(100)}) == 100


def test_api_key_hashes_lookup_hashes_and_encryption_use_separate_keys() -> None:
    secret = b"a secret that is long enough for this"
    derived = {purpose: _derive(secret, purpose) for purpose in ("sealing", "lookup", "api keys")}
    assert len({*derived.values(), secret}) == 4
    assert VAULT.api_key_hash("x") == hmac.digest(derived["api keys"], b"x", sha256)
    assert VAULT.api_key_hash("nric/x") != VAULT.lookup_hash("nric", "x")


def test_a_lookup_hash_is_the_same_only_for_the_same_value_and_column() -> None:
    assert VAULT.lookup_hash("nric", "S1234567D") == VAULT.lookup_hash("nric", "S1234567D")
    assert VAULT.lookup_hash("nric", "S1234567D") != VAULT.lookup_hash("fin", "S1234567D")
    assert VAULT.lookup_hash("nric", "S1234567D") != VAULT.lookup_hash("nric", "S1234568B")
    assert VAULT.lookup_hash("nric", "x") != Vault(b"another secret").lookup_hash("nric", "x")


def test_the_hash_of_an_identifier_is_keyed_and_bound_to_its_client_and_column() -> None:
    identifier_hash = VAULT.identifier_hash(7, "nric", "S1234567D")
    assert identifier_hash == VAULT.identifier_hash(7, "nric", "S1234567D")
    others = {
        VAULT.identifier_hash(8, "nric", "S1234567D"),
        VAULT.identifier_hash(7, "fin", "S1234567D"),
        VAULT.identifier_hash(7, "nric", "S1234568B"),
        Vault(b"another secret").identifier_hash(7, "nric", "S1234567D"),
        VAULT.lookup_hash("7/nric", "S1234567D"),
    }
    assert len(others | {identifier_hash}) == 6


def test_the_hash_of_an_api_key_is_keyed() -> None:
    assert VAULT.api_key_hash("x") != Vault(b"another secret").api_key_hash("x")
    assert VAULT.api_key_hash("x") != sha256(b"x").digest()


def test_the_hashing_of_api_keys_can_be_carried_over_to_a_new_secret() -> None:
    rotated = Vault(b"another secret", VAULT.api_key_hashing)
    assert rotated.api_key_hash("x") == VAULT.api_key_hash("x")
    assert rotated.lookup_hash("nric", "x") != VAULT.lookup_hash("nric", "x")


@given(st.text())
def test_a_masked_value_shows_at_most_the_last_four_characters(value: str) -> None:
    text = mask(value)
    assert len(text) == len(value)
    if len(value) > 4:
        assert text[-4:] == value[-4:]
        assert set(text[:-4]) == {"*"}
    else:
        assert set(text) <= {"*"}


def test_a_new_secret_is_long_and_never_the_same() -> None:
    assert len({new_secret() for _ in range(100)}) == 100
    assert len(new_secret()) >= 43
