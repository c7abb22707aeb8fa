"""The employee's last payslip of a month, on random histories of service and waves."""

import random
from collections import Counter
from datetime import date, timedelta

from gaji.company.waves.queries import PayCalendar
from gaji.engine.payslip_input import ServiceInterval
from gaji.engine.periods import PaySchedule
from gaji.payroll.payslips.draft_periods import DraftState, is_last_of_month, next_draft_period, paid_intervals
from gaji.people.wave_periods.queries import WaveInterval

ONE_DAY = timedelta(days=1)
FIRST_DAY, LAST_DAY = date(2026, 1, 1), date(2026, 6, 30)
WAVES = {
    1: PayCalendar(PaySchedule("weekly", anchor_day=2), 0, None),
    2: PayCalendar(PaySchedule("weekly", anchor_day=4), 0, None),
    3: PayCalendar(PaySchedule("fortnightly", anchor_day=9), 0, None),
    4: PayCalendar(PaySchedule("twice_a_month", 31, 15), 0, None),
    5: PayCalendar(PaySchedule("monthly", 31), 0, None),
    6: PayCalendar(PaySchedule("monthly", 15), 0, None),
    7: PayCalendar(PaySchedule("monthly", 20), 0, None),
}


def random_service(rng: random.Random) -> list[ServiceInterval]:
    """Up to three services, the last of which may be open."""
    service, start = [], FIRST_DAY + timedelta(days=rng.randint(0, 40))
    for _ in range(rng.randint(0, 2)):
        end = start + timedelta(days=rng.randint(0, 50))
        service.append(ServiceInterval(start, end))
        start = end + timedelta(days=rng.randint(1, 40))
    return [*service, ServiceInterval(start, rng.choice((None, start + timedelta(days=rng.randint(0, 60)))))]


def random_waves(rng: random.Random, start: date) -> list[WaveInterval]:
    """Up to three waves. Each change is at the end of a period."""
    waves = []
    for _ in range(rng.randint(0, 2)):
        wave_id = rng.choice(list(WAVES))
        schedule = WAVES[wave_id].schedule
        end = schedule.end(schedule.offset_containing(start + timedelta(days=rng.randint(0, 50))))
        waves.append(WaveInterval(wave_id, start, end))
        start = end + ONE_DAY
    return [*waves, WaveInterval(rng.choice(list(WAVES)), start, None)]


def test_each_month_with_payslips_has_exactly_one_last_payslip() -> None:
    rng = random.Random(20260318)
    differing = 0
    for _ in range(2000):
        service = random_service(rng)
        intervals = paid_intervals(service, random_waves(rng, service[0].start))
        open_offsets = {
            wave_id: wave.schedule.offset_containing(FIRST_DAY + timedelta(days=rng.choice((0, 0, 30, 75))))
            for wave_id, wave in WAVES.items()
        }
        payslips = pay(intervals, open_offsets)
        months = {month for month, _, _ in payslips}
        assert Counter(month for month, _, is_last in payslips if is_last) == dict.fromkeys(months, 1), intervals
        differing += sum(is_last != of_wave for _, of_wave, is_last in payslips)
    assert differing > 500


def pay(intervals: list[WaveInterval], open_offsets: dict[int, int]) -> list[tuple[int, bool, bool]]:
    """Pay all periods that end until June: the month of each, and whether it is the wave's and the employee's last."""
    state, payslips = DraftState(), []
    while (key := next_draft_period(intervals, state, WAVES, open_offsets)) is not None:
        period = WAVES[key.wave_id].period(key.offset)
        if period.end > LAST_DAY:
            break
        is_last = is_last_of_month(key, intervals, WAVES, open_offsets)
        payslips.append((period.end.month, period.last_of_month, is_last))
        state.finalised[key.wave_id] = key.offset
        open_offsets[key.wave_id] = max(open_offsets[key.wave_id], key.offset + 1)
    return payslips
