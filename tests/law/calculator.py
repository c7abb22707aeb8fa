"""Evaluates expressions in the notation of explanations with exact fractions and dates. Imports no Gaji code."""

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


def _to(unit: Fraction, rounding: Callable[[Fraction], int]) -> Callable[[Fraction], Fraction]:
    return lambda amount: rounding(amount / unit) * unit


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
    "from": operator.ge,
    "above": operator.gt,
    "after": operator.gt,
}


@dataclass(frozen=True)
class Evaluation:
    """The value of an expression, and its labels: the words before values that name them."""

    value: Value
    labels: list[tuple[str, str]] = field(default_factory=list)


def tokens(text: str) -> Iterator[str]:
    """Yield the words, numbers and signs of an expression, then an empty string."""
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        assert match, f"{text!r} has no token at {position}"
        yield match[1]
        position = match.end()
    yield ""


@lru_cache(maxsize=50_000)
def evaluate(expression: str) -> Evaluation:
    """Evaluate an expression."""
    parser = _Parser(expression)
    value = parser.disjunction()
    assert parser.next == "", f"{expression!r} continues with {parser.next!r}"
    return Evaluation(value, parser.labels)


class _Parser:
    """Parses an expression from left to right and evaluates it."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self.next = next(self._tokens)
        self.labels: list[tuple[str, str]] = []

    def take(self, *expected: str) -> str:
        token = self.next
        assert not expected or token in expected, f"{token!r} instead of {expected}"
        self.next = next(self._tokens)
        return token

    def disjunction(self) -> Value:
        value = self.conjunction()
        while self.next == "or":
            self.take()
            other = self.conjunction()
            value = _truth(value) or _truth(other)
        return value

    def conjunction(self) -> Value:
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
        value = self.primary()
        while self.next in ("×", "÷"):
            value = value * self.primary() if self.take() == "×" else value / self.primary()
        return value

    def primary(self) -> Value:
        token = self.take()
        if token == "−":
            return -self.primary()
        if token == "(":
            value = self.disjunction()
            self.take(")")
            return value
        if re.fullmatch(DATE, token):
            return date.fromisoformat(token)
        if re.fullmatch(MONTH, token):
            return MonthOfYear(int(token[:4]), int(token[5:]))
        if re.fullmatch(NUMBER, token):
            return self.number(Fraction(token))
        assert re.fullmatch(WORD, token), f"{token!r} is not a value"
        return self.name_or_label(token)

    def number(self, number: Fraction) -> Value:
        if self.next in ("day", "days"):
            self.take()
            assert number.denominator == 1
            return timedelta(days=int(number))
        return number

    def name_or_label(self, word: str) -> Value:
        if self.next == "(":
            return self.function(word)
        if self.next not in CONJUNCTIONS and re.fullmatch(rf"{DATE}|{MONTH}|{NUMBER}|{WORD}", self.next):
            self.labels.append((word, self.next))
            return self.primary()
        return NAMED.get(word, word)

    def function(self, name: str) -> Value:
        self.take("(")
        if name == "choose":
            return self.choice()
        arguments = [self.disjunction()]
        while self.next == ",":
            self.take()
            arguments.append(self.disjunction())
        self.take(")")
        return FUNCTIONS[name](*arguments)

    def choice(self) -> Value:
        subject = self.disjunction()
        values: list[Value] = []
        while self.take(";", ")") == ";":
            is_true = self.condition(subject)
            self.take(":")
            value = self.disjunction()
            if is_true:
                values.append(value)
        assert values, f"no condition is true for {subject}"
        return values[0]

    def condition(self, subject: Value) -> bool:
        if self.next == "otherwise":
            self.take()
            return True
        if self.next in CONDITIONS:
            word = self.take()
            if word == "up":
                self.take("to")
            return CONDITIONS[word](subject, self.disjunction())
        return bool(subject == self.disjunction())


def _truth(value: Value) -> bool:
    assert isinstance(value, bool), f"{value!r} is neither yes nor no"
    return value
