"""The parameter files: the built-in ones, an operator's overrides, and the version of their content."""

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

from gaji.law.errors import InvalidParameterFile
from gaji.law.parameters.parser import Document, SubjectReader, TableReader

VERSION_LENGTH = 12


@dataclass(frozen=True)
class ParameterFiles:
    """All parsed parameter files, with an operator's overrides merged in."""

    documents: Mapping[str, Document]
    names: Mapping[str, str]
    """The file name of each document, for error messages."""

    def subject(self, name: str) -> SubjectReader:
        """Return a reader for the file of a subject."""
        if name not in self.documents:
            raise InvalidParameterFile(f"{name}.toml", "", "is missing")
        return SubjectReader(name, self.names[name], self.documents[name])

    def with_subjects_of(self, newer: "ParameterFiles") -> "ParameterFiles":
        """Return these files, with the subjects that newer files added and without the keys that they removed."""
        documents = dict(newer.documents)
        for subject in newer.documents.keys() & self.documents.keys():
            known = newer.documents[subject]
            documents[subject] = {key: value for key, value in self.documents[subject].items() if key in known}
        return ParameterFiles(documents, {**newer.names, **self.names})

    @property
    def text(self) -> str:
        """All content in canonical form. `from_text` gives the same files again."""
        return json.dumps(self.documents, sort_keys=True, default=_to_json, ensure_ascii=True, separators=(",", ":"))

    @property
    def version(self) -> str:
        """The rules version: a hash of the content, independent of platform and file layout."""
        return sha256(self.text.encode()).hexdigest()[:VERSION_LENGTH]


def read_files(overrides: Path | None = None) -> ParameterFiles:
    """Read the built-in parameter files and merge in those of an operator's directory."""
    directory = resources.files("gaji.law").joinpath("parameters")
    built_in = [entry for entry in directory.iterdir() if entry.name.endswith(".toml")]
    documents: dict[str, Document] = {
        entry.name[: -len(".toml")]: _parse(entry.name, entry.read_bytes()) for entry in built_in
    }
    names = {subject: f"{subject}.toml" for subject in documents}
    known_names = sorted(names.values())
    for path in _visible_files(overrides):
        if path.name not in known_names:
            reason = f"is not the file of a subject; the subjects are {', '.join(known_names)}"
            raise InvalidParameterFile(str(path), "", reason)
        document = _parse(str(path), path.read_bytes())
        documents[path.stem] = _merge_document(documents[path.stem], document, str(path))
        names[path.stem] = str(path)
    return ParameterFiles(documents, names)


def from_text(text: str) -> ParameterFiles:
    """Rebuild the files from their canonical text, to calculate with an earlier rules version."""
    documents: dict[str, Document] = json.loads(text, object_hook=_from_json)
    return ParameterFiles(documents, {subject: f"{subject}.toml" for subject in documents})


def _visible_files(directory: Path | None) -> list[Path]:
    """All files that are not hidden, whatever their name: ignoring a misnamed file would hide the mistake."""
    if directory is None:
        return []
    if not directory.is_dir():
        raise InvalidParameterFile(str(directory), "", "is not a directory")
    return sorted(path for path in directory.iterdir() if path.is_file() and not path.name.startswith("."))


def _parse(file: str, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode(), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidParameterFile(file, "", f"is not TOML: {error}") from None


def _merge_document(built_in: Document, override: dict[str, Any], file: str) -> Document:
    """Merge an override into a built-in document, key by key."""
    replace = override.pop("replace", False)
    if not isinstance(replace, bool):
        raise InvalidParameterFile(file, "replace", f"must be true or false, not {replace!r}")
    if replace:
        return override
    merged = dict(built_in)
    for key, value in override.items():
        existing = built_in.get(key)
        merged[key] = _merge_history(existing, value, file, key) if isinstance(existing, Mapping) else value
    return merged


def _merge_history(built_in: Document, override: object, file: str, key: str) -> Document:
    """Merge the values of an override into a built-in history by date, newest first."""
    table = TableReader(file, key, override)
    rows = {row["from"]: row for row in built_in["values"]}
    dates: set[date] = set()
    for entry in table.tables("values") if "values" in table else []:
        since = entry.day("from")
        if since in dates:
            raise table.error("values", f"has two values from {since}")
        dates.add(since)
        _check_no_field_missing(rows.get(since, {}), TableReader(file, f"{key} from {since}", entry.content))
        rows[since] = entry.content
    newest_first = [rows[since] for since in sorted(rows, reverse=True)]
    return {**built_in, **table.content, "values": newest_first}


def _check_no_field_missing(built_in: Document, override: TableReader) -> None:
    """Reject a replacement value without a field that the replaced value has, because that field would be lost."""
    for name, value in built_in.items():
        if name not in override:
            raise override.error(name, "is missing, but the value that this one replaces has it")
        if isinstance(value, Mapping):
            _check_no_field_missing(value, override.table(name))


def _to_json(value: object) -> object:
    """Encode dates and decimals, which JSON does not have."""
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else {"decimal": str(value.normalize())}
    raise TypeError(f"{value!r} is not allowed in a parameter file")


def _from_json(fields: dict[str, Any]) -> object:
    match fields:
        case {"date": str(text)}:
            return date.fromisoformat(text)
        case {"decimal": str(text)}:
            return Decimal(text)
    return fields
