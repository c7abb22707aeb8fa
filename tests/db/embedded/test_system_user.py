"""Programs that run as PostgreSQL's user."""

import threading
from typing import IO, cast

import pytest

from gaji.db.embedded import EmbeddedServerError
from gaji.db.embedded.system_user import server_user

TALKATIVE = "i=0; while test $i -lt 20000; do echo message $i >&2; i=$((i+1)); done; cat > /dev/null; exit 3"


def test_a_program_can_print_any_number_of_messages() -> None:
    messages: list[str] = []

    def run() -> None:
        with pytest.raises(EmbeddedServerError) as error, server_user().start(["sh", "-c", TALKATIVE]) as process:
            cast(IO[bytes], process.stdin).write(bytes(1_000_000))
        messages.append(str(error.value))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    assert len(messages) == 1
    assert messages[0].startswith("sh failed: ")
    assert messages[0].endswith("message 19999")
    assert len(messages[0]) < 5000
