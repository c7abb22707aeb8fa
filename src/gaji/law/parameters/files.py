"""The parameter files: ours, an operator's laid over them, and the version that their content gives."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from gaji.law.parameters.parser import Document, InvalidParameterFile, SubjectReader, TableReader

VERSION_LENGTH = 12


@dataclass(frozen=True)
class ParameterFiles:
    """All parameter files as they were parsed, an operator's laid over ours."""

    documents: Mapping[str, Document]
    names: Mapping[str, str]
    """Where each document comes from, for the person who has to correct it."""

    def subject(self, name: str) -> SubjectReader:
        """The file of a subject, ready to be read."""
        if name not in self.documents:
            raise InvalidParameterFile(f"{name}.toml", "", "is missing")
        return SubjectReader(name, self.names[name], self.documents[name])

    @property
    def text(self) -> str:
        """All content in one canonical form, from which `from_text` makes the same files again."""
        return json.dumps(self.documents, sort_keys=True, default=_as_json, ensure_ascii=True, separators=(",", ":"))

    @property
    def version(self) -> str:
        """The rules version: the same content has the same on every platform, however its files are laid out."""
        return sha256(self.text.encode()).hexdigest()[:VERSION_LENGTH]


def read_files(overrides: Path | None = None) -> ParameterFiles:
    """Our parameter files, with those of an operator's folder laid over them."""
    folder = resources.files("gaji.law").joinpath("parameters")
    ours = [entry for entry in folder.iterdir() if entry.name.endswith(".toml")]
    documents: dict[str, Document] = {
        entry.name[: -len(".toml")]: _parse(entry.name, entry.read_bytes()) for entry in ours
    }
    names = {subject: f"{subject}.toml" for subject in documents}
    known = sorted(names.values())
    for path in _visible_files(overrides):
        if path.name not in known:
            raise InvalidParameterFile(str(path), "", f"no subject has this name; there are {', '.join(known)}")
        document = _parse(str(path), path.read_bytes())
        documents[path.stem] = _laid_over(documents[path.stem], document, str(path))
        names[path.stem] = str(path)
    return ParameterFiles(documents, names)


def from_text(text: str) -> ParameterFiles:
    """The files that gave this canonical text, to compute once more with an earlier rules version."""
    documents: dict[str, Document] = json.loads(text, object_hook=_from_json)
    return ParameterFiles(documents, {subject: f"{subject}.toml" for subject in documents})


def _visible_files(folder: Path | None) -> list[Path]:
    """All files of the folder but hidden ones: one that was ignored for its name would count for nothing in silence."""
    if folder is None:
        return []
    if not folder.is_dir():
        raise InvalidParameterFile(str(folder), "", "is not a folder")
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def _parse(file: str, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode(), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise InvalidParameterFile(file, "", f"is not TOML: {wrong}") from None


def _laid_over(ours: Document, theirs: dict[str, Any], file: str) -> Document:
    """Their document over ours: key by key, and in each key date by date."""
    replace = theirs.pop("replace", False)
    if not isinstance(replace, bool):
        raise InvalidParameterFile(file, "replace", f"must be true or false, not {replace!r}")
    if replace:
        return theirs
    merged = dict(ours)
    for key, value in theirs.items():
        before = ours.get(key)
        merged[key] = _history_over(before, value, file, key) if isinstance(before, Mapping) else value
    return merged


def _history_over(ours: Document, theirs: object, file: str, key: str) -> Document:
    """Their history over ours: theirs where the dates are the same, newest first."""
    table = TableReader(file, key, theirs)
    rows = {row["from"]: row for row in ours["values"]}
    seen: set[date] = set()
    for entry in table.tables("values") if "values" in table else []:
        since = entry.day("from")
        if since in seen:
            raise table.error("values", f"has two values from {since}")
        seen.add(since)
        _check_nothing_lost(rows.get(since, {}), TableReader(file, f"{key} from {since}", entry.content))
        rows[since] = entry.content
    newest_first = [rows[since] for since in sorted(rows, reverse=True)]
    return {**ours, **table.content, "values": newest_first}


def _check_nothing_lost(ours: Document, theirs: TableReader) -> None:
    """Refuse a value in the place of one of ours that lacks a field of it: what ours says there would be lost."""
    for name, value in ours.items():
        if name not in theirs:
            raise theirs.error(name, "is missing, but the value that this one replaces has it")
        if isinstance(value, Mapping):
            _check_nothing_lost(value, theirs.table(name))


def _as_json(value: object) -> object:
    """What JSON has no word for: dates, and numbers that are not whole."""
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else {"decimal": str(value.normalize())}
    raise TypeError(f"{value!r} has no place in a parameter file")


def _from_json(fields: dict[str, Any]) -> object:
    match fields:
        case {"date": str(text)}:
            return date.fromisoformat(text)
        case {"decimal": str(text)}:
            return Decimal(text)
    return fields
