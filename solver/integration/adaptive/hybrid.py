# SPDX-License-Identifier: GPL-3.0-or-later
"""A hybrid linkage: of a linkage's joints some are active, and bodies that the held ones join are one rigid body.

Redon, Galoppo and Lin (2005) join rigid parts in the assembly tree of the divide-and-conquer method. Here they become
the bodies of a smaller model, so the recursion and all that goes with it take it as any other: what is held costs
nothing from step to step, and an active joint as much as ever. A rigid body goes by its head, the innermost of its
bodies, whose joint is active, or the driven body that it hangs on.
"""

from dataclasses import dataclass

import numpy as np

from ...model.arrays import AXIS_PARAMETERS, FORCE_PARAMETERS, Model, Scratch, State


@dataclass
class Hybrid:
    """The model of a hybrid linkage, and where its bodies, axes and charts are in the whole one."""

    model: Model
    head: np.ndarray  # (B,) of each body of the whole
    number: np.ndarray  # (B,) in the hybrid: of each head
    axes: np.ndarray  # (a,)
    charts: np.ndarray  # (c,)

    def gather(self, whole: State, state: State) -> None:
        """Takes the state of the active joints from that of the whole."""
        state.coordinates[:], state.speeds[:] = whole.coordinates[self.axes], whole.speeds[self.axes]
        state.anchor[:] = whole.anchor[self.charts]

    def scatter(self, state: State, whole: State) -> None:
        """Puts it back; what is held has no speed."""
        whole.speeds[:] = 0.0
        whole.coordinates[self.axes], whole.speeds[self.axes] = state.coordinates, state.speeds
        whole.anchor[self.charts] = state.anchor

    def momenta(self, model: Model, scratch: Scratch) -> np.ndarray:
        """(b, 6) N m s, N s: of the rigid bodies about their centres of mass, as all joints of the whole move now."""
        moving, bodies, driven = scratch.bodies, model.bodies, model.driven
        number, count = self.number[self.head[driven:]], len(self.model.bodies)
        mass, center, linear = bodies.mass[driven:, None], moving.center[driven:], moving.linear[driven:]
        middle = _sums(mass * center, number, count) / np.maximum(_sums(mass, number, count), 1e-300)
        spin = np.einsum("nij,nj->ni", _world_inertias(model, scratch), moving.angular[driven:])
        spin += np.cross(center - middle[number], mass * linear)
        return np.hstack([_sums(spin, number, count), _sums(mass * linear, number, count)])


def hybrid_of(model: Model, scratch: Scratch, is_active: np.ndarray) -> Hybrid:
    """The hybrid in which these bodies' joints (B,) are active, at the pose in `scratch`."""
    bodies, driven = model.bodies, model.driven
    head = _heads(bodies.inner, is_active, driven)
    kept = np.flatnonzero(head == np.arange(len(bodies)))
    number = np.full(len(bodies), -1)
    number[kept] = np.arange(len(kept))
    active = kept[driven:]
    lengths = bodies.axis_end[active] - bodies.axis_start[active]
    axes = _ranges(bodies.axis_start[active], lengths)
    charts = bodies.chart[active][bodies.chart[active] >= 0]
    places = _places(model, scratch, head, number, kept)
    found = _bodies(model, scratch, head, number, kept, places)
    forces = np.flatnonzero((head[model.forces.body] >= driven).any(axis=1))
    made = model._replace(
        bodies=found,
        armature=model.armature[axes],
        motor_mode=model.motor_mode[axes],
        sprung=_renumbered(model.sprung, axes, len(model.armature)),
        charted=number[model.charted[charts]],
        is_length=model.is_length[axes],
        forces=_forces(model, scratch, forces, head, number, places),
        axis_curves=model.axis_curves[axes] if len(model.axis_curves) else model.axis_curves,
        **_parameters(model, axes, forces, kept),
    )
    return Hybrid(made, head, number, axes, charts)


def _heads(inner: np.ndarray, is_active: np.ndarray, driven: int) -> np.ndarray:
    """(B,): by pointer jumping, which takes as many rounds as the longest rigid part has powers of two."""
    head = np.where(is_active, np.arange(len(inner)), inner)
    head[:driven] = np.arange(driven)
    while True:
        further = head[head]
        if (further == head).all():
            return head
        head = further


def _places(model: Model, scratch: Scratch, head, number, kept) -> np.ndarray:
    """(b, 3) m: reference points of the rigid bodies in the world: centres of mass, or those of driven bodies."""
    driven = model.driven
    places, mass, single = scratch.bodies.center[kept].copy(), model.bodies.mass[driven:], _is_single(head, number)
    group = number[head[driven:]]
    middle = _sums(mass[:, None] * scratch.bodies.center[driven:], group, len(kept))
    joined = ~single & (np.arange(len(kept)) >= driven)
    places[joined] = middle[joined] / np.bincount(group, mass, len(kept))[joined, None]
    return places


def _is_single(head: np.ndarray, number: np.ndarray) -> np.ndarray:
    """(b,): rigid bodies of one body, whose numbers stay as they are to the last bit."""
    return np.bincount(number[head]) == 1


def _bodies(model: Model, scratch: Scratch, head, number, kept, places) -> np.recarray:
    """Records of the hybrid's bodies."""
    driven, moving, count = model.driven, scratch.bodies, len(kept)
    found, single = model.bodies[kept].copy(), _is_single(head, number)
    old_inner, active = found.inner[driven:].copy(), kept[driven:]
    found.inner[driven:] = number[head[old_inner]]
    ends = np.cumsum(found.axis_end[driven:] - found.axis_start[driven:])
    found.axis_start[driven:] = ends - (found.axis_end - found.axis_start)[driven:]
    found.axis_end[driven:] = ends
    charted = np.flatnonzero(found.chart >= 0)
    found.chart[charted] = np.arange(len(charted))
    found.branches = 0
    away = found.inner[driven:] != np.arange(driven, count) - 1
    found.branches[found.inner[driven:][away]] = 1

    group, mass = number[head[driven:]], model.bodies.mass[driven:]
    rotation = moving.rotation.reshape(-1, 3, 3)
    arm = moving.center[driven:] - places[group]
    inertia = _world_inertias(model, scratch)
    inertia += mass[:, None, None] * (np.sum(arm**2, axis=1)[:, None, None] * np.eye(3) - arm[:, :, None] * arm[:, None])
    total = _sums(inertia.reshape(-1, 9), group, count).reshape(-1, 3, 3)
    joined = np.flatnonzero(~single)
    joined = joined[joined >= driven]
    R = rotation[kept[joined]]
    own = np.einsum("nji,njk,nkl->nil", R, total[joined], R)
    found.mass[joined] = np.bincount(group, mass, count)[joined]
    found.inertia[joined] = own[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
    shift = places[joined] - moving.center[kept[joined]]
    found.center_offset[joined] += np.einsum("nji,nj->ni", R, shift)

    moved = np.flatnonzero((head[old_inner] != old_inner) | ~single[number[head[old_inner]]])
    inner, outer = old_inner[moved], driven + moved
    R, R_head = rotation[inner], rotation[head[inner]]
    J = np.einsum("nij,njk->nik", R, found.joint_rotation[outer].reshape(-1, 3, 3))
    found.joint_rotation[outer] = np.einsum("nji,njk->nik", R_head, J).reshape(-1, 9)
    o = moving.center[inner] + np.einsum("nij,nj->ni", R, found.joint_point[outer]) - places[number[head[inner]]]
    found.joint_point[outer] = np.einsum("nji,nj->ni", R_head, o)
    del active
    return found


def _forces(model: Model, scratch: Scratch, kept, head, number, places) -> np.recarray:
    """Records of the forces that act on what moves: their points move with heads, from reference points of those.

    A jump is nothing to stop at: Runge-Kutta steps over it by shorter steps.
    """
    found, moving = model.forces[kept].copy(), scratch.bodies
    rotation = moving.rotation.reshape(-1, 3, 3)
    found.switches = 0
    for end in range(2):
        body = found.body[:, end]
        leader = head[body]
        turn = np.einsum("nji,njk->nik", rotation[leader], rotation[body])
        arm = np.einsum("nji,nj->ni", rotation[leader], moving.center[body] - places[number[leader]])
        axes = np.einsum("nij,nkj->nik", found.axes[:, end].reshape(-1, 3, 3), turn)
        found.origin[:, end] -= np.einsum("nij,nj->ni", axes, arm)
        found.axes[:, end] = axes.reshape(-1, 9)
        found.body[:, end] = number[leader]
    return found


def _parameters(model: Model, axes, forces, kept) -> dict[str, np.ndarray]:
    """The parameters of what is left, and the tables that drive some of them."""
    count = len(model.parameters)
    of_forces, of_gravity = len(model.armature) * AXIS_PARAMETERS, count - 3 * len(model.bodies)
    chosen = [
        _ranges(axes * AXIS_PARAMETERS, np.full(len(axes), AXIS_PARAMETERS)),
        _ranges(of_forces + forces * FORCE_PARAMETERS, np.full(len(forces), FORCE_PARAMETERS)),
        _ranges(of_gravity + 3 * kept, np.full(len(kept), 3)),
    ]
    chosen = np.concatenate(chosen)
    new = np.full(count, -1)
    new[chosen] = np.arange(len(chosen))
    tables = model.tables[new[model.tables.target] >= 0].copy()
    tables.target = new[tables.target]
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


def _sums(values: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    """(count, k): sums of the rows (n, k) of each group."""
    return np.column_stack([np.bincount(group, column, count) for column in values.T])


def _world_inertias(model: Model, scratch: Scratch) -> np.ndarray:
    """(n, 3, 3) kg m2: of the dynamic bodies about their centres of mass, along the world's axes."""
    driven = model.driven
    own = model.bodies.inertia[driven:][:, (0, 1, 2, 1, 3, 4, 2, 4, 5)].reshape(-1, 3, 3)
    R = scratch.bodies.rotation[driven:].reshape(-1, 3, 3)
    return R @ own @ R.swapaxes(1, 2)
