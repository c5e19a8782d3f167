# SPDX-License-Identifier: GPL-3.0-or-later
"""Owners, which hold bodies in the scene or hang on them: objects and bones, by place, channels and settings.

Whoever only moves bodies, keys them or asks where they are speaks to an `Owner`. The body of a bone is an object too,
its shape: parented to the bone, in the bone's own frame (head, axes and scale), so that it is seen, picked, edited and
pointed at like any body, and the rig has nothing added to it. With `moves_bone` the two change places: what moves the
body moves the bone, and the shape follows. Its channels are then those of the bone, in the armature's action, and its
parent's space is that of the bone above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from .curves.fcurves import animated_paths
from .findings import refuse

TRANSFORMS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
"""The properties that place an owner; which of the rotations counts, its rotation mode says."""

Values = Mapping[str, Sequence[float]]


def rotation_path(mode: str) -> str:
    """The property that holds the rotation in a rotation mode."""
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")


def is_dynamic(body: bpy.types.Object) -> bool:
    """True for a body that forces move, now or, where its motion is keyed, at some time."""
    return body.ves.motion == "DYNAMIC" or "ves.motion" in animated_paths(body)


@dataclass(frozen=True)
class Owner:
    """The holder of a body. `object`: the one that a person clicks to see it, and that findings name."""

    object: bpy.types.Object

    @property
    def name(self) -> str:
        """The name that is its own in the whole file, and the body's in a mechanism."""
        return self.object.name_full

    @property
    def settings(self) -> bpy.types.PropertyGroup:
        """The settings in the panels."""
        return self.object.ves

    @property
    def is_dynamic(self) -> bool:
        """True for a body that forces move."""
        return self.settings.role == "BODY" and is_dynamic(self.object)

    @property
    def bone(self) -> bpy.types.PoseBone | None:
        """The bone that its body moves; None for one that moves the object."""
        ob = self.object
        if not ob.original.ves.moves_bone or ob.parent_type != "BONE" or not is_armature(ob.parent):
            return None
        return ob.parent.pose.bones.get(ob.parent_bone)

    @property
    def control(self) -> Control | None:
        """The control of the rig that gets the keys instead of its bone, which goes along with it; None without one."""
        bone, name = self.bone, self.object.original.ves.control_bone
        is_other = bone is not None and name and name != bone.name and name in self.object.parent.pose.bones
        return Control(self.object) if is_other else None

    @property
    def leads(self) -> str:
        """Way in which keys give the bone its pose: AS_ONE with it; of a limb by IK as SWIVEL, TIP, or BY_IK alone."""
        return "AS_ONE" if self.bone is None else self.object.original.ves.control_leads

    @property
    def moved(self) -> bpy.types.Object | bpy.types.PoseBone:
        """The holder of location, rotation, scale and constraints."""
        return self.bone or self.object

    @property
    def holder(self) -> bpy.types.Object:
        """The ID that has the action: the object, or the armature of the bone."""
        return self.object if self.bone is None else self.object.parent

    @property
    def size(self) -> float:
        """m: its longest dimension."""
        return max(self.object.dimensions)

    # Where it is.

    def at(self, depsgraph: bpy.types.Depsgraph) -> Owner:
        """Itself, evaluated."""
        return type(self)(self.object.evaluated_get(depsgraph))

    def world(self, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        """The evaluated world matrix (4, 4)."""
        return np.array(self.object.evaluated_get(depsgraph).matrix_world, dtype=np.float64)

    @property
    def matrix(self) -> Matrix:
        """The world matrix as it was shown last."""
        return self.object.matrix_world.copy()

    @property
    def at_rest(self) -> np.ndarray:
        """The world matrix (4, 4) of its bone at rest, whatever the pose; of an object as it was shown last."""
        bone = self.bone
        matrix = self.matrix if bone is None else self.holder.matrix_world @ bone.bone.matrix_local
        return np.array(matrix, dtype=np.float64)

    @property
    def place(self) -> Vector:
        """m: where its origin was shown last."""
        return self.object.matrix_world.translation.copy()

    def hang(self, empty: bpy.types.Object, matrix: Matrix) -> None:
        """Make an Empty at `matrix` (world, rigid) go along with it, as its child."""
        empty.parent = self.object
        empty.matrix_parent_inverse = self.object.matrix_world.inverted_safe()
        empty.matrix_basis = matrix

    @property
    def carrier(self) -> Owner | None:
        """Its parent, which carries it; of what hangs on a bone the nearest bone, from there up, that has a body."""
        ob = self.object.original
        if ob.parent is None:
            return None
        if ob.parent_type == "BONE" and is_armature(ob.parent):
            bone, shapes = ob.parent.data.bones.get(ob.parent_bone), bone_shapes(ob.parent)
            while bone is not None:
                if shapes.get(bone.name, ob) != ob:
                    return Owner(shapes[bone.name])
                bone = bone.parent
        return Owner(ob.parent)

    def carriers(self) -> Iterator[Owner]:
        """Its parent, the parent's parent, and so on."""
        carrier = self.carrier
        while carrier is not None:
            yield carrier
            carrier = carrier.carrier

    def goes_along_with(self, other: Owner) -> bool:
        """True if it is the other one, or hangs on it."""
        return self == other or other in self.carriers()

    def dynamic_ancestor(self) -> Owner | None:
        """The nearest of those that is a dynamic body."""
        return next((carrier for carrier in self.carriers() if carrier.is_dynamic), None)

    def parent_space(self, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        """P (4, 4) in M = P B, of one that has a parent: world matrix M, location and rotation in B."""
        ob, parent, bone = self.object, self.object.parent, self.at(depsgraph).bone
        if bone is not None:
            world = np.array(parent.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
            return world @ np.array(_at_rest(bone), dtype=np.float64)
        follows_curve = parent.type == "CURVE" and parent.data.use_path
        if ob.parent_type == "OBJECT" and not follows_curve:
            inverse = np.array(ob.matrix_parent_inverse, dtype=np.float64)
            return np.array(parent.evaluated_get(depsgraph).matrix_world, dtype=np.float64) @ inverse
        basis = np.array(ob.evaluated_get(depsgraph).matrix_basis, dtype=np.float64)
        return self.world(depsgraph) @ np.linalg.inv(basis)

    # Its own location, rotation and scale, which make B = T(location + delta) (dR R) S.

    @property
    def scale(self) -> np.ndarray:
        """(3,) with the delta's."""
        if self.bone is not None:
            return np.array(self.bone.scale, dtype=np.float64)
        return np.array(self.object.scale, dtype=np.float64) * np.array(self.object.delta_scale, dtype=np.float64)

    @property
    def is_flat(self) -> bool:
        """True if its scale is zero along an axis."""
        return not self.scale.all()

    @property
    def delta_location(self) -> np.ndarray:
        """(3,) m."""
        return np.array(self.object.delta_location if self.bone is None else (0.0,) * 3, dtype=np.float64)

    @property
    def delta_rotation(self) -> np.ndarray | None:
        """The quaternion dR (4,), None if it turns nothing."""
        if self.rotation_mode == "AXIS_ANGLE" or self.bone is not None:
            return None
        if self.rotation_mode == "QUATERNION":
            delta = self.object.delta_rotation_quaternion.normalized()
        else:
            delta = self.object.delta_rotation_euler.to_quaternion()
        return np.array(delta, dtype=np.float64) if any(delta[1:]) else None

    @property
    def rotation_mode(self) -> str:
        """QUATERNION, AXIS_ANGLE, or an order of axes."""
        return self.moved.rotation_mode

    @property
    def rotation_values(self) -> np.ndarray:
        """(3,) or (4,): in its rotation mode."""
        return np.array(getattr(self.moved, rotation_path(self.rotation_mode)), dtype=np.float64)

    @property
    def transform(self) -> dict[str, list[float]]:
        """All that places it, by property."""
        moved = self.moved
        return {name: [float(number) for number in getattr(moved, name)] for name in TRANSFORMS}

    def put(self, values: Values) -> None:
        """Set properties to what `transform` gave."""
        moved = self.moved
        for name, numbers in values.items():
            setattr(moved, name, numbers)

    def write(self, location: np.ndarray, rotation: np.ndarray) -> None:
        """Set location (3,) and rotation, (3,) or (4,) in its rotation mode."""
        moved = self.moved
        if self.has_place:
            moved.location = location.tolist()
        setattr(moved, rotation_path(moved.rotation_mode), rotation.tolist())

    @property
    def is_plain(self) -> bool:
        """True if location and rotation are those in the world: a hundred such are moved in a millisecond or two."""
        ob = self.object
        turn = [*ob.delta_rotation_euler, *ob.delta_rotation_quaternion[1:], *ob.delta_location]
        return ob.parent is None and not any(turn)

    def put_plain(self, place: list[float], turn: Quaternion) -> None:
        """Put a plain one somewhere; of the rotation values that are the same, those next to the present ones."""
        ob = self.object
        ob.location = place
        if ob.rotation_mode == "QUATERNION":
            ob.rotation_quaternion = -turn if turn.dot(ob.rotation_quaternion) < 0.0 else turn
        elif ob.rotation_mode == "AXIS_ANGLE":
            axis, angle = turn.to_axis_angle()
            ob.rotation_axis_angle = (angle, *axis)
        else:
            ob.rotation_euler = turn.to_euler(ob.rotation_mode, ob.rotation_euler)

    # Its channels in an action.

    SLOT = "OBJECT"  # type of the ID that an action's slot is for

    @property
    def group(self) -> str:
        """Name of the group that Blender's own keys of location and rotation are in."""
        return "Object Transforms" if self.bone is None else self.bone.name

    @property
    def has_place(self) -> bool:
        """True if its location counts: that of a connected bone is always its parent's tail."""
        bone = self.bone
        return bone is None or bone.parent is None or not bone.bone.use_connect

    def channel(self, path: str) -> str:
        """The data path of a property from the ID that has the action."""
        bone = self.bone
        return path if bone is None else f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].{path}'

    @property
    def moved_channels(self) -> list[str]:
        """Data paths of what a bake writes, in any rotation mode."""
        return [self.channel(path) for path in TRANSFORMS]

    @property
    def placing(self) -> tuple[str, ...]:
        """The properties that place it: location, if that counts, and the rotation of its mode."""
        turn = rotation_path(self.rotation_mode)
        return ("location", turn) if self.has_place else (turn,)

    @property
    def is_animated(self) -> bool:
        """True if its own location or rotation has keyframes or drivers."""
        return not set(self.moved_channels).isdisjoint(animated_paths(self.holder))

    @property
    def constraints(self) -> Sequence[bpy.types.Constraint]:
        """Blender's constraints on it."""
        return self.moved.constraints

    @property
    def driven_constraints(self) -> list[bpy.types.Constraint]:
        """Those whose influence a driver has, such as a rig's switch from IK to FK: a key on it would not show."""
        animation = self.holder.animation_data
        driven = {each.data_path for each in animation.drivers if not each.mute} if animation else set()
        return [each for each in self.constraints if self.constraint_channel(each, "influence") in driven]

    def constraint_channel(self, constraint: bpy.types.Constraint, path: str) -> str:
        """The data path of a property of one of its constraints."""
        if self.bone is not None:
            return escaped_constraint(self.bone, constraint, path)
        return self.channel(f'constraints["{bpy.utils.escape_identifier(constraint.name)}"].{path}')


class Control(Owner):
    """The holder of a body's keys where that is a control of the rig, which leads the body's bone."""

    @property
    def bone(self) -> bpy.types.PoseBone | None:
        """The control."""
        ob = self.object
        return ob.parent.pose.bones.get(ob.original.ves.control_bone)

    @property
    def control(self) -> None:
        """It has none itself."""
        return


def is_armature(ob: bpy.types.Object | None) -> bool:
    """True for an armature object."""
    return ob is not None and ob.type == "ARMATURE"


def escaped_constraint(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint, path: str) -> str:
    """The data path, from the armature, of a property of a bone's constraint."""
    names = (bpy.utils.escape_identifier(each.name) for each in (bone, constraint))
    return 'pose.bones["{}"].constraints["{}"].{}'.format(*names, path)


def bone_shapes(armature: bpy.types.Object) -> dict[str, bpy.types.Object]:
    """The bodies that move bones of an armature, by the names of the bones."""
    armature = armature.original
    if _shapes is not None:
        return _shapes.get(armature, {})
    return {ob.parent_bone: ob for ob in armature.children if _is_shape(ob)}


def _is_shape(ob: bpy.types.Object) -> bool:
    return ob.parent_type == "BONE" and ob.ves.moves_bone and ob.ves.role == "BODY"


_shapes: dict[bpy.types.Object, dict[str, bpy.types.Object]] | None = None
"""By armature, while `bones_known`."""


@contextmanager
def bones_known() -> Iterator[None]:
    """While this lasts, no bodies come or go: those of all armatures are looked for once.

    Blender looks through all objects of the file for the children of one.
    """
    global _shapes
    before, _shapes = _shapes, {}
    for ob in bpy.data.objects:
        if _is_shape(ob):
            _shapes.setdefault(ob.parent, {})[ob.parent_bone] = ob
    try:
        yield
    finally:
        _shapes = before


def held_bodies(holder: bpy.types.Object) -> list[bpy.types.Object]:
    """The bodies whose channels an object's animation has: those that move an armature's bones, or itself.

    Only armatures are asked for their children: Blender looks through all objects for these.
    """
    return (list(bone_shapes(holder).values()) if is_armature(holder) else []) or [holder]


def refuse_bones(bodies: Iterable[bpy.types.Object], what: str) -> None:
    """Raises SceneError for bodies that move bones, where `what` can't do that yet."""
    moving = [ob for ob in bodies if ob.ves.moves_bone and is_dynamic(ob)]
    if moving:
        names = ", ".join(ob.name for ob in moving[1:4]) + (", ..." if len(moving) > 4 else "")
        others = f", and so do {names}" if names else ""
        refuse(moving[0], f"moves a bone{others}: {what} does not pose bones yet; use Pose Mode")


def _at_rest(bone: bpy.types.PoseBone) -> Matrix:
    """The matrix in the armature of a bone whose own location, rotation and scale do nothing, nor its constraints."""
    above = bone.parent
    if above is None:
        return bone.bone.matrix_local
    return bone.bone.convert_local_to_pose(
        Matrix(), bone.bone.matrix_local, parent_matrix=above.matrix, parent_matrix_local=above.bone.matrix_local
    )
