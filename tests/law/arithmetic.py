"""Works out the lines of an explanation with a calculator of its own: exact fractions, nothing of Gaji."""

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction

NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
TOKEN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?|[a-z_]+|[-+−×÷(),])")

CENT = Fraction(1, 100)


def _to(unit: Fraction, whole: Callable[[Fraction], int]) -> Callable[[Fraction], Fraction]:
    return lambda amount: whole(amount / unit) * unit


def _half_up(amount: Fraction) -> int:
    return math.floor(amount + Fraction(1, 2))


FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "min": min,
    "max": max,
    "floor": _to(Fraction(1), math.floor),
    "round": _to(Fraction(1), _half_up),
    "floor_cents": _to(CENT, math.floor),
    "round_cents": _to(CENT, _half_up),
    "ceil_cents": _to(CENT, math.ceil),
}


def check(lines: tuple[str, ...], figure_cents: int) -> None:
    """Every line comes out as it says, and the last one at the figure."""
    assert lines
    for line in lines:
        expression, _, result = line.rpartition(" = ")
        assert work_out(expression) == work_out(result), line
        assert re.fullmatch(r"−?[0-9]+\.[0-9]{2}", result), line
    assert work_out(lines[-1].rpartition(" = ")[2]) == Fraction(figure_cents, 100), lines


def work_out(expression: str) -> Fraction:
    """The value of an expression."""
    tokens = _Tokens(expression)
    value = _sum(tokens)
    assert tokens.next == "", f"{expression!r} goes on with {tokens.next!r}"
    return value


class _Tokens:
    def __init__(self, text: str) -> None:
        self._tokens = self._split(text)
        self.next = next(self._tokens)

    @staticmethod
    def _split(text: str) -> Iterator[str]:
        place = 0
        while place < len(text):
            found = TOKEN.match(text, place)
            assert found, f"{text!r} cannot be read at {place}"
            yield found[1]
            place = found.end()
        yield ""

    def take(self, *expected: str) -> str:
        token = self.next
        assert not expected or token in expected, f"{token!r} instead of {expected}"
        self.next = next(self._tokens)
        return token


def _sum(tokens: _Tokens) -> Fraction:
    value = _product(tokens)
    while tokens.next in ("+", "−"):
        value = value + _product(tokens) if tokens.take() == "+" else value - _product(tokens)
    return value


def _product(tokens: _Tokens) -> Fraction:
    value = _single(tokens)
    while tokens.next in ("×", "÷"):
        value = value * _single(tokens) if tokens.take() == "×" else value / _single(tokens)
    return value


def _single(tokens: _Tokens) -> Fraction:
    token = tokens.take()
    if token == "−":
        return -_single(tokens)
    if NUMBER.fullmatch(token):
        return Fraction(token)
    if token == "(":
        value = _sum(tokens)
        tokens.take(")")
        return value
    tokens.take("(")
    arguments = [_sum(tokens)]
    while tokens.take(",", ")") == ",":
        arguments.append(_sum(tokens))
    return FUNCTIONS[token](*arguments)
