"""Functions that a lower layer calls and a higher layer implements."""

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Provider(Generic[P, R]):
    """A declared function whose implementation is set by the composition root (`gaji.wiring`).

    >>> greet: Provider[[str], str] = Provider("greet")
    >>> greet.provide(lambda name: f"Hello {name}")
    >>> greet("Mei")
    'Hello Mei'
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._function: Callable[P, R] | None = None

    def provide(self, function: Callable[P, R]) -> None:
        """Set the implementation."""
        self._function = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self._function is None:
            raise RuntimeError(f"nothing provides {self._name}: import gaji.wiring first")
        return self._function(*args, **kwargs)
