"""Names follow the style guide: no bare gerunds as modules, unique public classes, no vague locals."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "gaji"

NOUNS = {"accounting", "logging", "paging", "rounding", "routing", "rendering", "setting", "string", "wiring"}
"""Words in -ing that are nouns."""
PARTICIPLES = {
    *("made", "told", "kept", "shown", "filed", "whole", "grounds", "whose", "said", "held", "given", "found", "taken"),
    *("possible", "listed", "looked", "written"),
}
"""Module names that say nothing."""
BANNED_CLASSES = {
    *(
        "Told",
        "Made",
        "Standing",
        "Place",
        "Farther",
        "Around",
        "Reading",
        "Listed",
        "Looked",
        "Asked",
        "Said",
        "Known",
    ),
    *(
        "Kept",
        "Shown",
        "Given",
        "Found",
        "Wanted",
        "Entered",
        "Heading",
        "Mover",
        "Doer",
        "Applying",
        "Counted",
        "Taking",
    ),
}
BANNED_FUNCTIONS = {
    "of",
    "told",
    "said",
    "held",
    "kept",
    "shown",
    "given",
    "found",
    "whole",
    "everyone",
    "stand",
    "plain",
}
BANNED_VARIABLES = {
    *(
        "one",
        "found",
        "told",
        "given",
        "shown",
        "kept",
        "said",
        "some",
        "own",
        "fault",
        "faults",
        "but",
        "held",
        "whole",
    ),
    *("most", "least", "each"),
}
BANNED_PREFIXES = ("MOST_", "LEAST_", "FEW")


@cache
def trees() -> dict[str, ast.Module]:
    """Return the parsed modules by their path."""
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every variable, parameter and field that a module binds, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def module_problem(path: str) -> str | None:
    """Return what is wrong with the name of a module."""
    name = Path(path).stem
    if name in PARTICIPLES or (name.endswith("ing") and "_" not in name and name not in NOUNS):
        return f"{path}: name the module by what it holds"
    return None


def definition_problems(path: str, tree: ast.Module) -> list[str]:
    """Return classes and functions with a vague name."""
    problems = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name.lstrip("_") in BANNED_CLASSES:
            problems.append(f"{path}:{node.lineno}: class {node.name}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.lstrip("_") in BANNED_FUNCTIONS:
            problems.append(f"{path}:{node.lineno}: function {node.name}")
    return problems


def variable_problems(path: str, tree: ast.Module) -> list[str]:
    """Return variables, parameters and constants with a vague name."""
    return [
        f"{path}:{line}: {name}"
        for name, line in bound_names(tree)
        if name.lstrip("_") in BANNED_VARIABLES or name.lstrip("_").startswith(BANNED_PREFIXES)
    ]


def test_modules_are_named_by_what_they_hold() -> None:
    assert [problem for path in trees() if (problem := module_problem(path))] == []


def test_classes_and_functions_have_names_that_need_no_context() -> None:
    assert [problem for path, tree in trees().items() for problem in definition_problems(path, tree)] == []


def test_a_public_class_name_is_used_once() -> None:
    classes = defaultdict(list)
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(path)
    assert {name: paths for name, paths in classes.items() if len(paths) > 1} == {}


def test_variables_have_the_noun_of_the_thing() -> None:
    assert [problem for path, tree in trees().items() for problem in variable_problems(path, tree)] == []


@pytest.mark.parametrize("path", ["payroll/payslips/looking.py", "documents/made.py", "leave/measuring.py"])
def test_the_check_rejects_gerunds_and_participles(path: str) -> None:
    assert module_problem(path) is not None


def test_the_check_rejects_vague_names() -> None:
    tree = ast.parse("class Told:\n    def kept(self, one, *, but):\n        found = one\nMOST_ROWS = 1\n")

    assert definition_problems("x.py", tree) == ["x.py:1: class Told", "x.py:2: function kept"]
    assert {name for name, _ in bound_names(tree)} >= {"one", "but", "found", "MOST_ROWS"}
    assert len(variable_problems("x.py", tree)) == 4
