# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism becomes objects: the reverse of `read`, for mechanism files. What the scene has no place for is said."""

from __future__ import annotations

import bpy

from ...solver.mechanism import Mechanism
from ..animation.keys_of_mechanism import put_gravity
from ..read.recorded_actions import add_actions
from .bodies import build_body, build_contact
from .builder import Builder
from .constraints import build_constraint
from .forces import build_force
from .joints import build_joint


def build(context: bpy.types.Context, mechanism: Mechanism) -> Builder:
    """Make everything, in a collection of its own; time 0 is the scene's first frame."""
    builder, scene = Builder(context, mechanism), context.scene
    scene.collection.children.link(builder.collection)
    scene.use_gravity = any(mechanism.gravity)
    put_gravity(scene, mechanism.gravity)
    for body in mechanism.bodies:
        builder.objects[body.name] = build_body(builder, body)
    scene.frame_set(scene.frame_start)
    for joint in mechanism.joints:
        build_joint(builder, joint)
    builder.view_layer.update()
    for constraint in mechanism.constraints:
        build_constraint(builder, constraint)
    for force in mechanism.forces:
        build_force(builder, force)
    followers = {body.name: builder.objects[body.name] for body in mechanism.bodies if body.follow}
    builder.left_out += add_actions(scene, mechanism.actions, followers | builder.ties)
    if mechanism.contact:
        build_contact(builder, mechanism.contact)
    return builder
