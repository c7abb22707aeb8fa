"""Rendering of the documentation pages.

Templates escape all values. The filters in this module return markup, and escape what they wrap.
"""

import re
from hashlib import sha256
from importlib import resources
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gaji import __version__

STYLESHEET = resources.files("gaji.web.docs").joinpath("style.css").read_bytes()
STYLESHEET_PATH = "/docs/style.css"
SCRIPT = resources.files("gaji.web.docs").joinpath("docs.js").read_bytes()
SCRIPT_PATH = "/docs/docs.js"
ICON_PATH = "/docs/icon.svg"
ICON = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b5d"/>'
    b'<path d="M21.5 11.4A7.2 7.2 0 1 0 23 16h-6.2" fill="none" stroke="#fff" stroke-width="3.4"/></svg>'
)

SHELL_STRING = re.compile(r"""("[^"]*"|'[^']*')""")
PATH_PARAMETER = re.compile(r"({\w+})")
CODE = re.compile(r"`([^`]+)`")
JSON_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=:)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<literal>-?\b[0-9][0-9.eE+-]*|true|false|null)'
)

# The shortest tags possible: the examples make up most of a page.
JSON_MARKUP = {"key": Markup("<b>{}</b>"), "text": Markup("<i>{}</i>"), "literal": Markup("<u>{}</u>")}


def render(template: str, **values: Any) -> str:
    """Return the page for a template and its values."""
    return _environment.get_template(template).render(**values)


def prose(text: str) -> Markup:
    """Return a description with the parts between backticks as code.

    >>> prose("Give `M` & go")
    Markup('Give <code>M</code> &amp; go')
    """
    return _mark_every_second(CODE.split(text), Markup("<code>{}</code>"))


def pretty_json(value: object) -> Markup:
    """Return a value as indented JSON, with tokens marked for colour.

    >>> pretty_json({"a": "<b>"})
    Markup('{\\n  <b>&#34;a&#34;</b>: <i>&#34;&lt;b&gt;&#34;</i>\\n}')
    """
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    parts: list[Markup] = []
    end = 0
    for match in JSON_TOKEN.finditer(text):
        parts += [escape(text[end : match.start()]), JSON_MARKUP[match.lastgroup or "text"].format(match[0])]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])


def shell(command: str) -> Markup:
    """Return a shell command with its strings marked for colour."""
    return _mark_every_second(SHELL_STRING.split(command), Markup("<i>{}</i>"))


def route(path: str) -> Markup:
    """Return a path with its parameters marked.

    >>> route("/clients/{client_id}")
    Markup('/clients/<var>{client_id}</var>')
    """
    return _mark_every_second(PATH_PARAMETER.split(path), Markup("<var>{}</var>"))


def inline_value(value: object) -> str:
    """Return a value for running text: strings unchanged, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _mark_every_second(parts: list[str], markup: Markup) -> Markup:
    """Join the parts of a split by a group, with the matches of the group marked up."""
    return Markup("").join(markup.format(part) if i % 2 else part for i, part in enumerate(parts))


_environment = Environment(
    loader=PackageLoader("gaji.web.docs", "."),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {
    "prose": prose,
    "pretty_json": pretty_json,
    "shell": shell,
    "route": route,
    "inline_value": inline_value,
}
_environment.globals |= {
    "version": __version__,
    "icon": ICON_PATH,
    # The addresses change with the content, so browsers may cache it.
    "stylesheet": f"{STYLESHEET_PATH}?{sha256(STYLESHEET).hexdigest()[:12]}",
    "script": f"{SCRIPT_PATH}?{sha256(SCRIPT).hexdigest()[:12]}",
}
