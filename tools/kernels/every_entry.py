# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes of every kind, in which each entry is called with each combination of types that a run can hand to it.

The library is made of what this calls, and tested by it. A kind of linkage is the class of its model, whether its
bodies ride on surfaces, and whether they touch things softly.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from solver import Mechanism, Posing, integration, simulate
from solver.contact.soft.parameters import contact_scratch
from solver.contact.warm_up import find_points
from solver.dynamics.derivatives.changes import new_changes
from solver.dynamics.tree.surface_joints import find_end
from solver.evaluation.derivatives import evaluate_for_derivatives, fill_derivatives, fill_product
from solver.evaluation.mode_transitions import enter_modes
from solver.integration import FIXED_STEPS
from solver.integration.adaptive.hybrid import rigid_parts
from solver.integration.adaptive.rigid_parts import speeds_of_momenta
from solver.integration.impulse.driver import begin_step_anew, evaluate_frame
from solver.integration.motion.between import note_switch
from solver.integration.motion.observation import new_frames, write_now
from solver.integration.motion.reactions import rewrite_reactions
from solver.kinematics.kinematics import Kinematics
from solver.mechanism import Body, Box, Capsule, Contact, Cylinder, Ground, Joint, Mesh, Nail, Sphere
from solver.mechanism.surfaces import SmoothPlane, SmoothSphere
from solver.model.arrays import COMPOSITE, DIVIDE, LAGRANGE, PROPAGATION, RECURSIVE, SPARSE, new_scratch
from solver.model.linkage.compilation import Compiled, compile_linkages
from solver.simulation.catching.courses import CANNOT_DRAW
from solver.simulation.initial_conditions import set_start
from solver.simulation.inspection import inspect
from solver.synthesis.dyads import draw
from solver.synthesis.families import SLIDER_CRANK
from solver.synthesis.fit import LENGTH, MEAN, NEAREST, fit, new_work
from solver.synthesis.sample import FIRST, PER_STEP, sample

_TREES, _HELD = (RECURSIVE, COMPOSITE, LAGRANGE, DIVIDE), (RECURSIVE, PROPAGATION, LAGRANGE)
_BY_IMPULSES = ((False, RECURSIVE), (True, RECURSIVE), (True, SPARSE))  # held, method


def call_every_entry() -> Iterator[str]:
    """Yields the name of each piece after it."""
    for held in (False, True):
        for method, touches, rides in itertools.product(_HELD if held else _TREES, (False, True), (False, True)):
            if not (method == DIVIDE and rides):
                yield _kind("held" if held else "tree", held, method, touches, rides)
    for (held, method), rides in itertools.product(_BY_IMPULSES, (False, True)):
        yield _by_impulses(held, method, rides)
    find_points({Capsule, Cylinder, Mesh})
    yield "points between bodies"
    _pairs_that_touch_softly()
    yield "points between bodies that touch softly"
    mechanism = _smallest(False, RECURSIVE, False, False)[0]
    inspect(mechanism, simulate(mechanism, 0.1))
    yield "inspection"
    _pose()
    _pose_within_limits()
    yield "posing"
    for held in (False, True):
        _lead(held)
        yield f"kinematics, held: {held}"
    _draw_curves()
    yield "linkages for curves"


def _draw_curves() -> None:
    """A few linkages, closed and open, and a round of a fit."""
    family, rng = SLIDER_CRANK, np.random.default_rng(1)
    steps, units = family.steps, np.exp(2j * np.pi * np.arange(8) / 8)
    for is_open in (False, True):
        x, signs, curves = (
            np.zeros((2, family.numbers + 2 * is_open)),
            np.zeros((2, len(steps))),
            np.zeros((2, 6), complex),
        )
        work = new_work(x.shape[1], len(steps), len(units), np.exp(1j * np.arange(6.0)), is_open)
        chances = rng.random((20, FIRST + PER_STEP * len(steps)))
        sample(steps, int(is_open), chances, units, x, signs, work.values, work.nodes, curves)
        draw(steps, signs[0], x[0], units, work.values, work.nodes, work.worst, work.where)
        for how in (LENGTH, NEAREST, MEAN):
            fit(steps, signs[0], x[0], how, 1, work)


def _smallest(held: bool, method: int, touches: bool, rides: bool) -> tuple[Mechanism, Compiled]:
    """A single body, and if it is to be `held`, a nail; `touches`: it may, the ground; `rides`: on a plane."""
    body = Body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Sphere(radius=1.0) if touches else None)
    nails = [Nail("nail", body="body", point=(0.0, 0.0, 0.0))] if held else []
    joint = Joint(
        name="ride", type="contact", parent=None, child="body", position=(0.0, 0.0, -1.0),
        surface_parent=SmoothPlane(position=(0.0, 0.0, -1.0)), surface_child=SmoothSphere(radius=1.0),
    )  # fmt: skip
    contact = Contact(ground=Ground()) if touches else None
    mechanism = Mechanism(bodies=[body], joints=[joint] if rides else [], constraints=nails, contact=contact)
    return mechanism, compile_linkages(mechanism, method)[0]


def _kind(what: str, held: bool, method: int, touches: bool, rides: bool) -> str:
    """All integrators but that of impulses, and what a run does besides."""
    mechanism, compiled = _smallest(held, method, touches, rides)
    set_start(mechanism, compiled)
    scratch, finder = contact_scratch(compiled) if touches else (new_scratch(compiled.model), None)
    for integrator in integration.METHODS:
        if integrator == "adaptive":
            if not held and method == RECURSIVE and not touches and not rides:
                _move(integrator, compiled, scratch)
                _, parts = rigid_parts(compiled.model, scratch, np.ones(len(compiled.model.bodies), bool))
                axes = len(compiled.model.armature)
                speeds_of_momenta(compiled.model, 0.0, compiled.state, scratch, parts, np.zeros(axes))
        elif integrator not in FIXED_STEPS or (integrator in CANNOT_DRAW and not touches and not rides):
            _move(integrator, compiled, scratch)
    model, state, axes = compiled.model, compiled.state, len(compiled.model.armature)
    write_now(model, scratch, state, 0.0, np.zeros(2 * axes), new_frames(model, 1))
    enter_modes(model, scratch, 0.0, state, np.zeros(2 * axes), np.zeros(axes), np.ones(axes), 0.0)
    note_switch(model, scratch, state, state.speeds.copy(), 0.0, new_frames(model, 1, between=1), 0)
    if rides:
        find_end(model, scratch, state)
    elif not touches:
        changes = new_changes(model, scratch)
        evaluate_for_derivatives(model, 0.0, state, scratch, np.zeros(2 * axes), changes)
        fill_product(model, state, scratch, changes, np.zeros((3, axes)), np.zeros(axes))
        fill_derivatives(model, state, scratch, changes, np.zeros((3, axes, axes)))
    if held and method == LAGRANGE:
        rewrite_reactions(model, scratch, state, np.zeros(2 * axes), np.zeros(1), new_frames(model, 1), 0, 0)
    if held and not touches:
        _draw_together(held, method, rides)
    return f"{what}, {type(model).__name__}, touches: {touches}, rides: {rides}"


def _draw_together(held: bool, method: int, rides: bool) -> None:
    """The start of a linkage of which a closure is drawn together."""
    mechanism, compiled = _smallest(held, method, False, rides)
    compiled.model.closures.tau[:1] = 1.0
    set_start(mechanism, compiled)


def _move(integrator: str, compiled: Compiled, scratch) -> None:
    model, method, times = compiled.model, integration.METHODS[integrator], np.array([0.0, 0.01])
    tolerance = integration.local_tolerance(integrator, model, 1e-6, 1e-7)
    memory = method.new_memory(compiled, compiled.state, 0.005)
    method.advance(model, scratch, memory, tolerance, True, 0.01, 0.01, 0.01, times, 0, new_frames(model, 2), 1000)
    method.go_to(model, scratch, memory, tolerance, 0.0)
    if integrator == "impulse":
        begin_step_anew(memory.arrays)
        if len(model.closures):
            evaluate_frame(model, scratch, memory.arrays)


def _by_impulses(held: bool, method: int, rides: bool) -> str:
    mechanism, compiled = _smallest(held, method, True, rides)
    set_start(mechanism, compiled)
    scratch, model = new_scratch(compiled.model), compiled.model
    _move("impulse", compiled, scratch)
    axes = len(model.armature)
    write_now(model, scratch, compiled.state, 0.0, np.zeros(2 * axes), new_frames(model, 1))
    if held:
        _draw_together(held, method, rides)
    return f"impulses, {type(model).__name__}, rides: {rides}"


def _pairs_that_touch_softly() -> None:
    """A box on a box, and a can on it: with faces that lie on each other."""
    box, can = Box(half_size=(0.5, 0.5, 0.5)), Cylinder(radius=0.4, half_length=0.5)
    unit = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
    shapes = (("a", box, 0.499), ("b", box, 1.497), ("c", can, 2.495))
    bodies = [Body(name, shape=shape, position=(0.0, 0.0, z), **unit) for name, shape, z in shapes]
    mechanism = Mechanism(bodies=bodies, contact=Contact(ground=Ground()))
    compiled = compile_linkages(mechanism)[0]
    scratch, finder = contact_scratch(compiled)
    axes = len(compiled.model.armature)
    write_now(compiled.model, scratch, compiled.state, 0.0, np.zeros(2 * axes), new_frames(compiled.model, 1))
    finder.raise_failure()


def _pose() -> None:
    """Two bodies and a hinge: pulled, led and pushed in every way; and pulled up to a limit."""
    bodies = [Body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=(x, 0.0, 0.0)) for name, x in (("a", 0), ("b", 1))]
    hinge = Joint("hinge", "revolute", "a", "b", position=(0.5, 0.0, 0.0))
    posing = Posing(Mechanism(bodies=bodies, joints=[hinge]))
    posing.pull("b", (0.0, 0.0, 0.0), (1.0, 1.0, 0.0))
    posing.pull("a", (0.1, 0.0, 0.0), (0.0, -1.0, 0.5))
    posing.approach(20)
    posing.distance()
    posing.poses()
    posing.release()


def _pose_within_limits() -> None:
    body = Body("a", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.5, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", None, "a", position=(0.0, 0.0, 0.0), limits=((-0.1, 0.1),))
    posing = Posing(Mechanism(bodies=[body], joints=[hinge]), with_limits=True)
    posing.pull("a", (0.5, 0.0, 0.0), (0.0, 1.0, 0.0))
    posing.approach(20)
    posing.poses()


def _lead(held: bool) -> None:
    """A crank with a body on it that a nail may hold: led, measured and dragged."""
    bodies = [Body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=(x, 0.0, 0.0)) for name, x in (("a", 0), ("b", 1))]
    crank = Joint("crank", "revolute", None, "a", position=(0.0, 0.0, 0.0))
    ball = Joint("ball", "spherical", "a", "b", position=(0.5, 0.0, 0.0))
    nails = [Nail("nail", body="b", point=(1.5, 0.2, 0.0))] if held else []
    mechanism = Mechanism(bodies=bodies, joints=[crank, ball], constraints=nails)
    kinematics = Kinematics(mechanism, ["crank"])
    kinematics.lead([0.1])
    kinematics.poses()
    kinematics.mobility()
    posing = Posing(mechanism)
    posing.pull("b", (0.0, 0.5, 0.0), (1.0, 0.4, 0.3))
    posing.approach(20)
    posing.poses()
    posing.release()
