"""Passwords are hashed with Argon2, and a check starts no threads of its own."""

import asyncio
import time

import pytest
from argon2 import PasswordHasher
from argon2.low_level import Type

from gaji.identity import passwords

HASHERS = [
    PasswordHasher(time_cost=1, memory_cost=64, parallelism=4),
    PasswordHasher(time_cost=2, memory_cost=32, parallelism=1, hash_len=16, salt_len=8, type=Type.I),
    PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, hash_len=64, type=Type.D),
]


@pytest.mark.parametrize("hasher", HASHERS)
@pytest.mark.parametrize("password", ["seven green kettles sing", "七只绿水壶", "x" * 300, "nul\0inside"])
def test_a_password_matches_its_hash_and_no_other(hasher: PasswordHasher, password: str) -> None:
    password_hash = hasher.hash(password)
    assert passwords._verify(password_hash, password)
    assert not passwords._verify(password_hash, password + "x")
    assert not passwords._verify(hasher.hash(password + "x"), password)


@pytest.mark.parametrize("password_hash", ["", "!", "another", "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$", "$2b$12$abc"])
def test_what_is_not_a_hash_matches_nothing(password_hash: str) -> None:
    assert not passwords._verify(password_hash, "")


def test_a_new_hash_is_that_of_the_package() -> None:
    password_hash = asyncio.run(passwords.hash_password("seven green kettles sing"))
    assert password_hash.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert asyncio.run(passwords.verify_password(password_hash, "seven green kettles sing"))


def test_a_check_runs_in_one_thread() -> None:
    password_hash = PasswordHasher(time_cost=2, memory_cost=16384, parallelism=4).hash("seven green kettles sing")
    process_s, thread_s = time.process_time(), time.thread_time()
    assert passwords._verify(password_hash, "seven green kettles sing")
    process_s, thread_s = time.process_time() - process_s, time.thread_time() - thread_s
    assert thread_s > process_s / 2
