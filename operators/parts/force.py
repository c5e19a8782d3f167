# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on the selected bodies, and springs between them."""

import bpy
from bpy.props import EnumProperty
from mathutils import Matrix, Vector

from ...scene.geometry.places import AXES
from ...scene.geometry.rounding import round_number
from ...scene.owner import Owner
from ...scene.parts.bicycles import joint_between, measured
from ...scene.parts.bodies import rough_mass
from ...scene.parts.empties import add_empty, display_size, home_of, set_up_force
from ...scene.parts.feet import arm_to, balances_in, hanging_on, legs_of, lowest_of, set_feet
from ...scene.parts.placement import (
    Outline,
    below,
    is_wide,
    lower_corners,
    nearest_to,
    outline,
    silhouette_area,
    turned_to,
    two_ends,
    wheel_of,
)
from ...scene.properties.force_types import FORCE_TYPES, FORCES, GRAVITY, TWO_ENDED, suit_arms
from ..selection import OnMeshes, adjustable, chosen_bodies, count, select_only, warn

STANDING = {"SUPPORT", "TYRE"}  # types that stand on a terrain
LEG_DAMPING = 0.02  # 1/s, times mass and size of the body that legs carry: N m s/rad,
ARM_DAMPING = 0.6  # and times those of a hand


@adjustable
class VES_OT_add_force(OnMeshes, bpy.types.Operator):
    """Add a force to each selected body, or a spring or rubber from each to the active one"""

    bl_idname = "ves.add_force"
    bl_label = "Add Force"
    bl_options = {"REGISTER", "UNDO"}

    type: EnumProperty(name="Type", description="What kind of force it is", items=FORCE_TYPES, default="MOTOR")
    location: EnumProperty(
        name="Place",
        description="Where the force acts; a spring of a single body goes from there to the 3D cursor",
        items=[
            (
                "AUTO",
                "Automatic",
                "A support at the four lower corners of a body that is wider than high, or else where it is lowest; "
                "others at the origins of the bodies",
            ),
            ("ORIGIN", "Origin", "At the origins of the bodies; a support below it, where the body is lowest"),
            (
                "NEAREST",
                "Nearest Points",
                "At the nearest points of the two bodies, or the one nearest to the 3D cursor",
            ),
            ("CURSOR", "3D Cursor", "At the 3D cursor; a spring's other end is the nearest point of the other body"),
            ("CORNERS", "Lower Corners", "Four of them, at the lower corners of each body: wheels, feet"),
        ],
        default="AUTO",
        options={"SKIP_SAVE"},
    )
    axis: EnumProperty(
        name="Axis",
        description="Where the Z axis of a motor or brake points",
        items=AXES[:-1],
        default="Z",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of a button tells about its own type."""
        text = FORCES[properties.type].description
        if properties.type in TWO_ENDED:
            return f"{text}. Goes from each selected body to the active one, or from a single body to the 3D cursor"
        if properties.type == "BALANCE":
            return f"{text}. Select the feet, then the body that they carry; or that body alone, and the feet are found"
        if properties.type == "STEERING":
            return f"{text}. Select the fork, then the frame, which a joint connects"
        if properties.type == "REACH":
            return f"{text}. One for each selected hand, with an Empty to follow where the hand is"
        if properties.type in STANDING:
            return f"{text}. One or more for each selected body; select a fixed mesh last, and it is the terrain"
        return f"{text}. One for each selected body"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Springs start at the active body; other forces come one to a body."""
        ground = self._ground(context)
        if ground is not None:
            ground.select_set(False)
        shapes = chosen_bodies(context, self)
        if not shapes:
            return {"CANCELLED"}
        bodies = list(shapes)
        if self.type in TWO_ENDED:
            others = bodies[1:] or [None]
            empties = [self._spring(context, bodies[0], other, shapes) for other in others]
        elif self.type == "BALANCE":
            empties = [self._balance(context, bodies[0], bodies[1:], shapes)]
        elif self.type == "REACH":
            empties = [self._reach(context, hand, shapes[hand]) for hand in bodies]
        elif self.type == "STEERING":
            empties = [self._steering(context, bodies, shapes)]
        else:
            empties = [
                self._force(context, body, shapes[body], point)
                for body in bodies
                for point in self._points(context, body, shapes[body])
            ]
            for empty in empties if ground is not None else ():
                empty.ves.terrain = ground
        select_only(context, empties)
        return {"FINISHED"}

    def _steering(
        self, context: bpy.types.Context, bodies: list[bpy.types.Object], shapes: dict[bpy.types.Object, Outline]
    ) -> bpy.types.Object:
        """A rider at the joint of frame and fork, whose sizes are those of the bicycle as it stands."""
        frame, fork = bodies[0], bodies[1] if len(bodies) > 1 else None
        joint = None if fork is None else joint_between(frame, fork, context.scene)
        bicycle = None if joint is None else measured(frame, fork, joint, context)
        if bicycle is None:
            warn(self, f"{frame.name} has no fork on a joint yet: connect them, then select fork and frame and repeat")
        matrix = Matrix.Translation(Owner(frame).place) if bicycle is None else bicycle.matrix
        name, size = f"{FORCES[self.type].label} {frame.name}", display_size(shapes[frame])
        empty = add_empty(name, "FORCE", matrix, (frame, fork), size, home_of(frame, context))
        set_up_force(empty, self.type, rough_mass(frame, shapes[frame]), shapes[frame].size, 0.0)
        if bicycle is not None:
            empty.ves.wheelbase, empty.ves.center_height = bicycle.wheelbase, bicycle.center_height
            suit_arms(empty.ves, bicycle.mass * GRAVITY)
        return empty

    def _force(
        self, context: bpy.types.Context, body: bpy.types.Object, shape: Outline, point: Vector
    ) -> bpy.types.Object:
        matrix = Matrix.Translation(point) @ turned_to(self.axis, context, None).to_4x4()
        row = FORCES[self.type]
        name, size = f"{row.label} {body.name}", display_size(shape) * row.share
        if self.type == "TYRE":
            axle, radius, width = wheel_of(body, context.evaluated_depsgraph_get())
            turn = axle.to_track_quat("Y", "Z").to_matrix().to_4x4()
            matrix, size = Matrix.Translation(point) @ turn, radius
        empty = add_empty(name, "FORCE", matrix, (body, None), size, home_of(body, context))
        set_up_force(empty, self.type, rough_mass(body, shape), shape.size, silhouette_area(shape))
        if self.type == "TYRE":
            empty.ves.tyre_radius, empty.ves.tyre_width = round_number(radius), round_number(width)
            empty.ves.terrain = self._terrain(context)
        return empty

    def _ground(self, context: bpy.types.Context) -> bpy.types.Object | None:
        """The active object where it is the terrain of the others: a fixed body, or a mesh beside bodies alone."""
        active, others = context.active_object, [ob for ob in context.selected_objects if ob != context.active_object]
        if (
            self.type not in STANDING
            or active is None
            or active.type != "MESH"
            or not active.select_get()
            or not others
        ):
            return None
        if active.ves.role == "BODY":
            return active if active.ves.motion == "FIXED" else None
        return active if active.ves.role == "NONE" and all(ob.ves.role == "BODY" for ob in others) else None

    def _terrain(self, context: bpy.types.Context) -> bpy.types.Object | None:
        """That on which the other tyres and supports of the scene stand, if it is one."""
        grounds = {ob.ves.terrain for ob in context.scene.objects if ob.ves.role == "FORCE"} - {None}
        return grounds.pop() if len(grounds) == 1 else None

    def _balance(
        self,
        context: bpy.types.Context,
        body: bpy.types.Object,
        feet: list[bpy.types.Object],
        shapes: dict[bpy.types.Object, Outline],
    ) -> bpy.types.Object:
        """A balance at the body's present place, on the feet that are selected, or else on the lowest ends."""
        if not feet:
            depsgraph = context.evaluated_depsgraph_get()
            ends = {end: outline(end, depsgraph) for end in hanging_on(body, context.scene)}
            feet = lowest_of(ends, shapes[body].high[2])
        if not feet:
            warn(self, f"{body.name} has no feet yet: connect them by joints, then use Feet from Selection")
        location, rotation, _ = Owner(body).matrix.decompose()
        matrix = Matrix.Translation(location) @ rotation.to_matrix().to_4x4()
        name = f"{FORCES[self.type].label} {body.name}"
        empty = add_empty(name, "FORCE", matrix, (body, None), display_size(shapes[body]), home_of(body, context))
        set_up_force(empty, self.type, rough_mass(body, shapes[body]), shapes[body].size, 0.0)
        set_feet(empty.ves, feet)
        self._calm(legs_of(body, feet, context.scene), rough_mass(body, shapes[body]) * shapes[body].size)
        return empty

    def _reach(self, context: bpy.types.Context, hand: bpy.types.Object, shape: Outline) -> bpy.types.Object:
        """A reach at the hand's far end from its arm, and an Empty there for it to follow."""
        arms = [arm_to(hand, balance, context.scene) for balance in balances_in(context.scene)]
        arm = next((arm for arm in arms if arm), [])
        if not arm:
            warn(self, f"{hand.name} is on no arm of a figure yet: connect it by joints, and give its trunk a Balance")
        point = Owner(hand).place
        if arm and self.location == "AUTO":
            wrist = arm[0].matrix_world.translation
            point = nearest_to(shape, Vector(shape.middle) + (Vector(shape.middle) - wrist))
        size = display_size(shape) * FORCES[self.type].share
        name, home = f"{FORCES[self.type].label} {hand.name}", home_of(hand, context)
        empty = add_empty(name, "FORCE", Matrix.Translation(point), (hand, None), size, home)
        mass = rough_mass(hand, shape)
        set_up_force(empty, self.type, mass, shape.size, 0.0)
        target = bpy.data.objects.new(f"{name} Target", None)
        home.objects.link(target)
        target.location, target.empty_display_size = point, 2.0 * size
        empty.ves.reach_target = target
        self._calm(arm, ARM_DAMPING / LEG_DAMPING * mass * shape.size, "arm")
        return empty

    def _calm(self, joints: list[bpy.types.Object], lever: float, where: str = "legs") -> None:
        """Damps what the body's pose does not settle: legs in the air, knees between two balls, elbows.

        lever (kg m): mass of the body times its size.
        """
        loose = [joint for joint in joints if not any(joint.ves.damping)]
        for joint in loose:
            joint.ves.damping = (round_number(LEG_DAMPING * lever),) * 3
        if loose:
            self.report({"INFO"}, f"Gave {count(len(loose), 'joint')} of the {where} some damping")

    def _points(self, context: bpy.types.Context, body: bpy.types.Object, shape: Outline) -> list[Vector]:
        cursor = context.scene.cursor.location
        stands = self.type == "SUPPORT"
        if self.location == "CORNERS" or (self.location == "AUTO" and stands and is_wide(shape)):
            return lower_corners(body, context.evaluated_depsgraph_get())
        if self.location == "CURSOR":
            return [cursor.copy()]
        if self.location == "NEAREST":
            return [nearest_to(shape, cursor)]
        origin = Owner(body).place
        return [below(shape, origin) if stands else origin]

    def _spring(
        self,
        context: bpy.types.Context,
        body: bpy.types.Object,
        other: bpy.types.Object | None,
        shapes: dict[bpy.types.Object, Outline],
    ) -> bpy.types.Object:
        location = "ORIGIN" if self.location == "AUTO" else self.location
        start, end, is_moved = two_ends(location, body, other, shapes, context.scene.cursor.location.copy())
        if is_moved:
            self.report({"WARNING"}, f"The ends on {body.name} would coincide: one starts in the middle instead")
        turn = (end - start).to_track_quat("Z", "Y").to_matrix().to_4x4()
        name = f"{FORCES[self.type].label} {body.name}-{other.name if other else 'World'}"
        empty = add_empty(
            name, "FORCE", Matrix.Translation(start) @ turn, (body, other), (end - start).length, home_of(body, context)
        )
        light = min((ob for ob in (body, other) if ob is not None), key=lambda ob: rough_mass(ob, shapes[ob]))
        shape = shapes[light]
        set_up_force(empty, self.type, rough_mass(light, shape), shape.size, silhouette_area(shape))
        settings = empty.ves
        settings.to_world = other is None
        settings.point_b = Owner(other).matrix.inverted_safe() @ end if other else end
        settings.rest_length = (end - start).length
        return empty


CLASSES = (VES_OT_add_force,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
