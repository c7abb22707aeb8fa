"""Random histories in which each wrong month is corrected by a payslip of a correction run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from msgspec.structs import replace

from gaji.engine import batch
from gaji.engine.line_decoder import decode_line_columns
from gaji.engine.payslip_input import CalculationEntry, CorrectedPayslip, PastDifference, PayslipInput
from gaji.payroll.corrections.current_inputs import CurrentKnowledge
from gaji.payroll.corrections.differences import (
    EarlierCorrections,
    PayslipComparison,
    compute_differences,
    corrections_of_month,
)
from gaji.payroll.corrections.past_payslips import PastPayslip, own_months
from gaji.payroll.payslips.draft_periods import PeriodKey
from gaji.payroll.snapshots.queries import EntryChange
from tests.payroll.corrections import late_truth
from tests.payroll.corrections.late_truth import (
    BONUS,
    CATALOGUE,
    FUNDS,
    SALARY,
    TRANSPORT,
    Knowledge,
    Paid,
    PaidPayslip,
    Story,
    payslip_entry,
)
from tests.support.law import LAW


@dataclass
class CorrectedHistory:
    """The payslips of one employee: regular ones, once-off ones with the bonuses, and corrections."""

    story: Story
    paid: Paid = field(init=False)
    once_off: list[bool] = field(default_factory=list)
    """Whether each payslip is once-off."""
    earlier: EarlierCorrections = field(default_factory=EarlierCorrections)
    corrections: list[PastDifference] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.paid = Paid(self.story)

    def pay(self, knowledge: Knowledge, number: int) -> None:
        """Pay a month: the recurring items, and a bonus with a once-off payslip."""
        if knowledge.serves(self.story.period(number)):
            self._pay(knowledge, number, once_off=False)
            if number in knowledge.bonuses:
                self._pay(knowledge, number, once_off=True)

    def _pay(self, knowledge: Knowledge, number: int, *, once_off: bool) -> None:
        payslip = divide(late_truth.payslip_input(self.paid, knowledge, number), once_off=once_off)
        self._calculate(number, replace(payslip, carried_forward_cents=self._carried()), once_off=once_off)

    def _carried(self) -> dict[str, int]:
        """What the last payslip could not deduct, and what corrections have added since."""
        total: dict[str, int] = {}
        for payslip in reversed(self.paid.payslips):
            for name, cents in payslip.carried.items():
                total[name] = total.get(name, 0) + cents
            if payslip.input.corrects is None:
                break
        return total

    def _calculate(self, number: int, payslip: PayslipInput, *, once_off: bool) -> None:
        result = batch.calculate(LAW, CATALOGUE, [payslip])
        lines = {
            (section.value, item): int(column.amounts[0])
            for (section, item), column in decode_line_columns(result.lines_json).items()
        }
        self.paid.add(
            PaidPayslip(
                number,
                payslip,
                int(result.nett_cents[0]),
                lines,
                {name: int(column[0]) for name, column in result.totals.items()},
                result.past_totals.get(0, {}),
                dict(result.carried_forward_cents.get(0, {})),
                result.remarks.get(0, []),
            )
        )
        self.once_off.append(once_off)

    def comparisons(self, employee_id: int = 0) -> list[PayslipComparison]:
        """All payslips, to be compared with the truth."""
        comparisons = []
        for index, (payslip, once_off) in enumerate(zip(self.paid.payslips, self.once_off, strict=True)):
            past = PastPayslip(
                id=employee_id * late_truth.MAX_ID + index,
                employee_id=employee_id,
                period=PeriodKey(1, payslip.number),
                special=once_off,
                stored=payslip.input,
                catalogue_version=CATALOGUE.version,
                lines={item: cents for (_, item), cents in payslip.lines.items()},
                months=own_months(payslip.input.period.end, payslip.totals, {}, payslip.past),
            )
            comparisons.append(PayslipComparison(past, self._knowledge(payslip, past), CATALOGUE))
        return comparisons

    def _knowledge(self, payslip: PaidPayslip, past: PastPayslip) -> CurrentKnowledge:
        if payslip.input.corrects is not None:
            return CurrentKnowledge(past, payslip.input, {})
        truth, number = self.story.truth, payslip.number
        known = self.story.known if number < self.story.told_after else truth
        current = divide(late_truth.payslip_input(self.paid, truth, number), once_off=past.special)
        frozen, live = payslip_entry(known, number), payslip_entry(truth, number)
        late: Mapping[str, EntryChange] = {}
        if frozen != live and not past.special:
            late = {SALARY: EntryChange(frozen, live)}
        return CurrentKnowledge(past, current, dict.fromkeys((SALARY, TRANSPORT, *FUNDS), date(2020, 1, 1)), late)

    def open_corrections(self, number: int) -> list[PastDifference]:
        """What a correction run of a month would pay."""
        month = self.story.first + number
        comparisons = [comparison for comparison in self.comparisons() if comparison.payslip.end <= month.last_day]
        differences = compute_differences(LAW, comparisons, self.earlier, pay_is_missed=True, month=month)
        return corrections_of_month(differences.get(0, []), month)

    def open_differences(self) -> list[PastDifference]:
        """All differences that no correction has covered."""
        return compute_differences(LAW, self.comparisons(), self.earlier, pay_is_missed=True).get(0, [])

    def correct(self, number: int) -> None:
        """Correct a month by a payslip in the month after the truth came out."""
        if not (differences := self.open_corrections(number)):
            return
        corrected, paying = self.story.period(number), self.story.period(self.story.told_after)
        payslip = PayslipInput(
            replace(paying, last_of_month=False),
            self.story.truth.employee,
            [],
            {},
            past_differences=differences,
            corrects=CorrectedPayslip(number, corrected.start, corrected.end),
        )
        self._calculate(self.story.told_after, payslip, once_off=True)
        self.corrections += differences
        for difference in differences:
            self.earlier.add(difference, includes_pay=True)


def divide(payslip: PayslipInput, *, once_off: bool) -> PayslipInput:
    """The input of a regular payslip, or that of a once-off payslip with the bonus."""
    entries = payslip.calculations
    if not once_off:
        return replace(payslip, calculations={name: entry for name, entry in entries.items() if name != BONUS})
    calculations: dict[str, CalculationEntry] = {
        name: replace(entry, skip=True) for name, entry in entries.items() if entry.recurring
    }
    calculations |= {BONUS: entries[BONUS]} if BONUS in entries else {}
    leave = replace(payslip.leave, unpaid_days="0")
    return replace(payslip, period=replace(payslip.period, last_of_month=False), calculations=calculations, leave=leave)


def pay_in_time(story: Story) -> Paid:
    """Pay all months with the truth."""
    history = CorrectedHistory(story)
    for number in range(story.months):
        history.pay(story.truth, number)
    return history.paid


def pay_and_correct(story: Story) -> CorrectedHistory:
    """Pay with what was known, correct each month when the facts are known, and continue with the facts."""
    history = CorrectedHistory(story)
    for number in range(story.told_after):
        history.pay(story.known, number)
    for number in range(story.told_after):
        history.correct(number)
    for number in range(story.told_after, story.months):
        history.pay(story.truth, number)
    return history
