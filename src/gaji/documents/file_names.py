"""Names of files for employees."""


def portable_number(number: str) -> str:
    """Return an employee number in characters that every file system accepts.

    >>> portable_number("A/12 é")
    'A-12--'
    """
    return "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in number)
