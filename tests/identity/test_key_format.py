"""The format of a key: a prefix, random characters and a checksum."""

from hypothesis import given
from hypothesis import strategies as st

from gaji.identity.key_format import ALPHABET, PREFIX, RANDOM_CHARACTERS, generate_key, is_well_formed

LENGTH = len(generate_key())
characters = st.sampled_from(ALPHABET)


def test_a_new_key_is_well_formed_and_never_the_same() -> None:
    keys = {generate_key() for _ in range(1000)}
    assert len(keys) == 1000
    assert all(is_well_formed(key) for key in keys)


@given(position=st.integers(0, LENGTH - 1), other=characters)
def test_one_changed_character_is_noticed(position: int, other: str) -> None:
    key = generate_key()
    changed = key[:position] + other + key[position + 1 :]
    assert is_well_formed(changed) == (changed == key)


@given(position=st.integers(len(PREFIX), LENGTH - 2))
def test_two_swapped_characters_are_noticed(position: int) -> None:
    key = generate_key()
    swapped = key[:position] + key[position + 1] + key[position] + key[position + 2 :]
    assert is_well_formed(swapped) == (swapped == key)


@given(st.text())
def test_no_other_text_is_well_formed_or_an_error(text: str) -> None:
    assert not is_well_formed(text)
    assert not is_well_formed(PREFIX + text[:RANDOM_CHARACTERS].ljust(RANDOM_CHARACTERS, "é") + "000000")
