"""The demo of a first start: made once, finished when it was cut short, and not beside the accounts of real users."""

import asyncio
from collections.abc import Iterator

import pytest

from gaji.core.settings import Settings
from gaji.db.installation import Installation, ready
from gaji.demo import Progress, demo
from gaji.demo.banner import FILE, SEED, ensure_demo
from gaji.identity.service import create_account


class CutShort(Progress):
    """Ends the making when the first payment run is done."""

    def made(self, what: str, count: int, of: int) -> None:
        if what == "Payment runs":
            raise RuntimeError("cut short")


@pytest.fixture
def installation(settings: Settings) -> Iterator[Installation]:
    with ready(settings) as found:
        yield found
        (found.settings.data / FILE).unlink(missing_ok=True)


def test_one_that_was_cut_short_is_finished_by_the_next_start(installation: Installation) -> None:
    with pytest.raises(RuntimeError, match="cut short"):
        asyncio.run(demo(installation, SEED, progress=CutShort()))
    made = ensure_demo(installation)
    assert made is not None
    assert made.api_key
    assert ensure_demo(installation) == made


def test_there_is_none_where_there_are_accounts(installation: Installation) -> None:
    asyncio.run(create_account(installation.database, "Real", "real@example.com", "a password of some length"))
    assert ensure_demo(installation) is None
