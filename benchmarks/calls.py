# SPDX-License-Identifier: GPL-3.0-or-later
"""The other engines as seen from Python: what a call costs by itself, and what they say to more than they can take."""

import resource
import subprocess
import sys

import mujoco
import numpy as np
import pinocchio

from .machine import Contestant, Machine


def call_overheads(machine: Machine) -> tuple[float, float]:
    """Seconds of a call that does nothing: Pinocchio's `aba` of an empty model, a query of MuJoCo."""
    least = [timing.least for timing in machine.race(Contestant(_trivial_pinocchio()), Contestant(_trivial_mujoco()))]
    return least[0], least[1]


def answer_of_process(preparation: str, attempt: str) -> str:
    """Pinocchio's answer to `attempt`, in a process that may use the memory of the machine and no more."""
    code = (
        f"import resource\n{preparation}\nresource.setrlimit(resource.RLIMIT_AS, ({_memory()}, {_memory()}))\n"
        f"try:\n    {attempt}\n    print('not timed')\n"
        "except Exception as error:\n"
        "    print('out of memory' if 'alloc' in str(error) or isinstance(error, MemoryError) else error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stdout.strip() or f"its process ended with status {done.returncode}"


def _memory() -> int:
    """Bytes of this machine's memory, or less where this process is held to less."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    with open("/proc/meminfo") as file:
        total = 1024 * int(next(line.split()[1] for line in file if line.startswith("MemTotal")))
    return total if limit == resource.RLIM_INFINITY else min(total, limit)


def _trivial_pinocchio():
    model = pinocchio.Model()
    data, nothing = model.createData(), np.zeros(0)

    def run(count: int) -> None:
        for _ in range(count):
            pinocchio.aba(model, data, nothing, nothing, nothing)

    return run


def _trivial_mujoco():
    model = mujoco.MjModel.from_xml_string("<mujoco/>")

    def run(count: int) -> None:
        for _ in range(count):
            mujoco.mj_isSparse(model)

    return run
