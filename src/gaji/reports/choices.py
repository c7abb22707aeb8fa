"""Named choices of a request, such as accounts or fields. Each can be selected by its display key or its id."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that a request can select."""

    id: str
    """The name of an item or attribute, or the number of a custom one."""
    key: str
    """The display name, which is unique and used as the key in rows."""


class ChoiceIndex:
    """Finds choices by display key or id, ignoring case. Keys take precedence over ids."""

    def __init__(self, choices: Iterable[Choice]) -> None:
        self.choices = list(choices)
        self._by_name = {choice.id.casefold(): choice for choice in reversed(self.choices)}
        self._by_name |= {choice.key.casefold(): choice for choice in self.choices}

    def select(self, names: Sequence[str]) -> tuple[list[Choice], list[str]]:
        """Return the selected choices, each once, and the unknown names."""
        matches = (self._by_name.get(name.casefold()) for name in names)
        selected = dict.fromkeys(choice for choice in matches if choice is not None)
        return list(selected), [name for name in names if name.casefold() not in self._by_name]

    def split(self, text: str) -> list[str]:
        """Split comma-separated names. A known name may itself contain commas.

        >>> index = ChoiceIndex([Choice("cpf_employee", "CPF, employee's share"), Choice("sdl", "SDL")])
        >>> index.split("CPF, employee's share,sdl,what")
        ["CPF, employee's share", 'sdl', 'what']
        """
        parts = text.split(",")
        names: list[str] = []
        while parts:
            lengths = range(len(parts), 0, -1)
            known = (length for length in lengths if ",".join(parts[:length]).strip().casefold() in self._by_name)
            count = next(known, 1)
            names.append(",".join(parts[:count]).strip())
            parts = parts[count:]
        return [name for name in names if name]


def unique_choices(names_by_id: Iterable[tuple[str, str]], reserved: Iterable[str] = ()) -> list[Choice]:
    """Return choices with unique keys. If a name is taken, the id is added to it.

    >>> [choice.key for choice in unique_choices([("bonus", "Bonus"), ("12", "Bonus")])]
    ['Bonus', 'Bonus (12)']
    """
    taken = {name.casefold() for name in reserved}
    choices = []
    for choice_id, name in names_by_id:
        key = f"{name} ({choice_id})" if name.casefold() in taken else name
        taken.add(key.casefold())
        choices.append(Choice(choice_id, key))
    return choices
