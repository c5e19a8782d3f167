# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilation of linkages of which thousands are single bodies that float: those differ in few numbers, and share all
other arrays, which nothing writes to.

What differs is worked out as `numbering` does it.
"""

import functools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...mechanism.bodies import Body
from ...mechanism.description import Mechanism
from ..arrays import LAGRANGE, SPARSE, State
from ..moment import Moment
from ..poses import IDENTITY, body_pose, product, rotation_matrices, transposed, turned
from ..topology import Linkage, find_linkages
from .compilation import Compiled, compile_linkage

_LEAST = 1e-3  # least moment of inertia over the largest: what is thinner is left to those who refuse it
_WITH_INERTIA = LAGRANGE, SPARSE  # methods whose other arrays know the body's inertia
_ROWS, _COLUMNS = np.triu_indices(3)


def compile_quickly(
    mechanism: Mechanism, linkages: list[Linkage], method: int, moment: Moment | None = None
) -> list[Compiled]:
    """As `compile_linkage` does, from shared arrays where a linkage is a single body that only gravity acts on."""
    loose = _find_loose(mechanism, linkages) if moment is None and method not in _WITH_INERTIA else []
    found = {}
    if loose:
        shared = _shared(method, tuple(map(float, mechanism.gravity)))
        found = dict(zip(map(id, loose), _loose_bodies(mechanism, loose, shared), strict=True))
    return [found.get(id(each)) or compile_linkage(mechanism, each, method, moment) for each in linkages]


def _find_loose(mechanism: Mechanism, linkages: list[Linkage]) -> list[Linkage]:
    if not all(isinstance(each, int | float) for each in mechanism.gravity):
        return []
    single = [
        each
        for each in linkages
        if each.joint == [None]
        and not (each.touches or each.closing or each.constraints or each.forces)
        and mechanism.bodies[each.bodies[0]].follow is None
    ]
    moments = np.linalg.eigvalsh(_inertias(mechanism, single))
    return [each for each, (least, _, most) in zip(single, moments, strict=True) if least > _LEAST * most]


def _inertias(mechanism: Mechanism, linkages: list[Linkage]) -> np.ndarray:
    """(n, 3, 3): of bodies that are linkages by themselves."""
    inertias = [mechanism.bodies[each.bodies[0]].inertia for each in linkages]
    return np.array([np.diag(each) if np.ndim(each) == 1 else each for each in inertias], float).reshape(-1, 3, 3)


@functools.lru_cache(maxsize=8)
def _shared(method: int, gravity: tuple[float, float, float]) -> Compiled:
    """A loose body that stands for all others."""
    mechanism = Mechanism(bodies=[Body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))], gravity=gravity)
    return compile_linkage(mechanism, find_linkages(mechanism)[0], method)


def _loose_bodies(mechanism: Mechanism, linkages: list[Linkage], shared: Compiled) -> Iterator[Compiled]:
    """Loose bodies with the arrays of another one. Stops are as hard as there, since they have none."""
    bodies = [mechanism.bodies[each.bodies[0]] for each in linkages]
    poses = [body_pose(body) for body in bodies]
    positions, orientations = (np.array(each, float) for each in zip(*poses, strict=True))
    masses, centers = (np.array([getattr(b, key) for b in bodies], float) for key in ("mass", "center_of_mass"))
    R = rotation_matrices(np.vstack([IDENTITY, orientations]))[1:]  # two or more, for the same digits of each
    C = positions + turned(R, centers)
    own_rotation = product(transposed(R), R)
    along = product(product(own_rotation, _inertias(mechanism, linkages)), transposed(own_rotation))
    inertias = along[:, _ROWS, _COLUMNS]
    sizes = 2.0 * np.sqrt(inertias[:, [0, 3, 5]].sum(axis=1) / masses)
    coordinates, places = np.hstack([C, np.zeros_like(C)]), np.full((len(bodies), 2), -1)
    places[:, 1] = [each.bodies[0] for each in linkages]
    for k, linkage in enumerate(linkages):
        records = shared.model.bodies.copy()
        records["inertia"][1], records["mass"][1] = inertias[k], masses[k]
        yield replace(
            shared,
            linkage=linkage,
            model=shared.model._replace(bodies=records, size=float(sizes[k])),
            state=State(coordinates[k], np.zeros(6), orientations[k : k + 1]),
            places=places[k],
            own_rotation=own_rotation[k : k + 1],
            center_of_mass=centers[k : k + 1],
        )
