"""Tests that run for every case of a table, as one test.

`pytest.mark.parametrize` makes a test of each case. That takes about seven milliseconds of processor time for a case,
which is more than most cases of large tables need.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

Test = Callable[..., None]


def for_every(names: str, cases: Sequence[Any], name_of: Callable[[Any], str] = str) -> Callable[[Test], Test]:
    """Run a test for every case, and report all failures with the names of their cases.

    Several names, separated by commas, take the elements of each case. Other parameters are fixtures, which all cases
    share, so they must not be changed by a case in a way that another one notices.
    """
    parameters = names.split(",")
    assert cases, "there are no cases"

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in parameters]

        @functools.wraps(test)
        def test_all(**arguments: Any) -> None:
            failures: list[Exception] = []
            for case in cases:
                values = case if len(parameters) > 1 else (case,)
                try:
                    test(**arguments, **dict(zip(parameters, values, strict=True)))
                except Exception as error:
                    error.add_note(f"case: {name_of(case)}")
                    failures.append(error)
            if failures:
                failed = "\n".join(f"{error.__notes__[-1]}: {error}" for error in failures)
                raise ExceptionGroup(f"{len(failures)} of {len(cases)} cases failed\n{failed}\n", failures)

        test_all.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return test_all

    return decorate
