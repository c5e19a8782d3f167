# SPDX-License-Identifier: GPL-3.0-or-later
"""A hybrid linkage: of a linkage's joints some are active, and bodies that the held ones join are one rigid body.

Redon, Galoppo and Lin (2005) join rigid parts in the assembly tree of the divide-and-conquer method. Here they become
the bodies of a smaller model, so the recursion and all that goes with it take it as any other: what is held costs
nothing from step to step, and an active joint as much as ever.

Symbols: B bodies, a axes and b bodies of the hybrid; J frame of a joint, R axes of a body.
"""

from dataclasses import dataclass

import numpy as np

from ...model.arrays import AXIS_PARAMETERS, FORCE_PARAMETERS, Model, Scratch, State, records
from .rigid_parts import RIGID_PART, join_bodies


@dataclass
class Hybrid:
    """The model of a hybrid linkage, and what its bodies, axes and charts are of the whole one."""

    model: Model
    parts: np.recarray  # (b,) RIGID_PART, as they were when it was made
    axes: np.ndarray  # (a,)
    charts: np.ndarray

    def gather(self, whole: State, state: State) -> None:
        """Takes the state of the active joints from that of the whole."""
        state.coordinates[:], state.speeds[:] = whole.coordinates[self.axes], whole.speeds[self.axes]
        state.anchor[:] = whole.anchor[self.charts]

    def scatter(self, state: State, whole: State) -> None:
        """Puts it back; what is held has no speed."""
        whole.speeds[:] = 0.0
        whole.coordinates[self.axes], whole.speeds[self.axes] = state.coordinates, state.speeds
        whole.anchor[self.charts] = state.anchor


def rigid_parts(model: Model, scratch: Scratch, is_active: np.ndarray) -> tuple[np.ndarray, np.recarray]:
    """The part (B,) of each body, and the parts (b,) RIGID_PART, if these bodies' joints (B,) are active."""
    part, parts = np.zeros(len(is_active), np.int64), records(int(np.count_nonzero(is_active)), RIGID_PART)
    join_bodies(model, scratch, is_active, part, parts)
    return part, parts


def hybrid_of(model: Model, scratch: Scratch, part: np.ndarray, parts: np.recarray) -> Hybrid:
    """The hybrid of these parts, at the pose in `scratch`."""
    heads, driven = parts.head, model.driven
    active = model.bodies[heads[driven:]]
    axes = _ranges(active.axis_start, active.axis_end - active.axis_start)
    charts = active.chart[active.chart >= 0]
    forces = np.flatnonzero((part[model.forces.body] >= driven).any(axis=1))
    made = model._replace(
        bodies=_bodies(model, scratch, part, parts),
        armature=model.armature[axes],
        motor_mode=model.motor_mode[axes],
        sprung=_renumbered(model.sprung, axes, len(model.armature)),
        charted=part[model.charted[charts]],
        is_length=model.is_length[axes],
        forces=_forces(model, scratch, forces, part, parts),
        axis_curves=model.axis_curves[axes] if len(model.axis_curves) else model.axis_curves,
        **_parameters(model, axes, forces, heads),
    )
    return Hybrid(made, parts, axes, charts)


def _bodies(model: Model, scratch: Scratch, part: np.ndarray, parts: np.recarray) -> np.recarray:
    """Records of the parts; one of a single body is what it was, to the last bit."""
    driven, moving = model.driven, scratch.bodies
    found = model.bodies[parts.head]
    inner = found.inner[driven:].copy()
    _renumber(found, driven, part[inner])
    R = moving.rotation.reshape(-1, 3, 3)

    joined = driven + np.flatnonzero(parts.bodies[driven:] > 1)
    of_head, parts_joined = R[parts.head[joined]], parts[joined]
    total = parts_joined.inertia[:, (0, 1, 2, 1, 3, 4, 2, 4, 5)].reshape(-1, 3, 3)
    own = of_head.swapaxes(1, 2) @ total @ of_head
    found.mass[joined], found.inertia[joined] = parts_joined.mass, own[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
    found.center_offset[joined] += _unrotated(of_head, parts_joined.center - moving.center[parts_joined.head])

    moved = np.flatnonzero(parts.bodies[part[inner]] > 1)
    inner, outer = inner[moved], driven + moved
    within = parts[part[inner]]
    J = R[inner] @ found.joint_rotation[outer].reshape(-1, 3, 3)
    origin = moving.center[inner] + np.einsum("nij,nj->ni", R[inner], found.joint_point[outer])
    found.joint_rotation[outer] = (R[within.head].swapaxes(1, 2) @ J).reshape(-1, 9)
    found.joint_point[outer] = _unrotated(R[within.head], origin - within.center)
    return found


def _renumber(bodies: np.recarray, driven: int, inner: np.ndarray) -> None:
    """Gives dynamic bodies these inner ones (n,), and axes and charts that follow on each other."""
    bodies.inner[driven:] = inner
    lengths = (bodies.axis_end - bodies.axis_start)[driven:]
    bodies.axis_end[driven:] = np.cumsum(lengths)
    bodies.axis_start[driven:] = bodies.axis_end[driven:] - lengths
    charted = driven + np.flatnonzero(bodies.chart[driven:] >= 0)
    bodies.chart[charted] = np.arange(len(charted))
    bodies.branches = 0
    bodies.branches[inner[inner != np.arange(driven, len(bodies)) - 1]] = 1


def _forces(model: Model, scratch: Scratch, kept: np.ndarray, part: np.ndarray, parts: np.recarray) -> np.recarray:
    """Records of these forces: their points move with heads, from the parts' centres.

    A jump is nothing to stop at: Runge-Kutta goes over it by shorter steps.
    """
    found, R = model.forces[kept], scratch.bodies.rotation.reshape(-1, 3, 3)
    found.switches = 0
    for end in range(2):
        body = found.body[:, end].copy()
        within = parts[part[body]]
        turn = R[within.head].swapaxes(1, 2) @ R[body]
        axes = found.axes[:, end].reshape(-1, 3, 3) @ turn.swapaxes(1, 2)
        arm = _unrotated(R[within.head], scratch.bodies.center[body] - within.center)
        found.origin[:, end] -= np.einsum("nij,nj->ni", axes, arm)
        found.axes[:, end] = axes.reshape(-1, 9)
        found.body[:, end] = part[body]
    return found


def _parameters(model: Model, axes: np.ndarray, forces: np.ndarray, bodies: np.ndarray) -> dict[str, np.ndarray]:
    """The parameters of what is left, and the tables that drive some of them."""
    count = len(model.parameters)
    of_forces, of_gravity = len(model.armature) * AXIS_PARAMETERS, count - 3 * len(model.bodies)
    chosen = [
        _ranges(axes * AXIS_PARAMETERS, np.full(len(axes), AXIS_PARAMETERS)),
        _ranges(of_forces + forces * FORCE_PARAMETERS, np.full(len(forces), FORCE_PARAMETERS)),
        _ranges(of_gravity + 3 * bodies, np.full(len(bodies), 3)),
    ]
    chosen = np.concatenate(chosen)
    tables = model.tables[np.isin(model.tables.target, chosen)]
    tables.target = np.searchsorted(chosen, tables.target)
    return {"parameters": model.parameters[chosen], "tables": tables}


def _renumbered(some: np.ndarray, kept: np.ndarray, count: int) -> np.ndarray:
    """Those of some numbers that are kept, by their place among those."""
    new = np.full(count, -1)
    new[kept] = np.arange(len(kept))
    return new[some][new[some] >= 0]


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """All numbers from each start on, so many of each."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


def _unrotated(R: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(n, 3): R^T v of each."""
    return np.einsum("nji,nj->ni", R, vectors)
