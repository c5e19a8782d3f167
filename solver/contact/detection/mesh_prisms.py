# SPDX-License-Identifier: GPL-3.0-or-later
"""A few prisms of the collision engine that stand in for those triangles of the scenery that bodies are near.

MuJoCo looks at all shapes of a model in each query, and compiling 20 000 meshes takes it seconds. So its model has some
prisms, each on a body of its own, and before each query those corners, face normals and boxes are overwritten that its
collision functions read (those of a mesh of so few corners that it searches all of them). A test compares with
a model that was compiled from the same prism.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...kernel import by_reference, entry, kernel
from ...spatial import (
    add_scaled,
    dot,
    load3,
    load9,
    multiply,
    rotate,
    scale,
    store3,
    store9,
    subtract,
    transpose,
    unrotate,
)
from .depenetration import BEHIND
from .scenery import OWN, PRISM, is_ghost

if TYPE_CHECKING:
    import mujoco

FACES = 5


@by_reference
class Prisms(NamedTuple):
    """K prisms in MuJoCo's memory: the last K of its shapes and bodies."""

    triangle: np.ndarray  # (K,) int64: whose prism it is now
    used: np.ndarray  # (1,) int64: how many are in use
    query: np.ndarray  # (1,) int64: number of this query
    taken: np.ndarray  # (T,) int64: the last query that a triangle was near in
    corners: np.ndarray  # (K, 6, 3) float32 mesh_vert
    faces: np.ndarray  # (FACES, 4) int64: numbers of corners around each face, -1 at the end
    face_normal: np.ndarray  # (K, FACES, 3) mesh_polynormal
    box: np.ndarray  # (K, 6) geom_aabb: middle and half size
    body_box: np.ndarray  # (K, 6) bvh_aabb
    bound: np.ndarray  # (K,) geom_rbound
    position: np.ndarray  # (K, 3) geom_xpos
    rotation: np.ndarray  # (K, 9) geom_xmat
    gap: np.ndarray  # (K,) geom_gap
    body_gap: np.ndarray  # (K,) body_margin
    body_position: np.ndarray  # (K, 3) xipos
    body_rotation: np.ndarray  # (K, 9) ximat
    type: np.ndarray  # (K,) int32 geom_contype: 1 if in use
    affinity: np.ndarray  # (K,) int32 geom_conaffinity
    body_type: np.ndarray  # (K,) int32 body_contype
    body_affinity: np.ndarray  # (K,) int32 body_conaffinity


def add_prisms(spec: mujoco.MjSpec, count: int) -> None:
    """Adds so many prisms, each on a mocap body of its own, behind everything else."""
    import mujoco

    for number in range(count):
        name = f"prism {number}"
        spec.add_mesh(name=name, uservert=PRISM.ravel())
        holder = spec.worldbody.add_body(mocap=True, explicitinertial=True, mass=1.0, inertia=[1.0, 1.0, 1.0])
        holder.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)


def prisms_of(model: mujoco.MjModel, data: mujoco.MjData, count: int, triangles: int) -> Prisms:
    """The prisms that were added last."""
    shapes, bodies, meshes = model.ngeom - count, model.nbody - count, model.nmesh - count
    first_corner = len(model.mesh_vert) - 6 * count
    first_face = len(model.mesh_polynormal) - FACES * count
    faces = np.full((FACES, 4), -1)
    if count:
        for face in range(FACES):
            start = model.mesh_polyvertadr[model.mesh_polyadr[meshes] + face]
            size = model.mesh_polyvertnum[model.mesh_polyadr[meshes] + face]
            faces[face, :size] = model.mesh_polyvert[start : start + size]
    return Prisms(
        triangle=np.zeros(count, np.int64),
        used=np.full(1, count, np.int64),
        query=np.zeros(1, np.int64),
        taken=np.zeros(triangles, np.int64),
        corners=model.mesh_vert[first_corner:].reshape(count, 6, 3),
        faces=faces,
        face_normal=model.mesh_polynormal[first_face:].reshape(count, FACES, 3),
        box=model.geom_aabb[shapes:],
        body_box=model.bvh_aabb[model.body_bvhadr[bodies] :][:count] if count else np.empty((0, 6)),
        bound=model.geom_rbound[shapes:],
        position=data.geom_xpos[shapes:],
        rotation=data.geom_xmat[shapes:],
        gap=model.geom_gap[shapes:],
        body_gap=model.body_margin[bodies:],
        body_position=data.xipos[bodies:],
        body_rotation=data.ximat[bodies:],
        type=model.geom_contype[shapes:],
        affinity=model.geom_conaffinity[shapes:],
        body_type=model.body_contype[bodies:],
        body_affinity=model.body_conaffinity[bodies:],
    )


@entry
def place_prisms(meshes, prisms, placement, poses, rotation, center, to_unit, reach):
    """Puts prisms where triangles are near shapes that move; returns how many that takes, more than there are or not.

    poses: of the shapes, in MuJoCo's unit. rotation, center: of our bodies; reach (B,) m.
    """
    prisms.query[0] += 1
    count = 0
    for mesh in range(len(meshes.body)):
        body = meshes.body[mesh]
        R, origin = load9(rotation[body]), scale(to_unit, load3(center[body]))
        first_of_mesh = count
        for shape in range(len(placement.turned)):
            if placement.apart[body, placement.body[shape]]:
                continue
            turned = multiply(transpose(R), load9(poses.rotation[shape]))
            box = placement.box[shape]
            place = subtract(load3(poses.position[shape]), origin)
            middle = add_scaled(unrotate(R, place), 1.0, rotate(turned, (box[0], box[1], box[2])))
            near = to_unit * (reach[body] + reach[placement.body[shape]])
            half = (
                near + abs(turned[0]) * box[3] + abs(turned[1]) * box[4] + abs(turned[2]) * box[5],
                near + abs(turned[3]) * box[3] + abs(turned[4]) * box[4] + abs(turned[5]) * box[5],
                near + abs(turned[6]) * box[3] + abs(turned[7]) * box[4] + abs(turned[8]) * box[5],
            )
            count = _take_near(meshes, mesh, middle, half, prisms, count)
        for slot in range(first_of_mesh, min(count, len(prisms.triangle))):
            _place_prism(meshes, prisms, slot, R, origin)
            prisms.gap[slot] = prisms.body_gap[slot] = to_unit * reach[body]
            placement.body[len(placement.turned) + slot] = body
            placement.part[len(placement.turned) + slot] = meshes.part[mesh]
    in_use = min(count, len(prisms.triangle))
    for slot in range(max(in_use, prisms.used[0])):
        switch = 1 if slot < in_use else 0
        prisms.type[slot] = prisms.affinity[slot] = switch
        prisms.body_type[slot] = prisms.body_affinity[slot] = switch
    prisms.used[0] = in_use
    return count


@kernel
def _take_near(meshes, mesh, middle, half, prisms, count):
    """Notes the triangles whose prisms' boxes meet this box, once each; returns how many there are by now."""
    box, end = meshes.boxes[mesh], meshes.boxes[mesh + 1]
    while box < end:
        low, high = meshes.low[box], meshes.high[box]
        meets = (
            middle[0] + half[0] >= low[0]
            and middle[1] + half[1] >= low[1]
            and middle[2] + half[2] >= low[2]
            and middle[0] - half[0] <= high[0]
            and middle[1] - half[1] <= high[1]
            and middle[2] - half[2] <= high[2]
        )
        if not meets:  # nor what is no number
            box = meshes.skip[box]
            continue
        for triangle in range(meshes.start[box], meshes.end[box]):
            place, size = meshes.middle[triangle], meshes.half[triangle]
            if (
                prisms.taken[triangle] != prisms.query[0]
                and abs(middle[0] - place[0]) <= half[0] + size[0]
                and abs(middle[1] - place[1]) <= half[1] + size[1]
                and abs(middle[2] - place[2]) <= half[2] + size[2]
            ):
                prisms.taken[triangle] = prisms.query[0]
                if count < len(prisms.triangle):
                    prisms.triangle[count] = triangle
                count += 1
        box += 1
    return count


@kernel
def _place_prism(meshes, prisms, slot, R, origin):
    """Overwrites a prism by that of its triangle. R, origin: of the mesh's body."""
    triangle = prisms.triangle[slot]
    corners = prisms.corners[slot]
    farthest = 0.0
    for k in range(6):
        square = 0.0
        for axis in range(3):
            corners[k, axis] = meshes.prism[triangle, k, axis]
            square += corners[k, axis] * corners[k, axis]
        farthest = max(farthest, square)
    prisms.bound[slot] = farthest**0.5
    for face in range(FACES):
        x = y = z = 0.0  # twice the area's vector, after Newell
        k = 0
        while k < 4 and prisms.faces[face, k] >= 0:
            a = prisms.faces[face, k]
            b = prisms.faces[face, k + 1] if k < 3 and prisms.faces[face, k + 1] >= 0 else prisms.faces[face, 0]
            x += (corners[a, 1] - corners[b, 1]) * (corners[a, 2] + corners[b, 2])
            y += (corners[a, 2] - corners[b, 2]) * (corners[a, 0] + corners[b, 0])
            z += (corners[a, 0] - corners[b, 0]) * (corners[a, 1] + corners[b, 1])
            k += 1
        size = (x * x + y * y + z * z) ** 0.5
        store3(prisms.face_normal[slot, face], scale(1.0 / size if size > 0.0 else 0.0, (x, y, z)))
    for axis in range(3):
        prisms.box[slot, axis] = prisms.body_box[slot, axis] = 0.0
        prisms.box[slot, 3 + axis] = prisms.body_box[slot, 3 + axis] = meshes.half[triangle, axis]
    place = add_scaled(origin, 1.0, rotate(R, load3(meshes.middle[triangle])))
    store3(prisms.position[slot], place)
    store9(prisms.rotation[slot], R)
    store3(prisms.body_position[slot], place)
    store9(prisms.body_rotation[slot], R)


@entry
def mark_ghosts(meshes, prisms, placement, rotation, geom, frame, distance, sides):
    """Marks (geom = -1) the points of prisms that are ghosts or belong to bodies that do not touch the mesh.

    Notes in `sides` which pairs overlap, if by ghosts only, and which have points left; what came from BEHIND has none.
    Notes the triangles too that overlap along another normal than their own: a corner may have sunk into them unseen.
    """
    shapes, lost, seen = len(placement.turned), sides.lost, sides.seen
    for shape in range(lost.shape[0]):
        for mesh in range(lost.shape[1]):
            lost[shape, mesh] = seen[shape, mesh] = 0
    sides.count[0] = 0
    for k in range(len(geom)):
        side = 0 if geom[k, 0] >= shapes else 1
        if geom[k, side] < shapes:
            continue
        triangle, shape = prisms.triangle[geom[k, side] - shapes], geom[k, 1 - side]
        mesh = meshes.mesh[triangle]
        body = meshes.body[mesh]
        out = scale(1.0 if side == 0 else -1.0, load3(frame[k]))
        is_apart = placement.apart[body, placement.body[shape]]
        ghost = is_apart or sides.side[shape, mesh] == BEHIND
        n = unrotate(load9(rotation[body]), out)
        if ghost or is_ghost(meshes, triangle, n):
            geom[k, 0] = geom[k, 1] = -1
            ghost = True
        else:
            seen[shape, mesh] = 1
        if not is_apart and distance[k] < 0.0:
            lost[shape, mesh] = max(lost[shape, mesh], 1 if ghost else 2)
            may_hide = ghost or dot(load3(meshes.normal[triangle]), n) <= 1.0 - OWN
            if may_hide and sides.side[shape, mesh] != BEHIND and sides.count[0] < len(sides.hidden):
                sides.hidden[sides.count[0], 0], sides.hidden[sides.count[0], 1] = shape, triangle
                sides.count[0] += 1
