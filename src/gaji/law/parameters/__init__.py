"""The figures of the law: dated, sourced, read from TOML and checked once.

A subject (CPF, SDL, …) is one file in this folder. Each of its keys is a history: a unit, and values that each say from
when they hold and which law or publication says so, newest on top. A history has no gaps: a value holds until the next
one begins, the newest until the month that the file says it covers. Outside of that there is no value, and asking for
one raises LawDoesNotCover.

An operator's folder may hold files of the same names. Such a file is laid over ours, key by key and date by date: a
new date adds a value, a known one replaces it, and `covered_until` can be moved. With `replace = true` it takes the
place of ours entirely. Whatever is wrong in it is refused with the file, the key and the reason.
"""

from gaji.law.parameters.files import ParameterFiles, from_text, read_files
from gaji.law.parameters.history import DatedValue, History, MonthNotCovered
from gaji.law.parameters.parser import InvalidParameterFile, SubjectReader, TableReader

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
