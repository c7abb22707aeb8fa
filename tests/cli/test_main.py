"""Errors of commands: one sentence, no traceback."""

from collections.abc import Callable

import asyncpg
import pytest

from gaji.cli import main


def raising(error: Exception) -> Callable[[], None]:
    def run() -> None:
        raise error

    return run


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.InterfaceError("connection is closed"),
        asyncpg.InternalClientError("got result for unknown protocol state 3"),
        asyncpg.TooManyConnectionsError("sorry, too many clients already"),
        asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
    ],
)
def test_a_database_that_goes_away_is_reported_in_a_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main, "app", raising(error))
    with pytest.raises(SystemExit, match="1"):
        main.main()
    assert capsys.readouterr().err == f"gaji: the database cannot be used: {error}\n"


def test_a_mistake_of_the_program_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        main, "app", raising(asyncpg.InterfaceError("cannot perform operation: another is in progress"))
    )
    with pytest.raises(asyncpg.InterfaceError):
        main.main()
