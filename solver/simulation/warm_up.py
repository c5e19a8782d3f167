# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels, or loads them from the cache, before anything is timed or shown."""

from collections.abc import Iterator

import numpy as np

from .. import integration
from ..contact.detection.collision import unavailable
from ..contact.soft.parameters import contact_scratch
from ..contact.warm_up import find_points
from ..dynamics.loops.methods import has_closures
from ..dynamics.tree.surface_joints import find_end
from ..evaluation.mode_transitions import enter_modes
from ..integration import FIXED_STEPS
from ..integration.adaptive.hybrid import rigid_parts
from ..integration.adaptive.rigid_parts import speeds_of_momenta
from ..integration.motion.between import note_switch
from ..integration.motion.observation import new_frames, write_now
from ..integration.motion.reactions import rewrite_reactions
from ..kernel import compiles
from ..mechanism import Body, Contact, Ground, Joint, Mechanism, Nail, Sphere
from ..mechanism.surfaces import SmoothPlane, SmoothSphere
from ..model.arrays import LAGRANGE, RECURSIVE, Scratch, new_scratch
from ..model.linkage.compilation import Compiled, compile_linkages
from .initial_conditions import set_start

_ready: set[tuple] = set()
_found: set[type] = set()  # shapes whose points can be found


def warm_up(linkages: list[tuple[str, Compiled]] | None = None, with_changes: bool = False) -> Iterator[str]:
    """Makes ready all kernels that these linkages need, each with the name of its integrator; once per process.

    Yields what comes next, piece by piece. Kernels are compiled for each class of model: for trees (the only one
    without `linkages`), and for each method that takes closures. `with_changes`: also for actions on the way.
    """
    if not compiles():
        return
    linkages = [("adams", _smallest(False, RECURSIVE)[1])] if linkages is None else linkages
    needed = dict.fromkeys((name, *_what_it_is(name, each)) for name, each in linkages)
    parts = any(_rides(each) for _, each in linkages)
    for integrator, model_class, method, soft, rides in needed:
        held, what_it_is = has_closures(model_class), (integrator, model_class, soft, rides)
        what = ("loops and constraints" if held else "trees") + (" that touch things" if soft else "")
        what += (" on surfaces" if rides else "") + (f" ({integrator})" if integrator != "adams" else "")
        if what_it_is not in _ready:
            yield from _integrator(integrator, what, _smallest(held, method, soft, rides))
            _ready.add(what_it_is)
        if (with_changes or parts) and (*what_it_is, "changes") not in _ready:
            yield f"actions on {what}"
            _changes(integrator, *_smallest(held, method, soft, rides))
            _ready.add((*what_it_is, "changes"))
    for shapes in dict.fromkeys(_shapes_that_touch(each) for name, each in linkages if name == "impulse"):
        yield from _points(shapes)
    switching = (_what_it_is(name, each) for name, each in linkages if name not in FIXED_STEPS and switches(each))
    for model_class, method, soft, rides in dict.fromkeys(switching):
        if (model_class, soft, rides, "switches") not in _ready:
            yield "forces that switch"
            _modes(_smallest(has_closures(model_class), method, soft, rides)[1])
            _ready.add((model_class, soft, rides, "switches"))
    for rides in dict.fromkeys(_rides(each) for _, each in linkages if has_closures(type(each.model))):
        if ("reactions", rides) not in _ready:
            yield "the forces of redundant joints"
            _reactions(rides)
            _ready.add(("reactions", rides))


def _shapes_that_touch(compiled: Compiled) -> frozenset[type]:
    """Types of shapes that may touch another body's; none if no two may."""
    surfaces = compiled.surfaces
    return frozenset(type(part.shape) for part in surfaces.parts) if surfaces and surfaces.has_pairs else frozenset()


def _points(shapes: frozenset[type]) -> Iterator[str]:
    if shapes and unavailable() is None and not shapes <= _found:
        yield "points between bodies"
        find_points(set(shapes))
        _found.update(shapes)


def _is_soft(integrator: str, compiled: Compiled) -> bool:
    return integrator not in FIXED_STEPS and compiled.surfaces is not None


def _rides(compiled: Compiled) -> bool:
    return len(compiled.model.rides.joints) > 0


def _what_it_is(integrator: str, compiled: Compiled) -> tuple:
    """The kind of a linkage, which decides its kernels, with the number of its method."""
    return type(compiled.model), compiled.model.method, _is_soft(integrator, compiled), _rides(compiled)


def _smallest(held: bool, method: int, touches: bool = False, rides: bool = False) -> tuple[Mechanism, Compiled]:
    """A single body, and if it is to be `held`, a nail; `touches`: it may, the ground; `rides`: on a plane."""
    body = Body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Sphere(radius=1.0) if touches else None)
    nails = [Nail("nail", body="body", point=(0.0, 0.0, 0.0))] if held else []
    contact = Contact(ground=Ground()) if touches else None
    joint = Joint(
        name="ride", type="contact", parent=None, child="body", position=(0.0, 0.0, -1.0),
        surface_parent=SmoothPlane(position=(0.0, 0.0, -1.0)), surface_child=SmoothSphere(radius=1.0),
    )  # fmt: skip
    mechanism = Mechanism(bodies=[body], joints=[joint] if rides else [], constraints=nails, contact=contact)
    return mechanism, compile_linkages(mechanism, method)[0]


def _integrator(integrator: str, what: str, smallest: tuple[Mechanism, Compiled]) -> Iterator[str]:
    mechanism, compiled = smallest
    model, times = compiled.model, np.array([0.0, 0.1])
    method, tolerance = integration.METHODS[integrator], integration.local_tolerance(integrator, model, 1e-6, 1e-7)
    yield f"the start of {what}"
    set_start(mechanism, compiled)
    yield f"the motion of {what}"
    memory = method.new_memory(compiled, compiled.state, 0.05)
    frames, scratch = new_frames(model, 2), _scratch(integrator, compiled)
    method.advance(model, scratch, memory, tolerance, True, 0.1, 0.1, 0.1, times, 0, frames, 1000)
    if integrator == "adaptive":  # nothing has been held
        _, parts = rigid_parts(model, scratch, np.ones(len(model.bodies), bool))
        speeds_of_momenta(model, 0.1, compiled.state, scratch, parts, np.zeros(len(model.armature)))


def _scratch(integrator: str, compiled: Compiled) -> Scratch:
    return contact_scratch(compiled)[0] if _is_soft(integrator, compiled) else new_scratch(compiled.model)


def switches(compiled: Compiled) -> bool:
    """True if some force of a linkage jumps."""
    return len(compiled.model.switched) > 0 or bool(compiled.model.forces.switches.any())


def _changes(integrator: str, mechanism: Mechanism, compiled: Compiled) -> None:
    if has_closures(type(compiled.model)):
        compiled.model.closures.tau[:1] = 1.0  # as if it were to be drawn together
        set_start(mechanism, compiled)
    model, method = compiled.model, integration.METHODS[integrator]
    scratch, memory = _scratch(integrator, compiled), method.new_memory(compiled, compiled.state, 0.05)
    method.go_to(model, scratch, memory, integration.local_tolerance(integrator, model, 1e-6, 1e-7), 0.0)
    write_now(model, scratch, compiled.state, 0.0, np.zeros(2 * len(model.armature)), new_frames(model, 1))
    if _rides(compiled) and integrator != "impulse":
        find_end(model, scratch, compiled.state)


def _modes(compiled: Compiled) -> None:
    model, state, scratch = compiled.model, compiled.state, contact_scratch(compiled)[0]
    axes = len(model.armature)
    enter_modes(model, scratch, 0.0, state, np.zeros(2 * axes), np.zeros(axes), np.ones(axes), 0.0)
    note_switch(model, scratch, state, state.speeds.copy(), 0.0, new_frames(model, 1, between=1), 0)


def _reactions(rides: bool) -> None:
    _, compiled = _smallest(True, LAGRANGE, rides=rides)
    model = compiled.model
    rates = np.zeros(2 * len(model.armature))
    rewrite_reactions(model, new_scratch(model), compiled.state, rates, np.zeros(1), new_frames(model, 1), 0, 0)
