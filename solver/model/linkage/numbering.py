# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bodies a linkage has for the kernels, with what numbers, frames and inertias.

Symbols: x, R pose of a body's own frame; C its centre of mass; P, J pose of its joint's frame; all in the world at zero
coordinates. A dynamic body's axes in the kernels are those of J, so that its joint's axes stand still in them.
"""

import functools

import numpy as np

from ...mechanism.bodies import Body
from ...mechanism.constraints import Constraint
from ...mechanism.description import Mechanism
from ...mechanism.joints import Joint
from ..arrays import Kind
from ..moment import Moment
from ..poses import IDENTITY, ZERO, body_pose, orthogonal, product, rotation_matrices, transposed, turned
from ..topology import Linkage, constraint_bodies, force_bodies


class NumberedLinkage:
    """One linkage's bodies: number 0 is the world, then come its driven bodies, then its dynamic ones.

    first: number of dynamic ones' first; index: of bodies by their places in the mechanism; guide: of what
    leads constraints. After `place_bodies`, with B bodies: center_of_mass (B, 3) m, in their own frames;
    start: x (B, 3), C (B, 3), R (B, 3, 3); own_rotation (n, 3, 3): own frames of the dynamic ones in their kernel axes.
    """

    def __init__(self, mechanism: Mechanism, linkage: Linkage, moment: Moment | None) -> None:
        self.mechanism, self.linkage, self.moment = mechanism, linkage, moment
        self.constraints = [mechanism.constraints[i] for i in linkage.constraints]
        driven, led = self._driven_bodies(), [c for c in self.constraints if c.guide is not None]
        self.index = {None: 0, **{body: k + 1 for k, body in enumerate(driven)}}
        self.guide = {each.name: 1 + len(driven) + k for k, each in enumerate(led)}
        self.first = 1 + len(driven) + len(led)
        self.index.update({body: self.first + k for k, body in enumerate(linkage.bodies[: linkage.whole])})
        self.bodies = [mechanism.bodies[i] for i in driven] + [_guide(each) for each in led]
        self.bodies += [mechanism.bodies[i] for i in linkage.bodies]
        self.joints = [None if j is None else mechanism.joints[j] for j in linkage.joint]
        self.kinds = [Kind.FREE if joint is None else Kind[joint.joint_type.name.upper()] for joint in self.joints]

    @functools.cached_property
    def number_of(self) -> dict[str, int]:
        """Of all bodies of the mechanism, which a linkage of loose ones never asks for."""
        return {body.name: i for i, body in enumerate(self.mechanism.bodies)}

    def _driven_bodies(self) -> list[int]:
        names = [name for i in self.linkage.forces for name in force_bodies(self.mechanism.forces[i])]
        names += [name for constraint in self.constraints for name in constraint_bodies(self.mechanism, constraint)]
        closing = [self.mechanism.joints[j] for j in self.linkage.closing]
        names += [name for joint in closing for name in (joint.parent, joint.child)]
        found = [self.number_of[name] for name in names if name is not None]
        found += [inner for inner in self.linkage.inner if inner is not None]
        found += self.linkage.met
        return list(dict.fromkeys(i for i in found if self.mechanism.bodies[i].motion != "dynamic"))

    @property
    def places(self) -> np.ndarray:
        """(B,): the places of all bodies in the mechanism, -1 for the world and what points follow."""
        places = np.full(self.first + len(self.linkage.bodies), -1)
        for body, k in self.index.items():
            places[k] = -1 if body is None else body
        places[self.first :] = self.linkage.bodies
        return places

    def place_bodies(self, bodies: np.recarray) -> float:
        """Fills in all constant offsets and inertias from the poses at zero coordinates; returns the linkage's size."""
        first = self.first
        poses = [body_pose(body) for body in self.bodies]
        x = np.array([ZERO] + [position for position, _ in poses], float)
        R = rotation_matrices(np.array([IDENTITY] + [orientation for _, orientation in poses]))
        self.center_of_mass = np.zeros_like(x)
        self.center_of_mass[first:] = [body.center_of_mass for body in self.bodies[first - 1 :]]
        C = x + turned(R, self.center_of_mass)
        P, J = C.copy(), R.copy()
        jointed = [first + k for k, joint in enumerate(self.joints) if _has_frame(joint)]
        on_inner, on_outer = self._frames()
        P[jointed], J[jointed] = on_outer
        bodies.inner = -1
        bodies.inner[first:] = [self.index[i] for i in self.linkage.inner]
        bodies.branches[bodies.inner[first:][bodies.inner[first:] != np.arange(first, len(bodies)) - 1]] = 1
        bodies.kind[first:] = self.kinds
        bodies.direction[first:] = [-1.0 if flag else 1.0 for flag in self.linkage.reversed]
        bodies.pitch[first:] = [joint.pitch or 0.0 if joint else 0.0 for joint in self.joints]
        bodies.joint_rotation = np.eye(3).ravel()
        to_inner = transposed(J[bodies.inner[jointed]])
        bodies.joint_rotation[jointed] = orthogonal(product(to_inner, on_inner[1])).reshape(-1, 9)
        bodies.joint_point[jointed] = turned(to_inner, on_inner[0] - C[bodies.inner[jointed]])
        bodies.center_offset = turned(transposed(J), C - P)
        self._free_from_frames(bodies)
        self.own_rotation = product(transposed(J[first:]), R[first:])
        self.start = x, C, R
        self._inertias(bodies[first:])
        return self._size(C[first:], P[first:], bodies[first:])

    def _frames(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Origins (n, 3) and axes (n, 3, 3) of the joints' frames on the inner bodies, and on the outer ones."""
        ways = zip(self.joints, self.linkage.reversed, strict=True)
        sides = [joint.sides[::-1] if is_reversed else joint.sides for joint, is_reversed in ways if _has_frame(joint)]
        return [
            (
                np.array([side[end][0] for side in sides], float).reshape(-1, 3),
                rotation_matrices(np.array([side[end][1] for side in sides], float)),
            )
            for end in range(2)
        ]

    def _free_from_frames(self, bodies: np.recarray) -> None:
        """A contact joint has no frame: it goes from one body's axes and reference point to the other's."""
        riding = bodies.kind == Kind.CONTACT
        bodies.joint_rotation[riding], bodies.joint_point[riding] = np.eye(3).ravel(), 0.0

    def _inertias(self, dynamic: np.recarray) -> None:
        described = self.bodies[self.first - 1 :]
        own = np.array([np.diag(b.inertia) if np.ndim(b.inertia) == 1 else b.inertia for b in described], float)
        along = product(product(self.own_rotation, own.reshape(-1, 3, 3)), transposed(self.own_rotation))
        rows, columns = np.triu_indices(3)
        _, part, parts = np.unique(self.linkage.bodies, return_inverse=True, return_counts=True)
        dynamic.inertia = along[:, rows, columns] / parts[part][:, None]
        dynamic.mass = np.array([body.mass for body in described]) / parts[part]

    def _size(self, C: np.ndarray, P: np.ndarray, dynamic: np.recarray) -> float:
        """The scale of lengths (m): the box around centres and joints, at least the bodies' own extent."""
        extent = np.linalg.norm(np.ptp(np.vstack([C, P]), axis=0))
        gyration = np.sqrt((dynamic.inertia[:, [0, 3, 5]].sum(axis=1) / dynamic.mass).max())
        return float(max(extent, 2.0 * gyration))

    def kernel_axes(self, i: int) -> np.ndarray:
        """(3, 3): the axes that the kernels use for body i, in the world at zero coordinates."""
        R = self.start[2][i]
        return R if i < self.first else product(R, self.own_rotation[i - self.first].T)

    def ends(self, k: int) -> tuple[int, int]:
        """The kernels' numbers of parent and child of the joint that dynamic body k hangs on."""
        outer, inner = self.first + k, self.index[self.linkage.inner[k]]
        return (outer, inner) if self.linkage.reversed[k] else (inner, outer)

    def pose_now(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """(reference point, kernel axes (3, 3)) of body i in the world, at zero coordinates or at the moment."""
        axes = self.kernel_axes(i)
        if self.moment is None or i == 0:
            return self.start[1][i], axes
        number = self.number_of[self.bodies[i - 1].name]
        turn = rotation_matrices(self.moment.orientation[number])[0]
        carried = product(product(turn, self.start[2][i].T), axes)
        return self.moment.position[number] + turned(turn, self.center_of_mass[i]), carried

    def free_pose(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """(centre of mass, orientation) of a dynamic body that floats."""
        i = self.first + k
        if self.moment is None:
            return self.start[1][i], body_pose(self.bodies[i - 1])[1]
        number = self.linkage.bodies[k]
        q = self.moment.orientation[number]
        return self.moment.position[number] + turned(rotation_matrices(q)[0], self.center_of_mass[i]), q


def _has_frame(joint: Joint | None) -> bool:
    """True if a body's joint has a frame of its own, which then gives the body's axes in the kernels."""
    return joint is not None and joint.type != "contact"


def _guide(led: Constraint) -> Body:
    """The keyed body that leads a constraint."""
    return Body(name=f"guide of {led.name}", motion="keyed", keys=led.guide)
