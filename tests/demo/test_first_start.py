"""The demo of a first start: created once, finished if interrupted, and not created if there are real accounts."""

import asyncio
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from gaji.core.settings import Settings
from gaji.db.installation import Installation, open_installation
from gaji.demo.account import create_demo
from gaji.demo.banner import DEMO_SEED, ensure_demo, welcome_text
from gaji.demo.demo_file import DEMO_FILE
from gaji.demo.progress import Progress
from gaji.identity.service import create_account


class Interruption(Progress):
    """Interrupts the creation after the first payment run."""

    def update(self, label: str, done: int, total: int) -> None:
        if label == "Payment runs":
            raise RuntimeError("interrupted")


@pytest.fixture
def installation(settings: Settings) -> Iterator[Installation]:
    with open_installation(settings) as opened:
        yield opened
        (opened.settings.data / DEMO_FILE).unlink(missing_ok=True)


def test_an_interrupted_demo_is_finished_by_the_next_start(installation: Installation) -> None:
    with pytest.raises(RuntimeError, match="interrupted"):
        asyncio.run(create_demo(installation, DEMO_SEED, progress=Interruption()))
    demo = ensure_demo(installation)
    assert demo is not None
    assert demo.api_key
    assert demo.password in welcome_text("http://127.0.0.1:8000", demo)
    later = ensure_demo(installation)
    assert later == replace(demo, password="")
    assert "for a new one: .venv/bin/gaji demo" in welcome_text("http://127.0.0.1:8000", later)
    assert demo.password not in (installation.settings.data / DEMO_FILE).read_text()


def test_no_demo_is_created_if_there_are_accounts(installation: Installation) -> None:
    asyncio.run(create_account(installation.database, "Real", "real@example.com", "a password of some length"))
    assert ensure_demo(installation) is None
