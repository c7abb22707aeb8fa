"""A test of a table of cases runs all of them and reports every failure."""

import pytest

from tests.support.case_tables import for_every


@pytest.fixture
def limit() -> int:
    return 3


@for_every("number", [1, 2])
def test_cases_are_combined_with_fixtures(limit: int, number: int) -> None:
    assert number < limit


@for_every("number,text", [(1, "1"), (2, "2")])
def test_a_case_can_have_several_values(number: int, text: str) -> None:
    assert str(number) == text


def test_every_failure_is_reported_with_its_case() -> None:
    seen = []

    @for_every("number", [1, 2, 3, 4], "number {}".format)
    def check(number: int) -> None:
        seen.append(number)
        if number == 4:
            raise ValueError("not an assertion")
        assert number != 2, "is two"

    with pytest.raises(ExceptionGroup) as failure:
        check()
    assert seen == [1, 2, 3, 4]
    assert "2 of 4 cases failed" in str(failure.value)
    assert "case: number 2: is two" in str(failure.value)
    assert "case: number 4: not an assertion" in str(failure.value)


def test_a_table_without_cases_is_an_error() -> None:
    with pytest.raises(AssertionError, match="no cases"):
        for_every("number", [])
