"""What operators do with users."""

import secrets
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from gaji.core.errors import Conflict, NotFound
from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.identity import user_administration
from tests.console.console_user import ConsoleUser, signed_in_user
from tests.support.company import Company
from tests.support.running import Member

T = TypeVar("T")


def run(member: Member, action: Callable[[Database, str], Awaitable[T]]) -> T:
    async def call() -> T:
        return await action(member.service.database, member.email)

    return member.service.runner.run(call())


async def delete_user(database: Database, email: str) -> None:
    await user_administration.delete_user(database, Vault(secrets.token_bytes(32)), email)


def test_a_disabled_user_can_neither_sign_in_nor_use_keys_until_enabled(company: Company) -> None:
    member = company.member.colleague(company.id, "viewer")
    user = signed_in_user(member)
    run(member, user_administration.disable_user)
    assert user.get("/companies").status_code == 303
    assert ConsoleUser(member).sign_in().status_code == 422
    assert member.get("/clients").status_code == 401
    run(member, user_administration.enable_user)
    assert member.get("/clients").status_code == 200
    assert user.get("/companies").status_code == 303  # the session ended
    assert user.sign_in().status_code == 303


def test_a_deleted_user_is_gone_and_the_audit_log_keeps_the_changes(company: Company) -> None:
    member = company.member.colleague(company.id, "payroll")
    user_id = member.user_id
    member.new_pay_point(company.id, name="Made by someone who left")
    run(member, delete_user)
    assert member.get("/clients").status_code == 401
    rows = company.member.service.as_owner("SELECT id FROM audit_log WHERE user_id = $1", user_id)
    assert rows
    with pytest.raises(NotFound):
        run(member, delete_user)


@pytest.mark.parametrize("action", [user_administration.disable_user, delete_user])
def test_the_only_owner_of_a_client_stays(company: Company, action: Callable[[Database, str], Awaitable[None]]) -> None:
    with pytest.raises(Conflict, match="the only owner"):
        run(company.member, action)
    company.member.colleague(company.id, "owner")
    run(company.member, action)
    assert company.member.get("/clients").status_code == 401


def test_sessions_end_and_keys_are_revoked(company: Company) -> None:
    member = company.member
    user = signed_in_user(member)
    another = member.with_another_key()
    assert run(member, user_administration.end_sessions) == 1
    assert user.get("/companies").status_code == 303
    assert member.get("/clients").status_code == 200
    assert run(member, user_administration.revoke_keys) == 2
    assert [key.get("/clients").status_code for key in (member, another)] == [401, 401]
