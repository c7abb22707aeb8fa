"""What several commands share: the installation, the console, and options."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from gaji.core.field_types import MAX_ID
from gaji.core.settings import Settings
from gaji.core.system_rights import is_root
from gaji.db.installation import Installation, open_installation

out = Console(highlight=False)

UserEmail = Annotated[str, typer.Option(help="Email of the user.")]
AccountId = Annotated[
    int | None,
    typer.Option("--account", help="ID of the account, for a user with several accounts.", min=1, max=MAX_ID),
]
OneAccountId = Annotated[
    int | None,
    typer.Option("--account", help="Only in this account. Without it, in all accounts.", min=1, max=MAX_ID),
]
ExistingUser = Annotated[
    bool,
    typer.Option("--existing-user", help="The email belongs to a user of another account, who keeps the password."),
]


@contextmanager
def installation() -> Iterator[Installation]:
    """Open the installation that the environment configures."""
    if is_root():
        from gaji.cli.run_as import act_as_new_owner

        act_as_new_owner(os.environ)
    with open_installation(Settings.from_environment()) as opened:
        yield opened
