"""Works out expressions in the notation of explanations: exact fractions and dates, and nothing of Gaji."""

import math
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tests.law import calendar_functions
from tests.law.calendar_functions import MonthOfYear

Value = Any
"""A Fraction, a date, a MonthOfYear, a timedelta, a bool, or the str of a name."""

DATE, MONTH, NUMBER = r"[0-9]{4}-[0-9]{2}-[0-9]{2}", r"[0-9]{4}-[0-9]{2}", r"[0-9]+(?:\.[0-9]+)?"
WORD = r"[A-Za-z_][A-Za-z0-9_]*"
TOKEN = re.compile(rf"\s*({DATE}|{MONTH}|{NUMBER}|{WORD}|[+−×÷(),;:<≤>])")
CENT = Fraction(1, 100)
CONJUNCTIONS = ("and", "or", "is")
NAMED = {"yes": True, "no": False}


def _to(unit: Fraction, whole: Callable[[Fraction], int]) -> Callable[[Fraction], Fraction]:
    return lambda amount: whole(amount / unit) * unit


def _half_up(amount: Fraction) -> int:
    return math.floor(amount + Fraction(1, 2))


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "min": min,
    "max": max,
    "floor": _to(Fraction(1), math.floor),
    "ceil": _to(Fraction(1), math.ceil),
    "round": _to(Fraction(1), _half_up),
    "floor_cents": _to(CENT, math.floor),
    "ceil_cents": _to(CENT, math.ceil),
    "round_cents": _to(CENT, _half_up),
    **calendar_functions.FUNCTIONS,
}
COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "<": operator.lt,
    "≤": operator.le,
    ">": operator.gt,
    "is": operator.eq,
}
CONDITIONS: dict[str, Callable[[Value, Value], bool]] = {
    "up": operator.le,
    "below": operator.lt,
    "before": operator.lt,
    "from": operator.ge,
    "above": operator.gt,
    "after": operator.gt,
}


@dataclass(frozen=True)
class Worked:
    """What an expression came to, and the words that stood before values in it to say what they are."""

    value: Value
    labels: list[tuple[str, str]] = field(default_factory=list)


def tokens(text: str) -> Iterator[str]:
    """The words, numbers and signs of an expression, and nothing at the end."""
    place = 0
    while place < len(text):
        found = TOKEN.match(text, place)
        assert found, f"{text!r} cannot be read at {place}"
        yield found[1]
        place = found.end()
    yield ""


@lru_cache(maxsize=50_000)
def work_out(expression: str) -> Worked:
    """The value of an expression."""
    reader = _Reader(expression)
    value = reader.either()
    assert reader.next == "", f"{expression!r} goes on with {reader.next!r}"
    return Worked(value, reader.labels)


class _Reader:
    """Reads an expression from left to right and works it out on the way."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self.next = next(self._tokens)
        self.labels: list[tuple[str, str]] = []

    def take(self, *expected: str) -> str:
        token = self.next
        assert not expected or token in expected, f"{token!r} instead of {expected}"
        self.next = next(self._tokens)
        return token

    def either(self) -> Value:
        value = self.both()
        while self.next == "or":
            self.take()
            other = self.both()
            value = _truth(value) or _truth(other)
        return value

    def both(self) -> Value:
        value = self.comparison()
        while self.next == "and":
            self.take()
            other = self.comparison()
            value = _truth(value) and _truth(other)
        return value

    def comparison(self) -> Value:
        value = self.sum()
        if self.next in COMPARISONS:
            value = COMPARISONS[self.take()](value, self.sum())
        return value

    def sum(self) -> Value:
        value = self.product()
        while self.next in ("+", "−"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> Value:
        value = self.single()
        while self.next in ("×", "÷"):
            value = value * self.single() if self.take() == "×" else value / self.single()
        return value

    def single(self) -> Value:
        token = self.take()
        if token == "−":
            return -self.single()
        if token == "(":
            value = self.either()
            self.take(")")
            return value
        if re.fullmatch(DATE, token):
            return date.fromisoformat(token)
        if re.fullmatch(MONTH, token):
            return MonthOfYear(int(token[:4]), int(token[5:]))
        if re.fullmatch(NUMBER, token):
            return self.number(Fraction(token))
        assert re.fullmatch(WORD, token), f"{token!r} is no value"
        return self.named(token)

    def number(self, number: Fraction) -> Value:
        if self.next in ("day", "days"):
            self.take()
            assert number.denominator == 1
            return timedelta(days=int(number))
        return number

    def named(self, word: str) -> Value:
        if self.next == "(":
            return self.function(word)
        if self.next not in CONJUNCTIONS and re.fullmatch(rf"{DATE}|{MONTH}|{NUMBER}|{WORD}", self.next):
            self.labels.append((word, self.next))
            return self.single()
        return NAMED.get(word, word)

    def function(self, name: str) -> Value:
        self.take("(")
        if name == "choose":
            return self.choice()
        arguments = [self.either()]
        while self.next in (",", ";"):
            separator = self.take()
            if separator == ";" and self.next in ("off", "holidays"):
                self.take()
                arguments.append(self.group())
            elif separator == ";":
                arguments.append(self.group())
            else:
                arguments.append(self.either())
        self.take(")")
        return FUNCTIONS[name](*arguments)

    def group(self) -> list[Value]:
        """Several values in a row; `none` for no value at all."""
        found = [self.either()]
        while self.next == ",":
            self.take()
            found.append(self.either())
        return [] if found == ["none"] else found

    def choice(self) -> Value:
        by = self.either()
        chosen: list[Value] = []
        while self.take(";", ")") == ";":
            holds = self.condition(by)
            self.take(":")
            value = self.either()
            if holds:
                chosen.append(value)
        assert chosen, f"nothing to choose for {by}"
        return chosen[0]

    def condition(self, by: Value) -> bool:
        if self.next == "otherwise":
            self.take()
            return True
        if self.next in CONDITIONS:
            word = self.take()
            if word == "up":
                self.take("to")
            return CONDITIONS[word](by, self.either())
        return bool(by == self.either())


def _truth(value: Value) -> bool:
    assert isinstance(value, bool), f"{value!r} is neither yes nor no"
    return value
