# SPDX-License-Identifier: GPL-3.0-or-later
"""The state that a linkage starts from, or goes on from at a moment of its motion; speeds come later."""

import numpy as np

from ...surfaces.surface import frame_of
from ...surfaces.touch import Touch
from ..arrays import CHARTED, Kind, Model, State
from ..poses import rotation_vector_quaternion, turned
from ..surface_joints import touch_of
from .numbering import NumberedLinkage


def starting_state(numbered: NumberedLinkage, model: Model) -> State:
    """Coordinates at the start or the moment, speeds zero; charts are anchored at the rotations there."""
    coordinates = np.zeros(len(model.armature))
    anchor = np.zeros((len(model.charted) + len(model.rides.joints), 4))
    for k, (joint, kind) in enumerate(zip(numbered.joints, numbered.kinds, strict=True)):
        body = model.bodies[numbered.first + k]
        axes = slice(body.axis_start, body.axis_end)
        if kind == Kind.FREE:
            coordinates[axes][:3], anchor[body.chart] = numbered.free_pose(k)
            continue
        if kind == Kind.CONTACT:
            touch = _touch(numbered, model, numbered.first + k)
            coordinates[axes], anchor[body.chart, 1:3] = touch.coordinates, touch.charts
            continue
        given = joint.start_coordinates
        if numbered.moment is not None:
            given = numbered.moment.coordinates_of(numbered.linkage.joint[k])
        if kind in CHARTED:
            given = (0.0,) * (body.axis_end - body.axis_start) if given is None else given
            anchor[body.chart] = rotation_vector_quaternion(given[-3:])
            coordinates[axes][:-3] = given[:-3]
        elif given is not None:
            coordinates[axes] = given
    return State(coordinates, np.zeros(len(model.armature)), anchor)


def _touch(numbered: NumberedLinkage, model: Model, outer: int) -> Touch:
    """The touch of a contact joint's surfaces, at the start or at the moment."""
    k, r = outer - numbered.first, model.bodies.chart[outer] - len(model.charted)
    parent, child = (numbered.pose_now(i) for i in numbered.ends(k))
    time = None if numbered.moment is None else numbered.moment.time
    near = np.array(numbered.joints[k].position, float)
    if numbered.moment is not None:
        u, v = numbered.moment.coordinates_of(numbered.linkage.joint[k])[:2]
        point, *_ = frame_of(model.rides.surfaces[2 * r], model.rides.pieces, 0, u, v)
        near = parent[0] + turned(parent[1], np.array(point))
    return touch_of(model.rides, r, numbered.joints[k], (parent, child), model.size, near, time)
