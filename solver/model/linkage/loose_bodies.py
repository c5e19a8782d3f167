# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilation of linkages of which thousands are single bodies that float: those differ in few numbers, and share all
other arrays, which nothing writes to.

What differs is worked out as `numbering` does it.
"""

import functools
from dataclasses import replace

import numpy as np

from ...mechanism.bodies import Body
from ...mechanism.description import Mechanism
from ..arrays import LAGRANGE, SPARSE, State
from ..moment import Moment
from ..poses import IDENTITY, ZERO, body_pose, rotation_matrices
from ..topology import Linkage, find_linkages
from .compilation import Compiled, compile_linkage

_LEAST = 1e-3  # least moment of inertia over the largest: what is thinner is left to those who refuse it
_WITH_INERTIA = LAGRANGE, SPARSE  # methods whose other arrays know the body's inertia
_ROWS, _COLUMNS = np.triu_indices(3)


def compile_quickly(mechanism: Mechanism, linkage: Linkage, method: int, moment: Moment | None = None) -> Compiled:
    """As `compile_linkage` does, from shared arrays where the linkage is a single body that only gravity acts on."""
    if moment is not None or method in _WITH_INERTIA or not _is_loose(mechanism, linkage):
        return compile_linkage(mechanism, linkage, method, moment)
    return _loose_body(mechanism, linkage, _shared(method, tuple(map(float, mechanism.gravity))))


def _is_loose(mechanism: Mechanism, linkage: Linkage) -> bool:
    if linkage.joint != [None] or linkage.touches or linkage.closing or linkage.constraints or linkage.forces:
        return False
    if not all(isinstance(each, int | float) for each in mechanism.gravity):
        return False
    moments = np.linalg.eigvalsh(_inertia(mechanism.bodies[linkage.bodies[0]]))
    return moments[0] > _LEAST * moments[2]


def _inertia(body: Body) -> np.ndarray:
    return np.array(np.diag(body.inertia) if np.ndim(body.inertia) == 1 else body.inertia, float)


@functools.lru_cache(maxsize=8)
def _shared(method: int, gravity: tuple[float, float, float]) -> Compiled:
    """A loose body that stands for all others."""
    mechanism = Mechanism(bodies=[Body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))], gravity=gravity)
    return compile_linkage(mechanism, find_linkages(mechanism)[0], method)


def _loose_body(mechanism: Mechanism, linkage: Linkage, shared: Compiled) -> Compiled:
    """A loose body with the arrays of another one. Stops are as hard as there, since it has none."""
    body = mechanism.bodies[linkage.bodies[0]]
    position, orientation = body_pose(body)
    R = rotation_matrices(np.array([IDENTITY, orientation]))[1:]
    center = np.array([body.center_of_mass], float)
    C = np.array([position], float) + np.einsum("bij,bj->bi", R, center)
    own_rotation = np.swapaxes(R, 1, 2) @ R
    turned = own_rotation @ _inertia(body)[None] @ np.swapaxes(own_rotation, 1, 2)
    inertia = turned[0, _ROWS, _COLUMNS]
    bodies = shared.model.bodies.copy()
    bodies.inertia[1], bodies.mass[1] = inertia, body.mass
    size = float(2.0 * np.sqrt(inertia[[0, 3, 5]].sum() / body.mass))
    return replace(
        shared,
        linkage=linkage,
        model=shared.model._replace(bodies=bodies, size=size),
        state=State(np.array([*C[0], *ZERO]), np.zeros(6), np.array([orientation], float)),
        places=np.array([-1, *linkage.bodies]),
        own_rotation=own_rotation,
        center_of_mass=center,
    )
