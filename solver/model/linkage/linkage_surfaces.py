# SPDX-License-Identifier: GPL-3.0-or-later
"""The surfaces of a linkage's bodies, and which of them never touch each other."""

import numpy as np

from ..collision_shapes import Part, Surfaces, surfaces_of
from ..poses import product, rotation_matrices, turned
from ..touching import Touching
from .numbering import NumberedLinkage


def surfaces_in(linkage: NumberedLinkage) -> Surfaces:
    """Shapes in the kernels' axes, from centres of mass (m); a body that is cut in two has them on its first part."""
    mechanism, own = linkage.mechanism, linkage.linkage
    numbers = [i for i in linkage.index.values() if 0 < i < linkage.first + own.whole]
    shaped = {
        linkage.number_of[linkage.bodies[i - 1].name]: i for i in numbers if linkage.bodies[i - 1].touching_shapes
    }
    touching, parts, materials = Touching(mechanism), [], []
    orientations = [shape.orientation for i in shaped.values() for shape in linkage.bodies[i - 1].shapes]
    rotations = iter(rotation_matrices(np.array(orientations, float)))
    for i in shaped.values():
        body = linkage.bodies[i - 1]
        to_kernel = product(linkage.kernel_axes(i).T, linkage.start[2][i])
        for shape in body.shapes:
            turn = product(to_kernel, next(rotations))
            place = turned(to_kernel, np.array(shape.position) - linkage.center_of_mass[i])
            parts.append(Part(i, body.name, shape, turn, place))
            materials.append(body.material)
    contact = mechanism.contact
    kept = [(shaped[a], shaped[b]) for a, b in touching.apart_among(shaped)]
    apart = {(min(pair), max(pair)) for pair in kept}
    ground = contact.ground if contact is not None and contact.enabled else None
    return surfaces_of(parts, materials, ground, apart, touching.any_among(shaped))
