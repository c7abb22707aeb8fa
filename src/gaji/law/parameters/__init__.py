"""Statutory parameters: dated, sourced, read from TOML and validated once at start-up.

Each subject (CPF, SDL, …) is one file in this directory. Each key in it is a history: a unit, and values with the date
from which they apply and the law or publication they come from, newest first. A history has no gaps: a value applies
until the next one starts, and the newest until the last month that the file covers. Looking up a month outside that
range raises MonthNotCovered.

An operator's directory may contain files of the same names. Such a file is merged into the built-in one by key and
date: a new date adds a value, an existing date replaces one, and `covered_until` can be changed. With `replace = true`
the file replaces the built-in one completely. Errors are reported with the file, the key and the reason.
"""

from gaji.law.errors import InvalidParameterFile
from gaji.law.parameters.files import ParameterFiles, from_text, read_files
from gaji.law.parameters.history import DatedValue, History, MonthNotCovered
from gaji.law.parameters.parser import SubjectReader, TableReader

__all__ = [
    "DatedValue",
    "History",
    "InvalidParameterFile",
    "MonthNotCovered",
    "ParameterFiles",
    "SubjectReader",
    "TableReader",
    "from_text",
    "read_files",
]
