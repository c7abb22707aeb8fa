"""The person who runs a command."""

import os
import pwd

from gaji.core.system_rights import starter_id

MAX_LENGTH = 100


def operator_name() -> str:
    """Return the operating-system user who runs this process, and the one who used sudo, if any."""
    user, caller = _user_name(starter_id()), os.environ.get("SUDO_USER", "")
    name = f"{caller} as {user}" if caller else user
    return "".join(filter(str.isprintable, name))[:MAX_LENGTH]


def _user_name(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return f"user {user_id}"
