# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts recorded frames of a linkage back into the kernels and asks them for energies, efforts and single forces.

A force's share is what it adds to wrenches that were empty before, so its law stands in `dynamics.forces` only.
Energy of a body: T = (w . I w + m v . v) / 2, V = -m g . c (Featherstone 2008, section 2.13, at the centre of mass).
Symbols: c centre of mass, v its velocity, w angular velocity, f force, n moment, g gravity; F frames, n dynamic bodies
(the parts of cut ones included), A axes, N forces.
"""

import math
from typing import NamedTuple

import numpy as np

from ..dynamics.forces.joint_forces import update_efforts
from ..dynamics.forces.laws import acts_at_center, add_force, gap_of
from ..dynamics.forces.parameters import table_slope, update_parameters
from ..dynamics.forces.points import first_parameter, force_point
from ..dynamics.forces.spring import spring_length
from ..dynamics.tree.driven import update_driven_bodies
from ..kernel import by_reference, entry, kernel
from ..model.arrays import AXIS_PARAMETERS, MOTOR_LIMIT, MOTOR_VALUE, STATIC_FRICTION, Model, Scratch, State
from ..rotation import matrix_of_quaternion
from ..spatial import (
    add,
    apply_symmetric,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    multiply,
    rotate,
    rotate_symmetric,
    scale,
    store3,
    store9,
    store_spatial,
    subtract,
)
from .energy import kinetic_energy, potential_energy

_STILL = 1e-6  # of the fastest axis: what is slower may be held
_ZERO = (0.0, 0.0, 0.0)


@by_reference
class Motion(NamedTuple):
    """Recorded frames of B bodies and of the axes of a linkage, and which of the bodies are the linkage's own."""

    times: np.ndarray  # (F,) s
    position: np.ndarray  # (F, B, 3) m, of the body frames
    orientation: np.ndarray  # (F, B, 4)
    linear: np.ndarray  # (F, B, 3) m/s, of the frames' origins
    angular: np.ndarray  # (F, B, 3) rad/s
    bodies: np.ndarray  # (n,) int64: numbers of the linkage's bodies among the B
    to_body: np.ndarray  # (n, 9): the kernels' axes in the body frames
    center: np.ndarray  # (n, 3) m: centre of mass, body frame
    coordinates: np.ndarray  # (F, A); a spherical joint's are its rotation vector
    speeds: np.ndarray  # (F, A)


@by_reference
class Shares(NamedTuple):
    """The kernels' results for each frame."""

    kinetic: np.ndarray  # (F, n) J
    potential: np.ndarray  # (F, n) J: of gravity
    weight: np.ndarray  # (F, n, 3) N: m g
    energy: np.ndarray  # (F, 2) J: kinetic and potential of the whole linkage, springs and reflected inertias included
    effort: np.ndarray  # (F, A) N or N m
    held: np.ndarray  # (F, A) N or N m: nan, or where something holds the axis, what its armature takes of the effort
    force: np.ndarray  # (F, N, 2, 6): force and moment about its point that each force exerts at its two ends
    line: np.ndarray  # (F, N, 5): direction from the first end to the second, length (m), rate (m/s)


def new_shares(model: Model, count: int) -> Shares:
    """Zeroed room for the shares of so many frames."""
    bodies, axes, forces = len(model.bodies) - model.driven, len(model.armature), len(model.forces)
    shapes = (bodies,), (bodies,), (bodies, 3), (2,), (axes,), (axes,), (forces, 2, 6), (forces, 5)
    return Shares(*(np.zeros((count, *shape)) for shape in shapes))


@entry
def inspect_frames(model: Model, scratch: Scratch, state: State, motion: Motion, first, last, shares: Shares):
    """Fills the shares of the frames from `first` up to `last`. The charts of `state` must be anchored at identity."""
    for frame in range(first, last):
        update_parameters(model, motion.times[frame], scratch)
        update_driven_bodies(model, motion.times[frame], scratch)
        for k in range(len(model.bodies) - model.driven):
            _place(motion, frame, k, scratch.bodies[model.driven + k])
            _body(model, scratch, frame, k, shares)
        for axis in range(len(model.armature)):
            state.coordinates[axis] = motion.coordinates[frame, axis]
            state.speeds[axis] = motion.speeds[frame, axis]
        shares.energy[frame, 0] = kinetic_energy(model, state, scratch)
        shares.energy[frame, 1] = potential_energy(model, state, scratch)
        _guess_modes(model, motion.times[frame], state, scratch, shares.held[frame])
        update_efforts(model, state, scratch)
        for axis in range(len(model.armature)):
            shares.effort[frame, axis] = scratch.efforts[axis]
        for number in range(len(model.forces)):
            _force(model, scratch, number, shares.force[frame, number], shares.line[frame, number])


@kernel
def _place(motion, frame, k, moving):
    i = motion.bodies[k]
    q, w = motion.orientation[frame, i], load3(motion.angular[frame, i])
    R = matrix_of_quaternion((q[0], q[1], q[2], q[3]))
    arm = rotate(R, load3(motion.center[k]))
    store9(moving.rotation, multiply(R, load9(motion.to_body[k])))
    store3(moving.center, add(load3(motion.position[frame, i]), arm))
    store3(moving.angular, w)
    store3(moving.linear, add(load3(motion.linear[frame, i]), cross(w, arm)))


@kernel
def _body(model, scratch, frame, k, shares):
    i, p = model.driven + k, scratch.parameters
    body, moving = model.bodies[i], scratch.bodies[i]
    w, v = load3(moving.angular), load3(moving.linear)
    I = rotate_symmetric(load9(moving.rotation), load6(body.inertia))
    g = len(p) - 3 * (len(model.bodies) - i)
    weight = scale(body.mass, (p[g], p[g + 1], p[g + 2]))
    shares.kinetic[frame, k] = 0.5 * (dot(w, apply_symmetric(I, w)) + body.mass * dot(v, v))
    shares.potential[frame, k] = -dot(weight, load3(moving.center))
    store3(shares.weight[frame, k], weight)


@kernel
def _guess_modes(model, time, state, scratch, held):
    """Guesses the modes of axes by their speeds: one that stands still, or keeps pace with its motor, may be held."""
    fastest = _STILL
    for axis in range(len(model.armature)):
        fastest = max(fastest, abs(state.speeds[axis]))
        held[axis] = math.nan
    for number in range(len(model.switched)):
        switch, moving, p = model.switched[number], scratch.switches[number], scratch.parameters
        k, u, near = switch.axis * AXIS_PARAMETERS, state.speeds[switch.axis], _STILL * fastest
        lag = p[k + MOTOR_VALUE] - u
        moving.friction, moving.motor = 0.0, 0.0
        if switch.motor and (abs(lag) <= near or p[k + MOTOR_LIMIT] == math.inf):
            pace = table_slope(model, switch.table, time) if switch.table >= 0 else 0.0
            held[switch.axis] = model.armature[switch.axis] * pace
        elif abs(u) <= near:
            held[switch.axis] = 0.0
        else:
            moving.friction = -math.copysign(1.0, u) if p[k + STATIC_FRICTION] > 0.0 else 0.0
            moving.motor = math.copysign(1.0, lag) if switch.motor else 0.0


@kernel
def _force(model, scratch, number, shares, line):
    """The kernels' wrenches are about centres of mass; moments become those about the force's points."""
    force, bodies, p, first = model.forces[number], scratch.bodies, scratch.parameters, first_parameter(model, number)
    if force.switches:
        scratch.closed[number] = 1 if gap_of(model, scratch, number) <= 0.0 else 0
    for end in range(2):
        store_spatial(bodies[force.body[end]].wrench, _ZERO, _ZERO)
    add_force(model, scratch, number)
    for end in range(2):
        arm, _, _ = force_point(force, bodies, p, first, end)
        if acts_at_center(force.kind):
            arm = _ZERO
        f = load_linear(bodies[force.body[end]].wrench)
        n = subtract(load_angular(bodies[force.body[end]].wrench), cross(arm, f))
        store3(shares[end, :3], f)
        store3(shares[end, 3:], n)
    _, _, direction, length, rate = spring_length(force, bodies, p, first)
    store3(line[:3], direction)
    line[3], line[4] = length, rate
