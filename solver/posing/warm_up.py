# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels of posing, or loads them from the cache, before anybody waits for the mouse."""

from collections.abc import Collection, Iterator

from ..contact.detection.collision import unavailable
from ..contact.warm_up import find_points
from ..kernel import compiles
from ..mechanism import Body, Joint, Mechanism, Nail
from ..mechanism.bodies import Shape
from .posing import Posing

_ready: set[str] = set()
_shapes: set[type[Shape]] = set()


def warm_up(shapes: Collection[type[Shape]] = ()) -> Iterator[str]:
    """Makes ready all kernels that posing needs, once per process; yields what comes next, piece by piece.

    shapes: those that are kept from going through each other.
    """
    if not _shapes.issuperset(shapes) and unavailable() is None:
        yield "points between bodies"
        find_points(set(shapes))
        _shapes.update(shapes)
    if _ready or not compiles():
        return
    posing = Posing(_smallest())
    yield "the equations of posing"
    posing.pull("b", (0.0, 0.0, 0.0), (1.0, 1.0, 0.0))
    yield "steps of posing"
    posing.approach(1)
    yield "poses"
    posing.distance()
    posing.poses()
    posing.release()
    yield "steps of linkages with loops"
    looped = _smallest()
    looped.constraints = [Nail("nail", body="a", point=(0.0, 0.0, 0.0))]
    posing = Posing(looped)
    posing.pull("b", (0.0, 0.0, 0.0), (1.0, 1.0, 0.0))
    posing.approach(1)
    posing.poses()
    _ready.add("all")


def _smallest() -> Mechanism:
    """Two bodies and a hinge."""
    bodies = [Body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=(x, 0.0, 0.0)) for name, x in (("a", 0), ("b", 1))]
    hinge = Joint("hinge", "revolute", "a", "b", position=(0.5, 0.0, 0.0))
    return Mechanism(bodies=bodies, joints=[hinge])
