"""The leave days that overdraw a balance are the same as if balances were computed again for each day."""

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from gaji.engine.leave.movements import Movement, MovementKind
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy
from gaji.law.scale import Scale
from gaji.leave.balances.ledger import LeaveLedger
from gaji.leave.balances.opening_balances import OpeningBalances
from gaji.leave.days.overdrafts import SETTLEMENTS, LeaveEntry, Overdraft, OverdraftChecker
from gaji.leave.types.queries import LeaveType
from gaji.people.service_periods.queries import ServiceTerm

START = date(2020, 3, 15)
DAYS = st.integers(-60, 1500).map(lambda number: START + timedelta(days=number))
MILLIDAYS = st.sampled_from([250, 500, 1000])
POLICIES = st.builds(
    LeavePolicy,
    accrual=st.sampled_from(AccrualMethod),
    entitlement=st.sampled_from([Scale((1,), (7000,)), Scale((1, 2), (2000, 5000)), Scale((1,), (0,))]),
    carry_limit_millidays=st.sampled_from([None, 0, 1000, 3000]),
    expiry_months=st.sampled_from([None, 3, 12]),
    allows_negative=st.sampled_from([False, False, False, True]),
    carries_negative=st.booleans(),
)
SYSTEM_TYPES = st.sampled_from([("annual_leave", None), ("sick_leave", "hospitalisation_leave")])


@st.composite
def ledgers(draw: st.DrawFn) -> LeaveLedger:
    """Ledgers of one or two leave types, with recorded leave, adjustments, services and opening balances."""
    names = [name for name in draw(SYSTEM_TYPES) if name]
    types = [LeaveType(number, name, name, (draw(POLICIES),)) for number, name in enumerate(names, start=1)]
    kinds = st.sampled_from([MovementKind.TAKEN, MovementKind.TAKEN, MovementKind.ADJUSTMENT])
    recorded: dict[int, list[Movement]] = {}
    for kind, day, millidays in draw(st.lists(st.tuples(kinds, DAYS, MILLIDAYS), max_size=12)):
        type_id = draw(st.integers(1, len(types)))
        amount = -millidays if kind is MovementKind.TAKEN else draw(st.sampled_from([-3, 3, 10])) * millidays
        recorded.setdefault(type_id, []).append(Movement(day, kind, amount, "recorded"))
    for movements in recorded.values():
        movements.sort(key=lambda movement: movement.date)
    last = draw(st.none() | st.integers(100, 900).map(lambda number: START + timedelta(days=number)))
    terms = [ServiceTerm(1, START, last, draw(st.sampled_from([1, 3])) if last else None)]
    if last is not None and draw(st.booleans()):
        terms.append(ServiceTerm(1, last + timedelta(days=draw(st.integers(1, 90))), None, None))
    opening = draw(st.none() | st.builds(OpeningBalances, DAYS, st.just({1: 4000})))
    return LeaveLedger(types, terms, opening, recorded)


@given(ledgers(), st.lists(st.tuples(st.integers(1, 2), DAYS, MILLIDAYS), min_size=1, max_size=12))
def test_the_same_days_are_rejected(ledger: LeaveLedger, requested: list[LeaveEntry]) -> None:
    days = [(type_id, day, amount) for type_id, day, amount in requested if ledger.find_type(type_id)]
    days = sorted((entry for entry in days if ledger.serves(entry[1])), key=lambda entry: entry[1])
    if days:
        checker = OverdraftChecker(ledger, days)
        assert [checker.take(*entry) for entry in days] == _overdrafts(ledger, days)


def _overdrafts(ledger: LeaveLedger, days: list[LeaveEntry]) -> list[Overdraft | None]:
    """Take each day in turn, and compute all balances before and after it."""
    overdrafts: list[Overdraft | None] = []
    recorded = ledger
    for entry in days:
        extended = ledger.with_leave([entry])
        candidates = (_find_overdraft(ledger, extended, leave_type) for leave_type in ledger.affected_types(entry[0]))
        overdraft = next(filter(None, candidates), None)
        if overdraft:
            overdraft = replace(overdraft, available_millidays=_available(recorded, overdraft))
        overdrafts.append(overdraft)
        if overdrafts[-1] is None:
            ledger = extended
    return overdrafts


def _available(recorded: LeaveLedger, overdraft: Overdraft) -> int:
    [leave_type] = [leave_type for leave_type in recorded.types if leave_type.name == overdraft.leave_type]
    movements = recorded.movements(leave_type, overdraft.date)
    counted = [movement for movement in movements if movement.kind not in SETTLEMENTS or movement.date < overdraft.date]
    return max(0, _balance(counted, overdraft.date))


def _find_overdraft(before: LeaveLedger, after: LeaveLedger, leave_type: LeaveType) -> Overdraft | None:
    last = max(movement.date for movement in after.recorded[leave_type.id])
    movements, earlier = after.movements(leave_type, last), before.movements(leave_type, last)
    for day in dict.fromkeys(movement.date for movement in movements if movement.kind is MovementKind.TAKEN):
        balance = _balance(movements, day)
        if balance < 0 and balance < _balance(earlier, day) and not leave_type.policy(day).allows_negative:
            return Overdraft(leave_type.name, balance, day, 0)
    return None


def _balance(movements: list[Movement], until: date) -> int:
    return sum(movement.millidays for movement in movements if movement.date <= until)
