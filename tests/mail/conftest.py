"""A server and its worker that send mail to a real SMTP server."""

from collections.abc import Iterator

import pytest

from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.mail.config import MailConfig
from tests.console.console_user import (
    ConsoleUser,
    signed_in_user,
)
from tests.db.databases import hold_sweeps
from tests.mail.outbox import SENDER, SITE
from tests.support.company import Company
from tests.support.mailbox import Mailbox, receiving
from tests.support.running import Service, running_service


@pytest.fixture(scope="module")
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture(scope="module")
def smtp_port(mailbox: Mailbox) -> Iterator[int]:
    with receiving(mailbox) as port:
        yield port


@pytest.fixture(scope="module")
def mail_variables(smtp_port: int) -> dict[str, str]:
    return {"GAJI_SMTP_URL": f"smtp://127.0.0.1:{smtp_port}", "GAJI_MAIL_FROM": SENDER, "GAJI_PUBLIC_URL": SITE}


@pytest.fixture(scope="module")
def service(
    settings: Settings, mail_variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A server and a worker that send mail, but not on the minute: some tests send it themselves."""
    hold_sweeps(locate_database(settings))
    with running_service(settings, tmp_path_factory.mktemp("mail"), mail_variables) as running:
        yield running


@pytest.fixture
def owner(company: Company) -> ConsoleUser:
    """The signed-in owner of the company."""
    return signed_in_user(company.member)


@pytest.fixture
def config(smtp_port: int) -> MailConfig:
    return MailConfig("127.0.0.1", smtp_port, "none", None, None, SENDER, SITE)
