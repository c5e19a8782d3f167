# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of a part: chosen bodies within a range of frames, from the animation that is shown and back to it.

The chosen ones follow that animation, are let go at the first frame and taken back before the last, as by Hand-over.
What hangs on them goes on beside them as animated; all others are keyed. Only of the chosen ones keys are made, in a
copy of the action, within the range.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...solver.mechanism import Action, Body, Mechanism, Table
from ..animation.animated import animated_paths, own_curves
from ..animation.kept import REST
from ..animation.slopes import slopes
from ..findings import Finding, refuse, refuse_all
from ..owner import Owner, rotation_path
from ..properties.scene import frame_range
from ..quantities.recorded import KEY as RECORD
from ..read.reading import BodyBinding, Reading
from ..read.sampling import Probe, frame_kept, run_probes
from ..read.solved import Solved
from ..rig.controls import hindering
from .keys_between import Keys
from .splice import Points, can_be_split, points_of, put_points, sampled, solved_points, spliced, still, switched_off
from .write_keyframes import bag_of, copy_with_slot, group_of, keys_of_bodies

INSTANT = 0.01  # frames: what comes one after the other, at once
Made = list[tuple[bpy.types.Object, bpy.types.Action]]


@dataclass(frozen=True)
class Part:
    """The bodies that are let go, and the frames of both blends."""

    bodies: Collection[bpy.types.Object]
    blend_in: float
    blend_out: float

    def refuse_wrong(self, scene: bpy.types.Scene) -> None:
        """Raises SceneError for what cannot be baked in part."""
        first, last = frame_range(scene)
        if not self.bodies:
            refuse(None, "no Dynamic body is selected: select those that physics is to move, or their bones")
        if self.blend_in + self.blend_out > last - first - 2.0 * INSTANT:
            refuse(
                None,
                f"Blend In and Blend Out take {self.blend_in + self.blend_out:g} frames, and frames {first} to {last} "
                f"are {last - first}: shorten them, or choose more Frames",
            )
        if scene.ves.use_cycle:
            refuse(None, "Loop is for whole ranges, and this is a part: switch Loop off")
        refuse_all([each for body in self.bodies for each in _in_the_way(Owner(body))])
        for rig in {Owner(body).holder for body in self.bodies}:
            names = [Owner(body).group for body in self.bodies if Owner(body).holder == rig]
            settings = hindering(rig, names) if rig not in self.bodies else []
            if settings:
                text = "a part cannot hold settings by which bones keep their turn: set {} to 1, or bake all"
                refuse(rig, text.format(" and ".join(settings)))

    def apply(self, reading: Reading) -> None:
        """Let the bodies of a mechanism that was read as shown go, and come back."""
        mechanism = reading.mechanism
        mechanism.actions = [each for each in mechanism.actions if set(each.set or {}) != {"released"}]
        for binding in reading.bodies:
            body = binding.body
            if body.follow is None:
                continue
            body.linear_velocity = body.angular_velocity = None
            body.released = False
            if binding.object in self.bodies:
                mechanism.actions += _let_go(body, binding.owner.settings.follows, reading, self)
            elif any(carrier.object in self.bodies for carrier in binding.owner.carriers()):
                body.follow = replace(body.follow, weight=1.0, feed_forward=1.0, max_force=None)
            else:
                _lead(body)
        chosen = {Owner(body).name for body in self.bodies}
        for joint in mechanism.joints:
            if joint.child not in chosen:
                joint.limits = None  # its animation is as it is
        _leave_out_led(mechanism)
        mechanism.actions.sort(key=lambda action: action.time)


def _lead(body: Body) -> None:
    """Let a body move as it is animated, and be pushed by nothing."""
    place, turn = np.array(body.keys.positions), np.array(body.keys.orientations)
    body.follow, body.motion = None, "keyed"
    if (place == place[0]).all() and (turn == turn[0]).all():
        body.motion, body.keys = "fixed", None


def _leave_out_led(mechanism: Mechanism) -> None:
    """Take out what acts between bodies alone that nothing pushes, and its actions."""
    led = {body.name for body in mechanism.bodies if body.motion != "dynamic"}
    out = {joint.name for joint in mechanism.joints if {joint.parent, joint.child} <= led | {None}}
    for each in (*mechanism.constraints, *mechanism.forces):
        named = {getattr(each, name, None) for name in ("body", "fork", "body_a", "body_b")} - {None}
        if named and named <= led:
            out.add(each.name)
    for name in ("joints", "constraints", "forces"):
        setattr(mechanism, name, [each for each in getattr(mechanism, name) if each.name not in out])
    mechanism.actions = [each for each in mechanism.actions if each.target not in out]


def _let_go(body: Body, follows: bool, reading: Reading, part: Part) -> list[Action]:
    """When a body is let go and taken back; gives it the weights for that."""
    rate, end = reading.frame_rate, reading.duration
    begin, back, instant = max(part.blend_in, INSTANT) / rate, end - part.blend_out / rate, INSTANT / rate
    own = body.follow.weight if follows else 0.0
    inside = (
        [(t, w) for t, w in zip(own.times, own.values, strict=True) if begin < t < back - 2.0 * instant]
        if isinstance(own, Table)
        else []
    )

    def at(time: float) -> float:
        return float(np.interp(time, own.times, own.values)) if isinstance(own, Table) else own

    late = back - 2.0 * instant
    knots = [(0.0, 1.0), (begin, at(begin)), *inside, (late, at(late)), (back - instant, 1.0), (end, 1.0)]
    weight = Table(*(tuple(column) for column in zip(*dict(knots).items(), strict=True)))
    body.follow = replace(body.follow, weight=weight, blend_time=part.blend_out / rate)
    return [
        Action(late if follows else begin, body.name, {"released": True}),
        Action(back, body.name, {"released": False}),
    ]


def _in_the_way(owner: Owner) -> Iterator[Finding]:
    """Reasons why keys cannot be put into the midst of a body's animation."""
    animation = owner.holder.animation_data
    has_action = animation is not None and animation.action is not None
    if has_action and (animation.action_blend_type != "REPLACE" or animation.action_influence != 1.0):
        text = "its action is blended with NLA strips: set its Blending to Replace and its Influence to 1"
        yield Finding(owner.object, text)
    paths = set(animated_paths(owner.holder))
    for constraint in set(_working(owner)) - set(owner.driven_constraints):
        if owner.channel(_influence(constraint)) in paths:
            text = f"the Influence of its constraint {constraint.name} is animated, so a part cannot switch it off: "
            yield Finding(owner.object, text + "apply the constraint, or bake all")


def _working(owner: Owner) -> list[bpy.types.Constraint]:
    return [constraint for constraint in owner.constraints if not constraint.mute and constraint.influence > 0.0]


def _influence(constraint: bpy.types.Constraint) -> str:
    return f'constraints["{bpy.utils.escape_identifier(constraint.name)}"].influence'


def build_part(
    reading: Reading, view_layer: bpy.types.ViewLayer, solved: Solved, part: Part, made: Made
) -> Iterator[float]:
    """Make a copy of the action of each holder, with the solved keys of the part's bodies in their range; yields the
    fraction done. Appends (holder, action) to `made`, assigned to nothing.
    """
    some = [binding for binding in reading.bodies if binding.object in part.bodies]
    seen = yield from _seen(reading.scene, view_layer, some)
    actions: dict[bpy.types.Object, bpy.types.Action] = {}
    steps = keys_of_bodies(reading.bodies, some, solved, reading.scene.ves.keys_between)
    for i, keys in enumerate(steps):
        if keys is not None:
            binding, location, rotation = keys
            holder = binding.owner.holder
            if holder not in actions:
                actions[holder] = _action_as_shown(holder)
                made.append((holder, actions[holder]))
            _splice(actions[holder], binding, (location, rotation), reading.first, seen)
        yield min(1.0, 0.5 + 0.5 * i / len(some))


def _action_as_shown(holder: bpy.types.Object) -> bpy.types.Action:
    """A copy of the action that an object has, or a new one."""
    animation = holder.animation_data
    if animation is None or animation.action is None or animation.action_slot is None:
        action = bpy.data.actions.new(holder.name)
        action.slots.new(id_type=Owner.SLOT, name=holder.name)
    else:
        action, _ = copy_with_slot(animation.action, animation.action_slot.identifier, holder.name)
        for key in (REST, RECORD):
            if key in action:
                del action[key]
    action.name = f"{holder.name} Part"
    return action


Channel = tuple[bpy.types.Object, str, int]
Seen = dict[Channel, Points]


def _written(owner: Owner) -> list[tuple[str, int]]:
    """(property, index) of the channels of a body that are keyed."""
    turn = rotation_path(owner.rotation_mode)
    places = [("location", index) for index in range(3)] if owner.has_place else []
    return [*places, *((turn, index) for index in range(len(owner.rotation_values)))]


def _seen(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, some: list[BodyBinding]) -> Iterator[float]:
    """Keys, at each frame of the scene, of channels whose curves cannot be split; returns them.

    These are curves with modifiers or easings, and what NLA strips alone move.
    """
    wanted = {binding.owner: found for binding in some if (found := _not_plain(binding.owner))}
    found: Seen = {}
    if not wanted:
        return found
    ranges = (scene.frame_start, scene.frame_end), frame_range(scene)
    frames = np.arange(min(first for first, _ in ranges), max(last for _, last in ranges) + 1.0)
    probes = []
    for owner, channels in wanted.items():

        def read(depsgraph: bpy.types.Depsgraph, owner: Owner = owner, channels: list = channels) -> np.ndarray:
            moved = owner.at(depsgraph).moved
            return np.array([getattr(moved, path)[index] for path, index in channels], dtype=np.float64)

        def use(values: np.ndarray, owner: Owner = owner, channels: list = channels) -> None:
            for column, (path, index), slope in zip(values.T, channels, slopes(values).T, strict=True):
                found[owner.object, path, index] = sampled(frames, column, slope)

        probes.append(Probe(frames, read, use))
    with frame_kept(scene):
        for fraction in run_probes(scene, view_layer, probes):
            yield 0.5 * fraction
    return found


def _not_plain(owner: Owner) -> list[tuple[str, int]]:
    animation = owner.holder.animation_data
    if animation is None:
        return []
    strips = set(animated_paths(owner.holder)) if animation.nla_tracks else set()
    found = []
    for path, index in _written(owner):
        curve = _curve(owner, path, index)
        if curve is None or curve.mute:
            if owner.channel(path) in strips:
                found.append((path, index))
        elif any(not each.mute for each in curve.modifiers) or not can_be_split(points_of(curve)):
            found.append((path, index))
    return found


def _curve(owner: Owner, path: str, index: int) -> bpy.types.FCurve | None:
    channel = owner.channel(path)
    curves = own_curves(owner.holder)
    return next((curve for curve in curves if (curve.data_path, curve.array_index) == (channel, index)), None)


def _splice(action: bpy.types.Action, binding: BodyBinding, both: tuple[Keys, Keys], first: int, seen: Seen) -> None:
    """Put the keys of a body into the curves of the action."""
    owner, bag = binding.owner, bag_of(action, action.slots[0])
    by_path = {"location": both[0], rotation_path(owner.rotation_mode): both[1]}
    for path, index in _written(owner):
        curve = bag.fcurves.find(owner.channel(path), index=index)
        if curve is not None and curve.mute:
            bag.fcurves.remove(curve)
            curve = None
        if curve is None:
            curve = bag.fcurves.new(owner.channel(path), index=index)
            curve.group = group_of(bag, owner)
        solved = solved_points(first, by_path[path], index)
        old = seen.get((owner.object, path, index))
        if old is not None:
            for modifier in list(curve.modifiers):
                curve.modifiers.remove(modifier)
        elif len(curve.keyframe_points):
            old = points_of(curve)
        else:
            old = still(solved.co[0, 0], float(getattr(owner.moved, path)[index]))
        is_smoothed = curve.auto_smoothing != "NONE"
        put_points(curve, spliced(old, solved, curve.extrapolation == "LINEAR", is_smoothed))
    driven = owner.driven_constraints
    for constraint in [*(each for each in _working(owner) if each not in driven), *driven]:
        name, value = ("enabled", 1.0) if constraint in driven else ("influence", constraint.influence)
        curve = bag.fcurves.new(owner.constraint_channel(constraint, name))
        curve.group = group_of(bag, owner)
        put_points(curve, switched_off(value, solved.co[0, 0], solved.co[-1, 0]))
