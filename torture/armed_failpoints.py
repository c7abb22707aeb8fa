"""Failpoints of a running installation that are armed one after another.

All failpoints are set when the servers start. The file of a failpoint exists unless it is armed, so that processes pass
it. The first process that reaches an armed failpoint creates the file again and dies.
"""

from collections.abc import Mapping
from pathlib import Path
from random import Random

from gaji.core.failpoints import VARIABLE

STEPS = ("open", "finalise", "unfinalise", "request", "chunk", "ready", "recalculate", "import")
FAILPOINTS = (
    *(f"{step}.{when}_commit" for step in STEPS for when in ("before", "after")),
    "mail.before_send",
    "mail.after_send",
    "webhook.after_send",
)
ARMED_TOGETHER = 4


class ArmedFailpoints:
    """A few failpoints that are armed. Those that have killed a process are replaced by others."""

    def __init__(self, folder: Path, random: Random) -> None:
        self._folder = folder
        self._random = random
        self._armed: set[str] = set()
        folder.mkdir()
        folder.chmod(0o777)  # servers that root starts run as another user
        for name in FAILPOINTS:
            (folder / name).touch()

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment of the servers."""
        return {VARIABLE: f"{','.join(FAILPOINTS)}@{self._folder}"}

    def arm(self) -> None:
        """Arm failpoints until enough are."""
        while len(self._armed) < ARMED_TOGETHER:
            name = self._random.choice([name for name in FAILPOINTS if name not in self._armed])
            self._armed.add(name)
            (self._folder / name).unlink()

    def take_reached(self) -> list[str]:
        """Return the failpoints that have killed a process since the last call. They are no longer armed."""
        reached = sorted(name for name in self._armed if (self._folder / name).exists())
        self._armed -= set(reached)
        return reached

    def disarm(self) -> None:
        """Let processes pass all failpoints."""
        for name in self._armed:
            (self._folder / name).touch()
        self._armed.clear()
