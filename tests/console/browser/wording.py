"""Words and numbers on a page: dates, amounts, singular and plural, and no names of attributes."""

import re
from collections.abc import Mapping

from playwright.sync_api import Page

# Code, formulas and the choice of a date format are not for everyone.
READ_TEXT = """() => {
    const code = [...document.querySelectorAll("main :is(code, pre, kbd, select, textarea, .mono, .explanation ol)")];
    const displays = code.map((element) => element.style.display);
    code.forEach((element) => { element.style.display = "none"; });
    const text = document.querySelector("main").innerText;
    code.forEach((element, index) => { element.style.display = displays[index]; });
    return text;
}"""
READ_EXPLANATIONS = "() => [...document.querySelectorAll('.explanation > p.strong')].map((p) => p.textContent)"
PLURALS = "payslips|employees|companies|days|hours|requests|files|lines|accounts|rows|users|months|payments|errors"
SINGULARS = "payslip|employee|company|day|hour|request|file|line|account|row|user|month|payment|error"
RULES: Mapping[str, re.Pattern[str]] = {
    "a date that is not written as 16 Nov 2026": re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b"),
    "an amount without thousands separators or cents": re.compile(r"\$\d{4,}|\$[\d,]+\.\d\b|\b\d{4,}\.\d\d\b"),
    "the name of an attribute": re.compile(r"(?<![/.@\w{}])[a-z]+(?:_[a-z0-9]+)+\b(?!\.)"),
    "the name of a constant": re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b"),
    "an ID instead of a name": re.compile(r"\b(?:Employee|Company|Pay point|Pay schedule|Profile|User) #?\d+\b"),
    "a plural after 1": re.compile(rf"(?<![\d.,–-])1 (?:{PLURALS})\b"),
    "a singular after another number": re.compile(rf"(?<![\d.,])(?:0|[2-9]|\d\d+) (?:{SINGULARS})\b(?!['’-])"),
    "a value of a program": re.compile(r"\b(?:null|undefined|NaN|True|False)\b"),
}
PLAIN_SENTENCE = re.compile(r"[A-Z0-9$-][^=_]*")
FORMULA = re.compile(r"\w\(|÷")


def wording_problems(page: Page) -> list[str]:
    """Return what people would not say on the open page. Details must be open."""
    text = str(page.evaluate(READ_TEXT))
    return [*text_problems(text), *map(_not_plain, filter(_is_formula, page.evaluate(READ_EXPLANATIONS)))]


def text_problems(text: str) -> list[str]:
    """Return what people would not say in a text."""
    return [
        f"has {problem}: {text[max(0, match.start() - 20) : match.end() + 20]!r}"
        for problem, rule in RULES.items()
        for match in list(rule.finditer(text))[:3]
    ]


def _is_formula(sentence: str) -> bool:
    return PLAIN_SENTENCE.fullmatch(sentence) is None or FORMULA.search(sentence) is not None


def _not_plain(sentence: str) -> str:
    return f"explains an amount without a plain sentence: {sentence!r}"
