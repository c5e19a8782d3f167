# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels that lead linkages, or loads them from the cache."""

from collections.abc import Iterator

from ..kernel import compiled as kernels_are_compiled
from ..mechanism import Body, Joint, Mechanism, Nail
from .kinematics import Kinematics

_ready: set[str] = set()


def warm_up() -> Iterator[str]:
    """Makes ready all kernels that leading needs, once per process; yields what comes next, piece by piece."""
    if _ready or not kernels_are_compiled():
        return
    yield "closed linkages that are led"
    kinematics = Kinematics(_smallest(), ["crank"])
    kinematics.lead([0.1])
    kinematics.poses()
    yield "mobility"
    kinematics.mobility()
    _ready.add("all")


def _smallest() -> Mechanism:
    """A crank, and a body that it carries and a nail holds."""
    bodies = [Body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=(x, 0.0, 0.0)) for name, x in (("a", 0), ("b", 1))]
    joints = [
        Joint("crank", "revolute", None, "a", position=(0.0, 0.0, 0.0)),
        Joint("ball", "spherical", "a", "b", position=(0.5, 0.0, 0.0)),
    ]
    return Mechanism(bodies=bodies, joints=joints, constraints=[Nail("nail", body="b", point=(1.5, 0.2, 0.0))])
