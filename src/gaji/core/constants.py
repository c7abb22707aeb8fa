"""Every closed list of the API, by its name."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType

import pycountry

from gaji.core.validation import OneOf


@dataclass(frozen=True)
class Entry:
    """One value that may be written, and its name for a person."""

    value: str | int
    name: str


def _countries() -> tuple[Entry, ...]:
    entries = (Entry(country.alpha_2, country.name) for country in pycountry.countries)
    return tuple(sorted(entries, key=lambda entry: entry.name))


def _load() -> Mapping[str, tuple[Entry, ...]]:
    text = resources.files("gaji.core").joinpath("constants.toml").read_text()
    lists = {name: tuple(Entry(**row) for row in rows) for name, rows in tomllib.loads(text).items()}
    countries = _countries()
    return MappingProxyType({**lists, "country_code": countries, "nationality": countries})


LISTS: Mapping[str, tuple[Entry, ...]] = _load()


def one_of(name: str) -> OneOf:
    """The kind of an attribute that takes its values from this list."""
    return OneOf(tuple(entry.value for entry in LISTS[name]), name)
