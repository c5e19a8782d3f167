# SPDX-License-Identifier: GPL-3.0-or-later
"""Gears and racks between joints that turn and slide."""

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...scene.owner import Owner
from ...scene.parts.bodies import is_body
from ...scene.parts.empties import LABELS, add_empty, display_size, home_of
from ...scene.parts.placement import outline
from ...solver.mechanism import Gear, Rack
from ..polls import cancelled
from ..selection import adjustable, names, select_only

PARALLEL = 0.99  # cosine of the angle between axes that count as parallel
COAXIAL = 0.05  # of the larger radius: distance between axes that count as one


class TransmissionError(Exception):
    """A selection that is wrong, in words."""


class OnJoints:
    """Mixed into operators that couple the joints of what is selected: joints, or bodies that turn or slide on one."""

    kinds: tuple[str, ...] = ()

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Says in the tooltip of a greyed button what is missing."""
        if context.mode != "OBJECT":
            cls.poll_message_set("Only in Object Mode")
            return False
        if sum(_is_joint(ob) or is_body(ob) for ob in context.selected_objects) < 2:
            cls.poll_message_set("Select two wheels, or other bodies on joints, or the joints themselves")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """One Empty for each pair; it is a child of the first joint."""
        active = context.active_object
        chosen = [ob for ob in context.selected_objects if _is_joint(ob) or is_body(ob)]
        chosen.sort(key=lambda ob: ob != active)
        context.view_layer.update()
        depsgraph = context.evaluated_depsgraph_get()
        try:
            sides = [Side(joint_of(ob, context.scene, self.kinds), ob, depsgraph) for ob in chosen]
            pairs = self._pairs(sides)
        except TransmissionError as error:
            return cancelled(self, str(error))
        select_only(context, [self._couple(context, *pair) for pair in pairs])
        return {"FINISHED"}


class Side:
    """A joint, and the body on it that is looked at for its radius."""

    def __init__(self, joint: bpy.types.Object, chosen: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        self.joint = joint
        self.body = chosen if is_body(chosen) else joint.ves.body_b or joint.ves.body_a
        if self.body is None:
            raise TransmissionError(f"{joint.name} connects nothing: choose its bodies")
        matrix = np.array(joint.evaluated_get(depsgraph).matrix_world)
        self.origin, self.axis = matrix[:3, 3], matrix[:3, 2] / np.linalg.norm(matrix[:3, 2])
        self.shape = outline(self.body, depsgraph)

    @property
    def slides(self) -> bool:
        return self.joint.ves.joint_type == "PRISMATIC"

    @property
    def radius(self) -> float:
        """m: how far the body reaches from its axis."""
        return float(np.linalg.norm(np.cross(self.shape.points - self.origin, self.axis), axis=1).max())


def _is_joint(ob: bpy.types.Object) -> bool:
    return ob.ves.role == "JOINT"


def joint_of(ob: bpy.types.Object, scene: bpy.types.Scene, kinds: tuple[str, ...]) -> bpy.types.Object:
    """The joint of these types that is meant: the object itself, or the only one on which a body turns or slides.

    Raises TransmissionError if there is none, or more than one.
    """
    wanted = " or ".join(LABELS[kind.upper()] for kind in kinds)
    if _is_joint(ob):
        if ob.ves.joint_type.lower() not in kinds:
            raise TransmissionError(f"{ob.name} is a {LABELS[ob.ves.joint_type]}: it must be a {wanted}")
        return ob
    joints = [each for each in scene.objects if _is_joint(each) and each.ves.joint_type.lower() in kinds]
    own = [each for each in joints if each.ves.body_b == ob] or [each for each in joints if each.ves.body_a == ob]
    if not own:
        raise TransmissionError(f"{ob.name} is on no {wanted}: add one first")
    if len(own) > 1:
        raise TransmissionError(f"{ob.name} is on several joints: select the one that is meant, of {names(own)}")
    return own[0]


def gear_ratio(a: Side, b: Side) -> float:
    """Turns of b per turn of a that suit the wheels' sizes and where they are, as far as that can be seen.

    Parallel wheels side by side mesh on their outer sides, one within the other on its inner side; wheels on one axis
    turn alike. On axes at an angle the sign is a matter of the teeth, and positive.
    """
    if a.slides or b.slides or min(a.radius, b.radius) < 1e-6:
        return 1.0
    along, size = float(a.axis @ b.axis), a.radius / b.radius
    if abs(along) < PARALLEL:
        return _rounded(size)
    apart = float(np.linalg.norm(np.cross(b.origin - a.origin, a.axis)))
    if apart < COAXIAL * max(a.radius, b.radius):
        return float(np.sign(along))
    meets_inside = apart < max(a.radius, b.radius)
    return _rounded(float(np.sign(along)) * (size if meets_inside else -size))


def pinion_radius(pinion: Side, rack: Side) -> float:
    """m: the pinion's size, negative if the rack's side of it goes against the rack's axis."""
    arm = rack.shape.middle - pinion.origin
    way = float(np.cross(pinion.axis, arm) @ rack.axis)
    return _rounded(pinion.radius if way >= 0.0 else -pinion.radius)


def _rounded(value: float) -> float:
    """With four digits: 0.33333 is 0.3333; a whole ratio of teeth is set by hand."""
    return float(f"{value:.4g}")


@adjustable
class VES_OT_add_gear(OnJoints, bpy.types.Operator):
    """Gear each selected wheel to the active one: their joints turn in a fixed ratio, which follows from their sizes"""

    bl_idname = "ves.add_gear"
    bl_label = "Gear"
    bl_options = {"REGISTER", "UNDO"}
    kinds = Gear.JOINTS_A

    def _pairs(self, sides: list[Side]) -> list[tuple[Side, Side]]:
        if any(side.joint == sides[0].joint for side in sides[1:]):
            raise TransmissionError(f"{sides[0].joint.name} cannot be geared to itself: select two wheels")
        return [(sides[0], side) for side in sides[1:]]

    def _couple(self, context: bpy.types.Context, a: Side, b: Side) -> bpy.types.Object:
        gear = _add_coupling(context, "GEAR", f"Gear {a.body.name}-{b.body.name}", a, b)
        gear.ves.gear_ratio = gear_ratio(a, b)
        return gear


@adjustable
class VES_OT_add_rack(OnJoints, bpy.types.Operator):
    """Let a wheel on a hinge and a bar on a slider mesh: the slider goes as the wheel turns"""

    bl_idname = "ves.add_rack"
    bl_label = "Rack and Pinion"
    bl_options = {"REGISTER", "UNDO"}
    kinds = Rack.JOINTS_A + Rack.JOINTS_B

    def _pairs(self, sides: list[Side]) -> list[tuple[Side, Side]]:
        pinions, racks = [side for side in sides if not side.slides], [side for side in sides if side.slides]
        if len(pinions) != 1 or not racks:
            raise TransmissionError("select one wheel on a Hinge, and one or more bars on Sliders")
        return [(pinions[0], rack) for rack in racks]

    def _couple(self, context: bpy.types.Context, a: Side, b: Side) -> bpy.types.Object:
        rack = _add_coupling(context, "RACK", f"Rack {a.body.name}-{b.body.name}", a, b)
        rack.ves.pinion_radius = pinion_radius(a, b)
        return rack


def _add_coupling(context: bpy.types.Context, role: str, name: str, a: Side, b: Side) -> bpy.types.Object:
    """An Empty where the two meet, which goes along with the first joint."""
    share = a.radius / max(a.radius + b.radius, 1e-9) if not b.slides else 0.5
    place = Vector(a.origin + share * ((b.shape.middle if b.slides else b.origin) - a.origin))
    size = 0.3 * display_size(a.shape, b.shape)
    empty = add_empty(name, role, Matrix.Translation(place), (None, None), size, home_of(a.joint, context))
    empty.empty_display_type = "CIRCLE"
    Owner(a.joint).hang(empty, Matrix.Translation(place))
    empty.ves.joint_a, empty.ves.joint_b = a.joint, b.joint
    return empty


CLASSES = (VES_OT_add_gear, VES_OT_add_rack)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
