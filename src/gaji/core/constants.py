"""The closed lists of the API, by name."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType

import pycountry

from gaji.core.field_types import OneOf


@dataclass(frozen=True)
class ConstantEntry:
    """One value of a list, and its name for people."""

    value: str | int
    name: str


def _countries() -> tuple[ConstantEntry, ...]:
    entries = (ConstantEntry(country.alpha_2, country.name) for country in pycountry.countries)
    return tuple(sorted(entries, key=lambda entry: entry.name))


def _load() -> Mapping[str, tuple[ConstantEntry, ...]]:
    text = resources.files("gaji.core").joinpath("constants.toml").read_text()
    lists = {name: tuple(ConstantEntry(**row) for row in rows) for name, rows in tomllib.loads(text).items()}
    countries = _countries()
    return MappingProxyType({**lists, "country_code": countries, "nationality": countries})


CONSTANT_LISTS: Mapping[str, tuple[ConstantEntry, ...]] = _load()


def one_of(name: str) -> OneOf:
    """Return the type of an attribute that takes its values from this list."""
    return OneOf(tuple(entry.value for entry in CONSTANT_LISTS[name]), name)
