"""Log levels, and the log of slow statements."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from gaji.core.logs import LogLevel, log, set_log_level
from gaji.core.settings import Settings, SettingsError
from gaji.db.database import locate_database
from gaji.db.tenancy import open_pool, pooled_connection


@pytest.fixture(autouse=True)
def initial_level() -> Iterator[None]:
    yield
    set_log_level(LogLevel.INFO)


def events(capfd: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capfd.readouterr().err.splitlines()]


def test_events_below_the_level_are_not_logged(capfd: pytest.CaptureFixture[str]) -> None:
    set_log_level(LogLevel.WARNING)
    for level in LogLevel:
        log(level, "event")
    assert [line["level"] for line in events(capfd)] == ["warning", "error"]


@pytest.mark.parametrize(
    ("text", "level"), [("", LogLevel.INFO), ("warning", LogLevel.WARNING), ("ERROR", LogLevel.ERROR)]
)
def test_the_level_is_a_setting(text: str, level: LogLevel) -> None:
    assert Settings.from_environment({"GAJI_LOG_LEVEL": text}).log_level is level


def test_an_unknown_level_is_an_error() -> None:
    with pytest.raises(SettingsError, match="GAJI_LOG_LEVEL must be one of info, warning, error"):
        Settings.from_environment({"GAJI_LOG_LEVEL": "loud"})


def test_slow_statements_are_logged_without_their_parameters(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    async def run() -> None:
        pool = await open_pool(locate_database(settings).for_transactions("test"), 1, slow_statement_ms=50)
        async with pooled_connection(pool) as connection:
            await connection.fetchval("SELECT $1::text FROM  pg_sleep(0.06)", "Tan Ah Kow")
            await asyncio.sleep(0)  # asyncpg calls loggers in the next iteration of the loop
        await pool.close()

    asyncio.run(run())
    [line] = [event for event in events(capfd) if "pg_sleep" in str(event.get("statement"))]
    assert (line["event"], line["level"]) == ("slow statement", "warning")
    assert line["statement"] == "SELECT $1::text FROM pg_sleep(0.06)"
    assert "Tan Ah Kow" not in json.dumps(line)
