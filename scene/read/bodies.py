# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects become bodies: pose, mass, inertia and initial velocity, and the keys of bodies that move as animated."""

import bpy
import numpy as np

from ...solver.mechanism import Body, Follow, Keys, Nail, Orientation
from ...solver.mechanism.constraints import Constraint
from ..animation.animated import is_animated, moves_by_itself
from ..geometry import poses
from ..geometry.mass_properties import NoVolumeError, solid_of_object
from ..geometry.rounding import settled
from ..owner import Owner, is_dynamic
from ..parts.instances import has_instances
from ..properties.scene import SAMPLES
from .channels import FLAT_PARENT, is_flat
from .reading import BodyBinding, Reading
from .sampling import Probe, sample_frames
from .stepped import keyed_roles, settings_now, watch_body, watch_roles

STILL = 1e-4  # of its size: what counts as not moved, since bones are single precision
REALIZE = "end its nodes with Realize Instances"


def read_body(reading: Reading, ob: bpy.types.Object) -> None:
    """Add an object of role BODY to the mechanism, or say what is wrong with it."""
    owner = Owner(ob)
    evaluated, motion = owner.at(reading.depsgraph), "DYNAMIC" if is_dynamic(ob) else owner.settings.motion
    has_roles = is_animated(ob, "ves.motion") and not reading.as_shown
    pose = reading.poses[ob]
    body = Body(
        name=owner.name,
        motion="fixed" if motion == "KEYED" else motion.lower(),
        position=pose.position,
        orientation=pose.orientation,
    )
    binding = BodyBinding(
        owner=owner,
        body=body,
        residual=pose.residual,
        scale=evaluated.scale,
        rotation_mode=evaluated.rotation_mode,
        rotation_values=evaluated.rotation_values,
    )
    reading.bodies.append(binding)
    if motion == "DYNAMIC":
        if _can_receive_keyframes(reading, ob):
            _read_mass(reading, binding, evaluated.object)
            if has_roles:
                _read_roles(reading, binding)
            else:
                _read_velocity(reading, binding)
                if owner.settings.follows or reading.as_shown:
                    _read_follow(reading, binding)
            _watch_parents(reading, binding)
    else:
        _refuse_dynamic_parent(reading, owner)
        if motion == "KEYED":
            if reading.weighs:
                _read_mass(reading, binding, evaluated.object)
            _watch_motion(reading, binding)
    if (motion == "KEYED" or owner.settings.follows) and is_animated(ob, "hide_viewport"):
        reading.warn(
            ob,
            "is disabled in viewports at times, by its keys, and Blender does not move it there, so that it stands "
            "still for what hangs on it: mute these keys while you bake",
        )
    if has_instances(evaluated.object):
        reading.warn(ob, f"shows instances by Geometry Nodes, which weigh nothing and touch nothing: {REALIZE}")
    watch_body(reading, binding)


def _can_receive_keyframes(reading: Reading, owner: bpy.types.Object) -> bool:
    """True if it is all there, and keyframes on the object, or on the bone that it moves, would show; says why not."""
    before = len(reading.errors)
    if owner.data is not None and owner.data.is_missing:
        reading.error(
            owner,
            f"its mesh is missing, because {owner.data.library.filepath} was not found: File > External Data > Find "
            "Missing Files, and open this file anew",
        )
    holder, moved = Owner(owner).holder, Owner(owner).moved_channels
    if owner.ves.moves_bone:
        _look_at_bone(reading, Owner(owner))
    if holder != owner and holder.library and not holder.override_library:
        reading.error(holder, "is linked from another file and can't get keyframes: make a library override of it")
    if owner.library and not owner.override_library:
        reading.error(owner, "is linked from another file and can't get keyframes: make a library override of it")
    if owner.rigid_body:
        reading.error(
            owner, "is also in Blender's own rigid body simulation: remove that (Object > Rigid Body > Remove)"
        )
    if Owner(owner).at(reading.depsgraph).is_flat:
        reading.error(owner, "has a scale of zero: give it a size")
    elif owner.parent is not None and is_flat(Owner(owner).parent_space(reading.depsgraph)):
        reading.error(owner, FLAT_PARENT)
    animation = holder.animation_data
    _look_at_control(
        reading, Owner(owner), {d.data_path for d in animation.drivers if not d.mute} if animation else set()
    )
    if animation:
        driven = sorted(
            {d.data_path.rpartition(".")[2] for d in animation.drivers if d.data_path in moved and not d.mute}
        )
        if driven:
            reading.error(owner, f"has drivers on {' and '.join(driven)}, which win over keyframes: remove them")
        if animation.use_tweak_mode:
            reading.error(owner, "is being edited in the NLA: leave tweak mode first")
        if any(track.is_solo for track in animation.nla_tracks):
            reading.error(owner, "has a solo NLA track, which hides baked keyframes: turn Solo off")
    return len(reading.errors) == before


def _look_at_bone(reading: Reading, owner: Owner) -> None:
    """Say why a body can't move its bone."""
    bone = owner.bone
    if bone is None:
        reading.error(owner.object, "moves the bone that it hangs on, but there is none: parent it to a bone again")
        return
    frame = np.array(owner.holder.matrix_world @ bone.matrix, dtype=np.float64)
    if np.abs(reading.world(owner.object) - frame).max() > STILL * (1.0 + np.abs(frame).max()):
        reading.error(
            owner.object,
            f"moves {bone.name}, but has its origin or axes elsewhere: put them at the bone's head and "
            "along its axes, or make the ragdoll anew",
        )
    if not bone.bone.use_inherit_rotation:
        reading.error(owner.object, f"moves {bone.name}, which does not turn with its parent: turn Inherit Rotation on")
    if not (bone.bone.use_local_location or bone.bone.use_connect):
        reading.error(owner.object, f"moves {bone.name}, whose location is not along its axes: turn Local Location on")


def _look_at_control(reading: Reading, owner: Owner, driven: set[str]) -> None:
    """Say why the control that is to be keyed instead of a body's bone can't be."""
    control = owner.control
    if control is None:
        if owner.bone is not None and owner.settings.control_bone not in ("", owner.bone.name):
            reading.error(
                owner.object, f"its Keyed Bone {owner.settings.control_bone} is not in the rig: choose another"
            )
        return
    found = sorted({path.rpartition(".")[2] for path in driven & set(control.moved_channels)})
    if found:
        reading.error(
            owner.object,
            f"its Keyed Bone {control.bone.name} has drivers on {' and '.join(found)}, which win over keyframes: "
            "remove them, or choose no Keyed Bone",
        )


def _read_mass(reading: Reading, binding: BodyBinding, evaluated: bpy.types.Object) -> None:
    settings = binding.owner.settings
    if settings.mass_source == "GIVEN" and settings.use_inertia:
        binding.body.mass = settings.mass
        binding.body.center_of_mass = tuple(settings.center_of_mass)
        binding.body.inertia = possible_inertia(inertia_of(settings))
        return
    try:
        solid = solid_of_object(evaluated, binding.residual, reading.solids)
    except NoVolumeError as error:
        if not is_dynamic(binding.object):
            reading.warn(binding.object, f"{error}, so it weighs nothing here: it is carried along as it is keyed")
            return
        remedy = REALIZE if has_instances(evaluated) else "try a Solidify modifier"
        reading.error(binding.object, f"{error}: a dynamic body needs a mesh with a volume ({remedy})")
        return
    if not solid.is_closed:
        reading.warn(
            binding.object, "the mesh is open: volume and inertia are those of its convex hull; close its holes"
        )
    volume = float(settled(solid.volume, solid.volume))
    mass = settings.density * volume if settings.mass_source == "DENSITY" else settings.mass
    binding.body.mass = mass
    binding.body.center_of_mass = settled(solid.center_of_mass, np.cbrt(volume))
    inertia = (mass / volume) * 0.5 * (solid.inertia + solid.inertia.T)
    binding.body.inertia = settled(inertia, np.abs(inertia).max())


def inertia_of(settings: bpy.types.PropertyGroup) -> np.ndarray:
    """The inertia matrix (3, 3) that was given."""
    xy, xz, yz = settings.inertia_products
    return np.diag(settings.inertia_moments) + np.array([[0.0, xy, xz], [xy, 0.0, yz], [xz, yz, 0.0]])


def possible_inertia(inertia: np.ndarray) -> np.ndarray:
    """The same inertia, or one that a flat plate has if single precision has made it a little flatter than that."""
    moments, axes = np.linalg.eigh(inertia)
    most = moments[0] + moments[1]
    if not most < moments[2] <= (1.0 + 1e-5) * most:
        return inertia
    moments[2] = most
    turned = (axes * moments) @ axes.T
    return 0.5 * (turned + turned.T)


def _read_velocity(reading: Reading, binding: BodyBinding) -> None:
    settings, body = binding.owner.settings, binding.body
    if settings.velocity_source == "GIVEN":
        if any(settings.linear_velocity) or any(settings.angular_velocity):  # zeros are what nobody has typed
            body.linear_velocity = tuple(settings.linear_velocity)
            body.angular_velocity = tuple(settings.angular_velocity)
        return
    step = 1.0 / reading.scene.ves.samples_per_frame

    def use(matrices: np.ndarray) -> None:
        linear, angular = velocity_at_middle(matrices, step / reading.frame_rate)
        body.linear_velocity, body.angular_velocity = linear, angular

    frames = reading.first + step * np.arange(-3, 4)
    reading.probes.append(Probe(frames, binding.owner.world, use))


def _read_roles(reading: Reading, binding: BodyBinding) -> None:
    """Let a body be Dynamic, Fixed or Keyed by turns, as its keys say.

    What is Keyed follows its animation with all its weight, and is released while it is not; what is Fixed is held by a
    nail and its orientation, as it is found.
    """
    owner, body = binding.object, binding.body
    if owner.ves.follows:
        text = (
            "has keys on Motion, and follows its animation besides: turn Follow off, or key Let Go and Weight instead"
        )
        reading.error(owner, text)
        return
    roles, now = keyed_roles(owner), settings_now(reading, owner, ("motion",)).motion
    if now == "DYNAMIC":
        _read_velocity(reading, binding)
    if "KEYED" in roles:
        _read_follow(reading, binding, is_exact=True)
        body.released = now != "KEYED"
    held: list[Constraint] = []
    if "FIXED" in roles:
        is_fixed = now == "FIXED"
        held.append(Nail(f"{body.name} fixed in place", enabled=is_fixed, body=body.name, point=body.position))
        held.append(Orientation(f"{body.name} fixed in turn", enabled=is_fixed, body=body.name))
        reading.mechanism.constraints.extend(held)
    watch_roles(reading, binding, [part.name for part in held])


def _read_follow(reading: Reading, binding: BodyBinding, is_exact: bool = False) -> None:
    """Let a dynamic body follow its own animation; without a velocity of its own it begins with that one's.

    `is_exact`: with all its weight, whatever its settings.
    """
    body, settings = binding.body, binding.owner.settings
    position, orientation = body.position, body.orientation
    body.keys = Keys((0.0,), (position,), (orientation,))
    body.follow = follow = Follow(
        relative_to=settings.follow_space.lower(),
        blend_time=settings.follow_blend_back / reading.frame_rate,
        gravity_only=settings.follow_gravity_only and not is_exact,
    )
    body.released = settings.follow_let_go
    if is_exact:
        follow.weight = 1.0

    def put(name: str):
        return lambda values: setattr(follow, name, values[0])

    names = {"frequency": "follow_frequency", "damping_ratio": "follow_damping_ratio"}
    names |= {"weight": "follow_weight", "feed_forward": "follow_feed_forward"}
    if settings.use_follow_max_force:
        names["max_force"] = "follow_max_force"
    for name, own in () if is_exact else names.items():
        reading.over_time(binding.object, lambda ves, own=own: [getattr(ves, own)], put(name), (own,))
    frames = reading.sampled_frames

    def use(matrices: np.ndarray) -> None:
        if not np.isfinite(matrices).all():
            reading.error(binding.object, "follows an animation that is at a place that is not a number: key it anew")
            return
        pose = poses.split(matrices)
        body.keys = Keys(reading.times(frames).tolist(), pose.position, poses.continuous(pose.orientation))

    reading.probes.append(Probe(frames, binding.owner.world, use))


def is_animated_bone(body: bpy.types.Object) -> bool:
    """True for the body of a bone that its animation moves all along."""
    return body.ves.moves_bone and not is_dynamic(body)


def velocity_at_middle(matrices: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular velocity (world axes) at the middle one of world matrices (7, 4, 4), `step` seconds apart."""
    rotation = poses.rotation_part(matrices[:, :3, :3])
    turned = poses.rotation_vector(rotation @ rotation[3].T)
    return _slope_at_middle(matrices[:, :3, 3], step), _slope_at_middle(turned, step)


def _slope_at_middle(values: np.ndarray, step: float) -> np.ndarray:
    """Derivative at the middle one of seven values (7, 3).

    An animation may end or begin at this very frame. So the slopes before and after (third order) are compared: if they
    agree, the central difference (sixth order) is best; otherwise the body goes on as it arrived, and one that only
    begins to move here goes as it leaves.
    """
    one_sided = np.array([11.0, -18.0, 9.0, -2.0]) / (6.0 * step)
    before, after = one_sided @ values[3::-1], -one_sided @ values[3:]
    larger = max(np.linalg.norm(before), np.linalg.norm(after))
    if np.linalg.norm(after - before) <= 0.1 * larger:
        return np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) @ values / (60.0 * step)
    return after if np.linalg.norm(before) <= 1e-3 * larger else before


def _watch_motion(reading: Reading, binding: BodyBinding) -> None:
    """Sample a keyed body; one that never moves stays fixed.

    Blender's matrices are single precision. For a car 50 m from the origin, sampled twice a frame, that shakes the
    acceleration by 0.06 m/s2 and the cans behind it by 0.02 mm, and at 500 m by 0.1 mm: as much as it shakes the car.
    """
    frames = reading.sampled_frames

    def use(matrices: np.ndarray) -> None:
        is_number = np.isfinite(matrices).all(axis=(1, 2))
        if not is_number.all():
            frame = frames[np.flatnonzero(~is_number)[0]]
            reading.error(binding.object, f"is at a place that is not a number at frame {frame:g}: key it anew")
        if not is_number.all() or ((matrices == matrices[0]).all() and not _is_weighed(binding.body)):
            return
        pose = poses.split(matrices)
        binding.body.motion = "keyed"
        binding.body.keys = Keys(reading.times(frames).tolist(), pose.position, poses.continuous(pose.orientation))

    reading.probes.append(Probe(frames, binding.owner.world, use))


def _is_weighed(body: Body) -> bool:
    """True if a keyed body has a mass: then what holds it is asked for, also while it does not move."""
    return body.mass is not None


def _watch_parents(reading: Reading, binding: BodyBinding) -> None:
    """Sample what parents do to a dynamic body: keyframes are written relative to that."""
    owner, ob = binding.owner, binding.object
    if owner.carrier is None:
        return
    if ob.parent_type != "OBJECT" and any(not constraint.mute for constraint in ob.constraints):
        reading.error(
            ob,
            f"has constraints and hangs on {ob.parent.name} by {ob.parent_type.lower()}, "
            "which can't be told apart: clear the parent (keep transform) or the constraints",
        )
        return

    moves = moves_by_itself(ob.parent) or ob.parent_type != "OBJECT"
    binding.samples = max(SAMPLES + 1, reading.scene.ves.samples_per_frame) if moves else 1
    frames = sample_frames(reading.first, reading.last, binding.samples)

    def use(spaces: np.ndarray) -> None:
        if is_flat(spaces).any():
            reading.error(ob, FLAT_PARENT)
        binding.parent_samples, binding.parent_space = spaces, spaces[:: binding.samples]

    def use_ancestor(spaces: np.ndarray) -> None:
        binding.ancestor_samples, binding.ancestor_space = spaces, spaces[:: binding.samples]
        if not owner.has_place:
            _refuse_moving_between(reading, binding)

    reading.probes.append(Probe(frames, owner.parent_space, use))
    ancestor = owner.dynamic_ancestor()
    if ancestor:
        binding.ancestor = ancestor.name
        reading.probes.append(Probe(frames, ancestor.world, use_ancestor))


def _refuse_moving_between(reading: Reading, binding: BodyBinding) -> None:
    """A connected bone is where that above it ends: this must keep its place on the body that they hang on."""
    hanging = np.linalg.solve(binding.ancestor_samples, binding.parent_samples)
    if np.abs(hanging - hanging[0]).max() > STILL * (1.0 + np.abs(hanging[0]).max()):
        bone = binding.owner.bone
        reading.error(
            binding.object,
            f"moves {bone.name}, which is connected to {bone.parent.name}, and that has no body but moves by its "
            "animation: give that a body, or disconnect the bone",
        )


def _refuse_dynamic_parent(reading: Reading, owner: Owner) -> None:
    parent = owner.dynamic_ancestor()
    if parent:
        reading.error(
            owner.object,
            f"is {owner.settings.motion.lower()}, but hangs on {parent.object.name}, which is dynamic: "
            "make it dynamic and weld it, or clear its parent",
        )
