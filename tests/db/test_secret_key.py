"""The secret: generated if missing, readable only by its owner, and checked against the database."""

import asyncio
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.core.vault import new_secret
from gaji.db.installation import open_installation
from gaji.db.secret_key import KEY_FILE, SecretError, known_vaults
from tests.support.running import Cluster


@pytest.fixture(scope="module")
def generated(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A new installation without a configured secret."""
    data = tmp_path_factory.mktemp("secret") / "data"
    with cluster.copy_of("template1") as url:
        settings = Settings(data=data, database_url=url)
        with open_installation(settings):
            pass
        yield settings


def test_without_gaji_secret_key_one_is_generated_that_only_its_owner_can_read(generated: Settings) -> None:
    file = generated.data / KEY_FILE
    assert len(file.read_text().strip()) >= 43
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(generated.data.stat().st_mode) == 0o700


def test_the_generated_secret_is_used_again(generated: Settings) -> None:
    before = (generated.data / KEY_FILE).read_text()
    with open_installation(generated) as first:
        hashed = first.vault.api_key_hash("x")
    with open_installation(generated) as second:
        assert second.vault.api_key_hash("x") == hashed
    assert (generated.data / KEY_FILE).read_text() == before


def test_the_same_secret_from_the_environment_matches_too(generated: Settings, tmp_path: Path) -> None:
    secret = (generated.data / KEY_FILE).read_text().strip()
    with open_installation(replace(generated, data=tmp_path, secret_key=secret)):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_error_about_an_earlier_secret_that_is_too_short_names_its_file(tmp_path: Path) -> None:
    path = tmp_path / f"{KEY_FILE}.until-2026"
    path.write_text("short\n")
    with pytest.raises(SecretError, match=f"the secret in {path} has 5 characters; it must have at least 32"):
        known_vaults(Settings(data=tmp_path, secret_key=new_secret()))


def test_a_missing_secret_is_rejected_and_none_is_generated(generated: Settings, tmp_path: Path) -> None:
    with (
        pytest.raises(SecretError, match="the secret is missing"),
        open_installation(replace(generated, data=tmp_path)),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_another_secret_is_rejected(generated: Settings) -> None:
    with (
        pytest.raises(SecretError, match="does not match this database"),
        open_installation(replace(generated, secret_key=new_secret())),
    ):
        pass


def test_a_short_secret_is_rejected(generated: Settings) -> None:
    with pytest.raises(SecretError, match="at least 32"), open_installation(replace(generated, secret_key="x" * 31)):
        pass


def test_the_database_does_not_hold_the_secret(generated: Settings) -> None:
    async def marks() -> list[bytes]:
        connection = await asyncpg.connect(generated.database_url)
        try:
            return [row["mark_sealed"] for row in await connection.fetch("SELECT mark_sealed FROM gaji.secret_marks")]
        finally:
            await connection.close()

    secret = (generated.data / KEY_FILE).read_text().strip().encode()
    sealed = asyncio.run(marks())
    assert sealed
    assert not any(secret in mark for mark in sealed)
