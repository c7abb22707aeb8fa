"""`python -m torture [NAME…]`: run all or the named scenarios, TORTURE_ROUNDS times each, with random timing.

TORTURE_SEED repeats the timing of an earlier run, as far as the machine allows.
"""

import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random, SystemRandom

from torture import (
    denial_of_service,
    failovers,
    generated_requests,
    kills,
    late_truth,
    mirror,
    pay_run,
    payroll_kills,
    reference_law,
    webhooks,
)


@dataclass(frozen=True)
class Scenario:
    """A scenario, its default number of rounds, and the time limit of a round."""

    run: Callable[[Random], None]
    rounds: int
    limit_s: int


SCENARIOS: Mapping[str, Scenario] = {
    "kills": Scenario(kills.run, rounds=10, limit_s=300),
    "payroll_kills": Scenario(payroll_kills.run, rounds=1, limit_s=14_400),
    "failovers": Scenario(failovers.run, rounds=1, limit_s=14_400),
    "pay_run": Scenario(pay_run.run, rounds=1, limit_s=900),
    "reference_law": Scenario(reference_law.run, rounds=1, limit_s=600),
    "late_truth": Scenario(late_truth.run, rounds=1, limit_s=7200),
    "webhooks": Scenario(webhooks.run, rounds=1, limit_s=1800),
    "mirror": Scenario(mirror.run, rounds=1, limit_s=3600),
    "generated_requests": Scenario(generated_requests.run, rounds=1, limit_s=14_400),
    "denial_of_service": Scenario(denial_of_service.run, rounds=1, limit_s=3600),
}


def main(names: Sequence[str]) -> int:
    """Run the scenarios and return the exit status."""
    if unknown := [name for name in names if name not in SCENARIOS]:
        print(f"Unknown scenarios: {', '.join(unknown)}. Available: {', '.join(SCENARIOS)}", file=sys.stderr)
        return 2
    seed = int(os.environ.get("TORTURE_SEED") or SystemRandom().randrange(10**6))
    print(f"seed {seed}", flush=True)
    failed = 0
    for name in names or SCENARIOS:
        for number in range(1, int(os.environ.get("TORTURE_ROUNDS") or SCENARIOS[name].rounds) + 1):
            failed += not _round(name, number, Random(f"{seed} {name} {number}"))
    print(f"{failed} rounds failed" if failed else "all rounds passed", flush=True)
    return 1 if failed else 0


def _round(name: str, number: int, random: Random) -> bool:
    print(f"{name}, round {number}", flush=True)
    started = time.monotonic()
    try:
        SCENARIOS[name].run(random)
    except Exception as error:
        traceback.print_exception(error)
        print(f"  FAILED after {time.monotonic() - started:.0f} s: {type(error).__name__}: {error}", flush=True)
        return False
    took_s = time.monotonic() - started
    print(f"  passed, {took_s:.0f} s", flush=True)
    return took_s < SCENARIOS[name].limit_s


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
