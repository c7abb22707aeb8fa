"""Pages that people read: templates, one stylesheet, no script, nothing from elsewhere.

Templates escape whatever they are given. The filters here give markup back, and escape what they work on.
"""

import re
from hashlib import sha256
from importlib import resources
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gaji import __version__

STYLESHEET = resources.files(__name__).joinpath("style.css").read_bytes()
STYLESHEET_PATH = "/docs/style.css"
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

# The shortest tags there are: the examples are most of a page's bytes.
JSON_MARKS = {"key": Markup("<b>{}</b>"), "text": Markup("<i>{}</i>"), "literal": Markup("<u>{}</u>")}


def render(template: str, **values: Any) -> str:
    """The page that a template makes of these values."""
    return _environment.get_template(template).render(**values)


def prose(text: str) -> Markup:
    """A description, with what stands between backticks as code.

    >>> prose("Give `M` & go")
    Markup('Give <code>M</code> &amp; go')
    """
    parts = CODE.split(text)
    return Markup("").join(Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts))


def pretty_json(value: object) -> Markup:
    """A value as indented JSON, its parts marked for colour.

    >>> pretty_json({"a": "<b>"})
    Markup('{\\n  <b>&#34;a&#34;</b>: <i>&#34;&lt;b&gt;&#34;</i>\\n}')
    """
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    pieces: list[Markup] = []
    end = 0
    for match in JSON_TOKEN.finditer(text):
        pieces += [escape(text[end : match.start()]), JSON_MARKS[match.lastgroup or "text"].format(match[0])]
        end = match.end()
    return Markup("").join([*pieces, escape(text[end:])])


def shell(line: str) -> Markup:
    """A line for the shell, its strings marked for colour."""
    parts = SHELL_STRING.split(line)
    return Markup("").join(Markup("<i>{}</i>").format(part) if i % 2 else part for i, part in enumerate(parts))


def route(path: str) -> Markup:
    """A path, with its parameters marked.

    >>> route("/clients/{client_id}")
    Markup('/clients/<var>{client_id}</var>')
    """
    parts = PATH_PARAMETER.split(path)
    return Markup("").join(Markup("<var>{}</var>").format(part) if i % 2 else part for i, part in enumerate(parts))


def plain(value: object) -> str:
    """A value in the text: strings as they are, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


_environment = Environment(
    loader=PackageLoader(__name__, "."),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {"prose": prose, "pretty_json": pretty_json, "shell": shell, "route": route, "plain": plain}
_environment.globals |= {
    "version": __version__,
    "icon": ICON_PATH,
    # The address changes with the content, so that browsers may keep it.
    "stylesheet": f"{STYLESHEET_PATH}?{sha256(STYLESHEET).hexdigest()[:12]}",
}
