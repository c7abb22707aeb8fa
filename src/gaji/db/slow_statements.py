"""The log of slow statements: their text, which has no personal data, without their parameters."""

from typing import Protocol

import asyncpg

from gaji.core.logs import LogLevel, log

MAX_TEXT = 500


class ExecutedStatement(Protocol):
    """What asyncpg tells about a statement."""

    query: str
    elapsed: float
    """In seconds."""


def log_slow_statements(connection: asyncpg.Connection, threshold_ms: int) -> None:
    """Log each statement of the connection that takes at least this time."""

    def check(statement: ExecutedStatement) -> None:
        ms = round(statement.elapsed * 1000, 2)
        if ms >= threshold_ms:
            log(LogLevel.WARNING, "slow statement", ms=ms, statement=" ".join(statement.query.split())[:MAX_TEXT])

    connection.add_query_logger(check)
