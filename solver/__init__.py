# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine of the Virtual Erector Set: from a mechanism's description to its motion. Knows nothing of Blender.

    mechanism = Mechanism.load("four_cans.json")
    recording = simulate(mechanism, duration=5.0, frame_rate=24.0)

Units: metre, kilogram, second, radian, newton; Z up; quaternions [w, x, y, z].
"""

from .assembly import Assembly, AssemblyProgress, OpenTie, assemble
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
    "Evaluation",
    "FlyTogether",
    "LiveRun",
    "Mechanism",
    "MechanismError",
    "OpenTie",
    "Posing",
    "Progress",
    "Recording",
    "RunError",
    "Script",
    "Simulation",
    "SimulationFailed",
    "assemble",
    "compiled",
    "evaluate",
    "fly_together",
    "simulate",
    "use_cache",
    "warm_up",
]
