"""One parent's case of parental leave: selects parameters by the child's date and writes the explanations."""

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
    """The child, the parent's service, and the parameters of one kind of leave."""

    history: History[T]
    date_name: str
    """The meaning of the date: `born`, or `intended` for an adoption."""
    day: date | None
    citizen: bool
    months: int | None
    """Completed months of service; None if the law does not require any."""
    rule: str

    def explain_weeks(
        self,
        figure: str,
        citizen_weeks: Callable[[T], int],
        other_weeks: Callable[[T], int] | None,
        min_months: Callable[[T], int] | None,
        result: int,
    ) -> FactExplanation:
        """Explain weeks of leave by date and nationality of the child and by the minimum service."""
        other = "0" if other_weeks is None else self._choose_by_date(other_weeks)
        by_child = choose(
            f"citizen {yes_no(self.citizen)}",
            equals("yes", self._choose_by_date(citizen_weeks)),
            equals("no", other),
        )
        field = citizen_weeks if self.citizen else other_weeks
        weeks = 0 if field is None else self._value(field)
        lines = [line(by_child, weeks)]
        if min_months is not None:
            minimum = self._value(min_months)
            lines.append(line(self._choose_by_date(min_months), minimum))
            lines.append(line(choose(f"months {self.months}", below(minimum, 0), otherwise(weeks)), result))
        return self._explanation(figure, str(result), "weeks", tuple(lines))

    def explain_flag(self, figure: str, field: Callable[[T], bool], result: bool) -> FactExplanation:
        """Explain a yes or no by the date of the child."""
        if self.day is None:
            by_date = choose(f"{self.date_name} {NONE}", equals(NONE, "no"))
        else:
            by_date = self._choose_by_date(lambda value: yes_no(field(value)))
        return self._explanation(figure, yes_no(result), "yes or no", (line(by_date, yes_no(result)),))

    def _choose_by_date(self, field: Callable[[T], object]) -> str:
        """The expression that selects a field of the value in force on the date."""
        if self.day is None:
            return choose(f"{self.date_name} {NONE}", equals(NONE, 0))
        clauses = (from_(dated.since, field(dated.value)) for dated in self.history.values)
        return choose(f"{self.date_name} {self.day}", *clauses)

    def _value(self, field: Callable[[T], int]) -> int:
        return 0 if self.day is None else field(self.history.on(self.day).value)

    def _explanation(self, figure: str, result: str, unit: str, lines: tuple[str, ...]) -> FactExplanation:
        inputs = {self.date_name: NONE if self.day is None else str(self.day), "citizen": yes_no(self.citizen)}
        return FactExplanation(
            figure=figure,
            result=result,
            unit=unit,
            inputs=inputs if self.months is None else inputs | {"months": str(self.months)},
            rule=self.rule,
            source=self.history.values[0].source if self.day is None else self.history.on(self.day).source,
            branch="the child is a citizen" if self.citizen else "the child is not a citizen",
            parameters=tuple(_parameter(self.history, dated) for dated in self.history.values),
            arithmetic=lines,
        )


def _parameter(history: History[T], dated: DatedValue[T]) -> UsedParameter:
    values = {field.name: getattr(dated.value, field.name) for field in fields(dated.value)}  # type: ignore[arg-type]
    text = ", ".join(
        f"{name.replace('_', ' ')} {yes_no(value) if isinstance(value, bool) else value}"
        for name, value in values.items()
    )
    return used_parameter(history.name, dated, text)
