"""The examples in docstrings run as tests."""

import doctest
import importlib
import pkgutil

import gaji
from tests.support.case_tables import for_every

# Importing these starts something, or is the program itself.
NOT_IMPORTED = {"gaji.cli.main"}
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(gaji.__path__, "gaji.") if module.name not in NOT_IMPORTED
)


def examples(name: str) -> list[doctest.DocTest]:
    module = importlib.import_module(name)
    return [found for found in doctest.DocTestFinder(exclude_empty=True).find(module, name) if found.examples]


@for_every("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    runner = doctest.DocTestRunner()
    for found in examples(name):
        runner.run(found)
    assert runner.summarize(verbose=False).failed == 0


def test_there_are_examples() -> None:
    assert {"gaji.engine.money", "gaji.core.vault", "gaji.core.validation", "gaji.identity.key_format"} <= {
        name for name in MODULES if examples(name)
    }
