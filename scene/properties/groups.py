# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.ves` and `Scene.ves`: everything that a mechanism needs to know lives in the .blend, under these two.

A body is a mesh object. Joints, forces and constraints (nail, path, ...) are Empties: the Empty's frame (its scale
aside) is that of the joint or of the force, and pointers name the one or two bodies. `Object.ves` is flat, so that
scripts and drivers say `ves.motion` or `ves.motor_target[0]`; its fields come from the mix-in classes imported below.
"""

import bpy
from bpy.props import BoolProperty, EnumProperty, PointerProperty

from ..owner import Owner
from ..visible.visible import follow
from .body import BodyProperties
from .constraint import OF_CONSTRAINTS, CatchProperties, VES_PG_rope_point
from .contact import ContactProperties, VES_PG_ignored_body
from .figures import BalanceProperties, ReachProperties, SteeringProperties, VES_PG_foot
from .force import ForceProperties, VES_PG_pull_row
from .impacts import VES_PG_impact_mark, VES_PG_marked_body
from .joint import JointProperties
from .link import LinkProperties
from .play import VES_PG_action_button, VES_PG_recorded_action
from .ride import RideProperties
from .roles import POINTING_ROLES, ROLES, shows_frame
from .scene import VES_PG_finding, VES_PG_scene
from .setting import OVERRIDABLE, GivenActions, animatable, object_setting, setting
from .tables import TableProperties, VES_PG_table, VES_PG_table_row
from .view_plots import VES_PG_view_plot


def _is_body(_self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.ves.role == "BODY"


def _is_other(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate != self.id_data


def _end_chosen(self: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Takes along, with its new body, whatever belongs to one or marks a place on one."""
    if self.body_a is not None and self.body_b is not None:
        self.to_world = False
    carrier = self.body_a or self.body_b
    if shows_frame(self):
        carrier = self.body_b
    elif self.role == "ROPE":
        carrier = self.body_a
    if self.role in POINTING_ROLES and carrier is not None:
        _hang_on(self.id_data, carrier, context.view_layer)
    mark = self.anchor_b
    if mark is not None and self.body_b is not None and mark.type == "EMPTY" and mark.ves.role == "NONE":
        _hang_on(mark, self.body_b, context.view_layer)
    follow(self.id_data)


def _hangs_on(candidate: bpy.types.Object | None, other: bpy.types.Object) -> bool:
    """True if it is the other, or a child of it at any depth."""
    while candidate not in {None, other}:
        candidate = candidate.parent
    return candidate is not None


def _hang_on(empty: bpy.types.Object, body: bpy.types.Object, view_layer: bpy.types.ViewLayer) -> None:
    """Make an Empty that is a child of one body a child of another, where it is.

    One without a parent, or with one that is no body, was put there by a person or a script, and stays as it is.
    """
    if empty.parent in {None, body} or empty.parent.ves.role != "BODY":
        return
    if _hangs_on(body, empty):
        return  # which a script may ask for: Check names what is no body
    view_layer.update()
    Owner(body).hang(empty, empty.matrix_world.copy())


class VES_PG_object(
    BodyProperties,
    ContactProperties,
    JointProperties,
    LinkProperties,
    RideProperties,
    *OF_CONSTRAINTS,
    CatchProperties,
    TableProperties,
    ForceProperties,
    BalanceProperties,
    ReachProperties,
    SteeringProperties,
    GivenActions,
    bpy.types.PropertyGroup,
):
    """Registered as `Object.ves`."""

    role: setting(
        EnumProperty,
        name="Role",
        description="What the object is to the mechanism",
        items=ROLES,
        default="NONE",
    )
    enabled: animatable(
        BoolProperty,
        name="Enabled",
        description="Whether the joint, constraint or force takes part. "
        "Keyframes switch it on and off while the motion runs",
        default=True,
    )
    body_a: object_setting(
        name="Body A",
        description="The body that is held, pushed or, for a joint, the parent (nothing: the world, if To World is on)",
        poll=_is_body,
        update=_end_chosen,
    )
    body_b: object_setting(
        name="Body B",
        description="The second body; for a joint the child, for a spring its other end "
        "(nothing: the world, if To World is on)",
        poll=_is_body,
        update=_end_chosen,
    )
    anchor_b: object_setting(
        name="Other Side",
        description="Object that marks the place on Body B (for a joint, the child's side while it is still loose); "
        "without one, both sides are where the Empty is",
        poll=_is_other,
        update=_end_chosen,
    )
    to_world: setting(
        BoolProperty,
        name="To World",
        description="An end without a body is fastened to the world. "
        "When this is off, such an end means that a body was deleted, and Check says so",
        default=False,
    )
    shape: object_setting(
        name="Shape",
        description="The object that makes a spring, a rubber, a distance, a pulley or a rope visible",
    )


CLASSES = (
    VES_PG_finding,
    VES_PG_action_button,
    VES_PG_recorded_action,
    VES_PG_ignored_body,
    VES_PG_foot,
    VES_PG_rope_point,
    VES_PG_pull_row,
    VES_PG_table_row,
    VES_PG_table,
    VES_PG_impact_mark,
    VES_PG_marked_body,
    VES_PG_view_plot,
    VES_PG_scene,
    VES_PG_object,
)


def register() -> None:
    """Register the groups and hang them on Object and Scene."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.ves = PointerProperty(
        name="Virtual Erector Set",
        description="What the object is to its mechanism",
        type=VES_PG_object,
        override=OVERRIDABLE,
    )
    bpy.types.Scene.ves = PointerProperty(
        name="Virtual Erector Set", description="Settings of the mechanism in this scene", type=VES_PG_scene
    )


def unregister() -> None:
    """Take them away again."""
    del bpy.types.Scene.ves
    del bpy.types.Object.ves
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
