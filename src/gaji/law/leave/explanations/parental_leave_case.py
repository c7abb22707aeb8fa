"""A child whose date decides on leave: the figures by that date, as lines of arithmetic and as parameters."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date
from typing import Generic, TypeVar

from gaji.law.explanation import FactExplanation, UsedParameter, used_parameter, yes_no
from gaji.law.notation import below, choose, equals, from_, line, otherwise
from gaji.law.parameters import DatedValue, History

T = TypeVar("T")
NONE = "none"


@dataclass(frozen=True)
class ParentalLeaveCase(Generic[T]):
    """What is known of the child and of the parent's service, with the figures of one kind of leave."""

    history: History[T]
    dated: str
    """What the date is: `born`, or `intended` of an adoption."""
    day: date | None
    citizen: bool
    months: int | None
    """Completed months of service; none where the law does not ask for them."""
    rule: str

    def weeks(
        self,
        name: str,
        with_citizen: Callable[[T], int],
        with_other: Callable[[T], int] | None,
        least_months: Callable[[T], int] | None,
        result: int,
    ) -> FactExplanation:
        """So many weeks, by date and nationality of the child and by the least service."""
        other = "0" if with_other is None else self._by_date(with_other)
        by_child = choose(
            f"citizen {yes_no(self.citizen)}", equals("yes", self._by_date(with_citizen)), equals("no", other)
        )
        figure = with_citizen if self.citizen else with_other
        weeks = 0 if figure is None else self._value(figure)
        lines = [line(by_child, weeks)]
        if least_months is not None:
            least = self._value(least_months)
            lines.append(line(self._by_date(least_months), least))
            lines.append(line(choose(f"months {self.months}", below(least, 0), otherwise(weeks)), result))
        return self._finding(name, str(result), "weeks", tuple(lines))

    def answer(self, name: str, question: Callable[[T], bool], result: bool) -> FactExplanation:
        """A yes or no, by date of the child."""
        if self.day is None:
            by_date = choose(f"{self.dated} {NONE}", equals(NONE, "no"))
        else:
            by_date = self._by_date(lambda value: yes_no(question(value)))
        return self._finding(name, yes_no(result), "yes or no", (line(by_date, yes_no(result)),))

    def _by_date(self, figure: Callable[[T], object]) -> str:
        """The figure of every value, newest first, chosen by date."""
        if self.day is None:
            return choose(f"{self.dated} {NONE}", equals(NONE, 0))
        known = (from_(in_force.since, figure(in_force.value)) for in_force in self.history.values)
        return choose(f"{self.dated} {self.day}", *known)

    def _value(self, figure: Callable[[T], int]) -> int:
        return 0 if self.day is None else figure(self.history.on(self.day).value)

    def _finding(self, name: str, result: str, unit: str, lines: tuple[str, ...]) -> FactExplanation:
        inputs = {self.dated: NONE if self.day is None else str(self.day), "citizen": yes_no(self.citizen)}
        return FactExplanation(
            figure=name,
            result=result,
            unit=unit,
            inputs=inputs if self.months is None else inputs | {"months": str(self.months)},
            rule=self.rule,
            source=self.history.values[0].source if self.day is None else self.history.on(self.day).source,
            branch="a citizen child" if self.citizen else "a child that is no citizen",
            parameters=tuple(_shown(self.history, in_force) for in_force in self.history.values),
            arithmetic=lines,
        )


def _shown(history: History[T], in_force: DatedValue[T]) -> UsedParameter:
    figures = {field.name: getattr(in_force.value, field.name) for field in fields(in_force.value)}  # type: ignore[arg-type]
    words = ", ".join(
        f"{name} {yes_no(value) if isinstance(value, bool) else value}" for name, value in figures.items()
    )
    return used_parameter(history.name, in_force, words)
