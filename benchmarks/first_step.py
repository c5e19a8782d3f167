# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that simulates its first frame and says when it had it: `python -m benchmarks.first_step CACHE_FOLDER`."""

import json
import sys
import time

from solver import Mechanism, simulate, use_cache
from solver.mechanism import Body, Joint


def pendulum() -> Mechanism:
    """The smallest mechanism that asks for all of the solver's machine code."""
    rod = Body("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0))
    return Mechanism(bodies=[rod], joints=[Joint("hinge", "revolute", None, "rod", position=(0.0, 0.0, 0.0))])


if __name__ == "__main__":
    use_cache(sys.argv[1])
    simulate(pendulum(), 1.0 / 24.0)
    json.dump({"finished": time.time(), "processor": time.process_time()}, sys.stdout)
