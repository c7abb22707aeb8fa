"""Rules for new passwords: their length, and that they are not easy to guess. They need no network.

Rejected are common passwords of leaks, and what is built like them: repetitions, rows of the keyboard, and a few words
or the user's own name with digits or signs added.

`common_passwords.txt.gz` has those with at least 12 characters among the million most common of Mark Burnett's list of
ten million leaked passwords (2015, public domain), in lower case. Shorter ones are rejected for their length.
"""

import gzip
import re
from collections.abc import Collection, Sequence
from functools import cache
from importlib import resources

from gaji.core.error_codes import TOO_LONG
from gaji.core.errors import ErrorCode, Errors

MIN_PASSWORD_LENGTH = 12
MAX_PASSWORD_LENGTH = 1000
MIN_DISTINCT_CHARACTERS = 5
MIN_RUN = 4
"""The characters of a run on the keyboard, such as 1234 or qwer."""
MIN_OWN_LETTERS = 4
"""The letters that must remain when common words and the user's name are removed."""
MIN_OWN_CHARACTERS = 8
"""The characters that must remain when the email is removed."""
MIN_EMAIL_PART = 3
ROWS = ("abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "1qaz2wsx3edc4rfv5tgb6yhn")
SUBSTITUTES = str.maketrans("013457@$!", "oieastasi")
COMMON_WORDS = (
    "password passwort passw word welcome letmein let me in admin administrator root user login signin master secret "
    "access changeme change default temp temporary test tester testing guest demo example sample qwerty keyboard "
    "iloveyou love you baby angel princess sunshine monkey dragon football baseball soccer liverpool chelsea arsenal "
    "superman batman pokemon starwars hello world computer internet google samsung iphone company office work payroll "
    "salary gaji money business manager singapore malaysia merlion january february march april june july august "
    "september october november december monday tuesday wednesday thursday friday saturday sunday spring summer autumn "
    "winter year new old my the and is one two three four five six seven eight nine ten"
)
_WORDS = re.compile("|".join(sorted(set(COMMON_WORDS.split()), key=len, reverse=True)))
_OWN_WORDS = re.compile(r"[^\W\d_]{2,}")
_RUNS = tuple(row[::step] for row in ROWS for step in (1, -1))

PASSWORD_TOO_SHORT = ErrorCode("password_too_short", "must be at least {min_length} characters")
PASSWORD_IS_EMAIL = ErrorCode("password_is_email", "must not consist of your email address")
PASSWORD_EASY_TO_GUESS = ErrorCode("password_easy_to_guess", "is easy to guess; use several words that are unrelated")
PASSWORDS_DIFFER = ErrorCode("passwords_differ", "does not match the password")


def password_errors(new: str, again: str, email: str, name: str = "") -> Errors:
    """Return the errors of a new password that was typed twice. The name of the user may be unknown."""
    errors = Errors()
    add_password_error("new", new, email, name, errors)
    if new != again:
        errors.add("again", PASSWORDS_DIFFER)
    return errors


def add_password_error(path: str, password: str, email: str, name: str, errors: Errors) -> None:
    """Add an error unless a password is acceptable for the user with this email and this name."""
    if len(password) < MIN_PASSWORD_LENGTH:
        errors.add(path, PASSWORD_TOO_SHORT, min_length=MIN_PASSWORD_LENGTH)
    elif len(password) > MAX_PASSWORD_LENGTH:
        errors.add(path, TOO_LONG, max_length=MAX_PASSWORD_LENGTH)
    elif consists_of_email(password, email):
        errors.add(path, PASSWORD_IS_EMAIL)
    elif is_easy_to_guess(password, (email, name)):
        errors.add(path, PASSWORD_EASY_TO_GUESS)


def is_easy_to_guess(password: str, about_user: Sequence[str] = ()) -> bool:
    """Return whether a password is common, a repetition, a run on the keyboard, or words with digits and signs.

    These words are common ones, and those of texts about the user, such as the name and the email.

    >>> [is_easy_to_guess(text) for text in ("P@ssw0rd2026!", "qwertyuiop123", "abcabcabcabc", "aaaaabbbbbcccc")]
    [True, True, True, True]
    >>> [is_easy_to_guess(text) for text in ("unbelievable", "JamesBond007")]
    [True, True]
    >>> [is_easy_to_guess(text) for text in ("green kettle on ice", "x9$Kf2!mLq8z", "my dog eats payslips")]
    [False, False, False]
    >>> [is_easy_to_guess(text, ["Ahmad Rizal"]) for text in ("ahmadrizal14", "ahmad likes kettles")]
    [True, False]
    """
    text = password.casefold()
    own_words = {word for known in about_user for word in _OWN_WORDS.findall(known.casefold())}
    is_varied = len(set(text)) >= MIN_DISTINCT_CHARACTERS and not _is_repetition(text)
    return not is_varied or _is_run(text) or _is_words(text, own_words) or _is_common_password(text)


def consists_of_email(password: str, email: str) -> bool:
    """Return whether little of a password remains without the parts of the user's email.

    >>> consists_of_email("siti.lim@2026", "siti.lim@example.com")
    True
    >>> consists_of_email("siti likes green kettles", "siti@example.com")
    False
    """
    text, address = password.casefold(), email.casefold()
    name, _, domain = address.partition("@")
    parts = (address, name, domain, domain.partition(".")[0])
    for part in sorted((part for part in parts if len(part) >= MIN_EMAIL_PART), key=len, reverse=True):
        text = text.replace(part, "")
    return len(text) < min(MIN_OWN_CHARACTERS, len(password))


@cache
def _common_passwords() -> bytes:
    """Return the common passwords, each between line feeds."""
    return b"\n" + gzip.decompress(resources.files("gaji.identity").joinpath("common_passwords.txt.gz").read_bytes())


def _is_common_password(text: str) -> bool:
    return "\n" not in text and f"\n{text}\n".encode(errors="replace") in _common_passwords()


def _is_repetition(text: str) -> bool:
    """Whether a text is a shorter one, repeated. Then it occurs in its own double before the middle."""
    return (text + text).find(text, 1) <= len(text) // 2


def _is_run(text: str) -> bool:
    """Whether at most three characters are outside of runs on the keyboard."""
    outside = position = 0
    while position < len(text):
        length = _run_length(text, position)
        outside += 0 if length >= MIN_RUN else 1
        position += length if length >= MIN_RUN else 1
    return outside < MIN_RUN


def _run_length(text: str, start: int) -> int:
    """Return the length of the longest run that starts here."""
    length = 1
    while length < len(text) - start and any(text[start : start + length + 1] in run for run in _RUNS):
        length += 1
    return length


def _is_words(text: str, own_words: Collection[str]) -> bool:
    """Whether few letters remain without the user's and common words, also if digits and signs stand for letters."""
    variants = (text, text.translate(SUBSTITUTES))
    return any(_count_own_letters(variant, own_words) < MIN_OWN_LETTERS for variant in variants)


def _count_own_letters(text: str, own_words: Collection[str]) -> int:
    letters = "".join(filter(str.isalpha, text))
    for word in sorted(own_words, key=len, reverse=True):
        letters = letters.replace(word, " ")
    return sum(character.isalpha() for character in _WORDS.sub("", letters))
