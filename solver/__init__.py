# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine of the Virtual Erector Set: from a mechanism's description to its motion. Knows nothing of Blender.

    mechanism = Mechanism.load("four_cans.json")
    recording = simulate(mechanism, duration=5.0, frame_rate=24.0)

Units: metre, kilogram, second, radian, newton; Z up; quaternions [w, x, y, z].

To be read in this order, in which each folder imports only from those before it:
    mechanism     the description: bodies, joints, constraints, forces; what is wrong with it is refused here
    surfaces      smooth surfaces that ride on each other
    model         the arrays of one linkage, and their compilation
    dynamics      forward dynamics: tree (hinges and their motions), forces (and friction in joints), loops
    contact       detection of points, then impulses (and the friction cone) or soft forces
    evaluation    one evaluation: from a state to its rates, `forward_dynamics` is its table of contents
    control       motors that are decided on step by step
    integration   from rates to motion, by Adams, Runge-Kutta, implicit, impulse or variational steps
    assembly      loose poses are brought together
    simulation    all linkages through time, to a recording
    drives        inverse dynamics: which efforts of drives make a motion
    kinematics, posing, script    led linkages, poses by hand, the command language
`spatial` and `rotation` are the algebra, `kernel`, `machine_code` and `library` make machine code of kernels.
"""

import sys
from importlib.util import find_spec

if sys.argv[:1] == ["-m"]:  # the command line, while Python looks for __main__
    for _needed in ("numpy", "scipy"):
        if find_spec(_needed) is None:
            sys.stderr.write(f"{_needed} is missing: install it, for example by python -m pip install {_needed}\n")
            sys.exit(2)

from .assembly import Assembly, AssemblyProgress, OpenConnection, assemble
from .drives.drive_efforts import DriveEfforts, DriveSearch, drive_efforts
from .drives.motors import with_motors
from .kernel import compiled, use_cache
from .mechanism import Mechanism, MechanismError, RunError
from .posing import Posing
from .script import Script
from .simulation.fly_together import FlyTogether, fly_together
from .simulation.live import LiveRun
from .simulation.recording import Evaluation, Recording
from .simulation.simulation import Progress, Simulation, SimulationFailed, evaluate, simulate
from .simulation.warm_up import warm_up

__all__ = [
    "Assembly",
    "AssemblyProgress",
    "DriveEfforts",
    "DriveSearch",
    "Evaluation",
    "FlyTogether",
    "LiveRun",
    "Mechanism",
    "MechanismError",
    "OpenConnection",
    "Posing",
    "Progress",
    "Recording",
    "RunError",
    "Script",
    "Simulation",
    "SimulationFailed",
    "assemble",
    "compiled",
    "drive_efforts",
    "evaluate",
    "fly_together",
    "simulate",
    "use_cache",
    "warm_up",
    "with_motors",
]
