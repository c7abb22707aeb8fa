"""Names by which rows are keyed and requests ask for things: what people read, each for one thing only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """Something that can be asked for."""

    id: str
    """The name of an item or attribute, or the number of a custom one."""
    key: str
    """What people read; unlike that of anything else."""


class Names:
    """What can be asked for, by what people read or by its id."""

    def __init__(self, things: Iterable[Named]) -> None:
        self.things = list(things)
        self._known = {one.id.casefold(): one for one in reversed(self.things)}
        self._known |= {one.key.casefold(): one for one in self.things}

    def pick(self, given: Sequence[str]) -> tuple[list[Named], list[str]]:
        """The things that are meant, each once, and the names that mean nothing."""
        found = dict.fromkeys(thing for name in given if (thing := self._known.get(name.casefold())) is not None)
        return list(found), [name for name in given if name.casefold() not in self._known]

    def split(self, text: str) -> list[str]:
        """The names in a text with commas between them; a name may have commas of its own.

        >>> names = Names([Named("cpf_employee", "CPF, employee's share"), Named("sdl", "SDL")])
        >>> names.split("CPF, employee's share,sdl,what")
        ["CPF, employee's share", 'sdl', 'what']
        """
        parts = text.split(",")
        found: list[str] = []
        while parts:
            known = (n for n in range(len(parts), 0, -1) if ",".join(parts[:n]).strip().casefold() in self._known)
            count = next(known, 1)
            found.append(",".join(parts[:count]).strip())
            parts = parts[count:]
        return [name for name in found if name]


def told_apart(things: Iterable[tuple[str, str]], taken: Iterable[str] = ()) -> list[Named]:
    """Things by id and name; one whose name is taken has its id beside it.

    >>> [one.key for one in told_apart([("bonus", "Bonus"), ("12", "Bonus")])]
    ['Bonus', 'Bonus (12)']
    """
    seen = {name.casefold() for name in taken}
    found = []
    for thing, name in things:
        key = f"{name} ({thing})" if name.casefold() in seen else name
        seen.add(key.casefold())
        found.append(Named(thing, key))
    return found
