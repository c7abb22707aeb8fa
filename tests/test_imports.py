"""Import rules that the contracts in pyproject.toml cannot express."""

from functools import cache

import grimp
import pytest


@cache
def imports() -> list[tuple[str, str]]:
    """Every import of one module of Gaji by another: who, and whom."""
    graph = grimp.build_graph("gaji")
    return sorted(
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    )


def package(module: str) -> str:
    """The folder of a module, one below the root."""
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("room", ["store", "api"])
def test_a_store_and_an_api_are_known_only_to_their_own_resource(room: str) -> None:
    strangers = [
        f"{importer} imports {imported}"
        for importer, imported in imports()
        if imported.endswith(f".{room}") and package(importer) != package(imported) and importer != "gaji.app"
    ]
    assert strangers == []


def test_only_the_commands_start_processes_and_know_the_settings_of_the_environment() -> None:
    knowing = {importer for importer, imported in imports() if imported in ("gaji.cli.main", "gaji.cli.serve")}
    assert knowing <= {"gaji.cli.main"}
