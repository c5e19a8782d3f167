# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on the controls of a rig, with which the bones that they lead are where the physics has them.

What a control does to the rig no formula here knows: constraints, drivers and settings are between. So each frame is
evaluated, the controls are put where their bones should be, and what is still off is put right again, until nothing is.
Bones that have keys of their own take part: a setting of the rig that is held may have changed what they hang on.

Of a limb that IK leads the target goes with the hand or the foot, or to where the tip should be (`limb_targets.py`).
That leaves the limb one freedom, the turn about the line from its root to its tip, which a pole or the root of the
chain has.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Matrix

from ..animation.rig_settings import held_settings
from ..animation.slopes import slopes
from ..findings import Finding
from ..geometry import poses
from ..owner import Owner, rotation_path
from ..read.channels import rotation_channels, world_matrices
from ..read.reading import BodyBinding, Reading
from ..read.sampling import evaluate_at
from ..read.solved import Solved
from .keys_between import Keys
from .limb_targets import LimbTarget
from .write_keyframes import CODES, Deferred, bag_of, put_keys, switch_constraints_off

PLACE, TURN = 1e-5, 2e-5  # of the largest coordinate, and rad: so near is there
TOLD_PLACE, TOLD_TURN = 1e-4, 1.7e-4  # m and rad (0.01 degree): what is off by more is told
ROUNDS = 8
IK_ROUNDS, LESS = 16, 0.7  # of a rig with IK, as long as two rounds together leave less than this part of what is off
ON_LINE = 0.05  # of a limb's length: a pole that is nearer to the line from root to tip shows no way
STILL = 5e-6  # m: a control that goes no farther from its own place keeps it, without keys


@dataclass
class _Led:
    """A body's bone, the owner of its keys, and these at each frame, in the space of what it hangs on."""

    binding: BodyBinding
    owner: Owner
    wanted: np.ndarray  # (F, 4, 4) of its bone in the world
    above: "_Led | None" = None
    location: list[np.ndarray] = field(default_factory=list)
    rotation: list[np.ndarray] = field(default_factory=list)
    below: "_Led | None" = None
    target: LimbTarget | None = None
    root: "_Led | None" = None
    is_new: bool = False
    start: np.ndarray = field(default_factory=lambda: np.zeros(3))
    off: tuple[float, float, int] = (0.0, 0.0, 0)

    def __post_init__(self) -> None:
        self.is_new = self.owner != self.binding.owner
        self.start = self.owner.rotation_values
        self.own_place = np.array(self.owner.moved.location, dtype=np.float64)
        self.leads = self.binding.owner.leads

    @property
    def is_pole(self) -> bool:
        """True if its control is none of the chain that it turns."""
        return self.leads == "SWIVEL" and not _is_turned(self.owner.bone, self.binding.owner.bone)

    def shown(self, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        """The world matrix (4, 4) of the owner of the keys."""
        holder = np.array(self.owner.holder.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
        return holder @ np.array(self.owner.bone.matrix, dtype=np.float64)

    def tip(self, world: np.ndarray) -> np.ndarray:
        """(3,) the tip of the limb whose target is its control: the bone's tail, or the head of a hand or a foot."""
        return self.tail(world) if self.leads == "TIP" else world[:3, 3]

    def tail(self, world: np.ndarray) -> np.ndarray:
        """(3,) the tail of the body's bone, where its matrix (4, 4) is that."""
        return world[:3, 3] + self.binding.owner.bone.bone.length * world[:3, 1]


def put_on_controls(
    reading: Reading,
    view_layer: bpy.types.ViewLayer,
    solved: Solved,
    made: list[tuple[bpy.types.Object, bpy.types.Action]],
    deferred: list[Deferred],
) -> Iterator[float]:
    """Give controls their keys, in the actions that show; yields the fraction done, and returns findings.

    `deferred`: keys of the bones that controls lead. Call inside `frame_kept`.
    """
    findings: list[Finding] = []
    rigs = [(holder, action) for holder, action in made if _has_to(holder, deferred)]
    for number, (holder, action) in enumerate(rigs):
        bag = bag_of(action, action.slots[0])
        for path, value in held_settings(holder).items():
            _hold(bag, path, reading.first, float(value))
        led = _all_led(reading, holder, solved)
        for each in led:
            if each.is_new and each.leads == "AS_ONE":
                switch_constraints_off(bag, each.owner, reading.first)
        for row in range(len(solved.position)):
            _meet(led, row, reading, view_layer)
            yield (number + (row + 1) / len(solved.position)) / len(rigs)
        for each in led:
            if each.is_new:
                _put(action, each, reading.first)
        findings += _told(led)
    return findings


def _has_to(holder: bpy.types.Object, deferred: list[Deferred]) -> bool:
    return bool(held_settings(holder)) or any(each.binding.owner.holder == holder for each in deferred)


def _all_led(reading: Reading, holder: bpy.types.Object, solved: Solved) -> list[_Led]:
    """From the root of the rig outwards, each with the nearest that it hangs on."""
    found: dict[str, _Led] = {}
    for binding in reading.bodies:
        owner = binding.owner
        if binding.body.motion == "dynamic" and owner.bone is not None and owner.holder == holder:
            keyed = owner.control or owner
            found[keyed.bone.name] = _Led(binding, keyed, world_matrices(binding, solved))
    order = sorted(found.values(), key=lambda each: len(each.owner.bone.parent_recursive))
    for each in order:
        above = (bone.name for bone in each.owner.bone.parent_recursive)
        each.above = next((found[name] for name in above if name in found), None)
    lower = {each.binding.owner.carrier: each for each in order if each.leads in ("TIP", "BY_IK")}
    for each in order:
        each.below = lower.get(each.binding.owner)
        if each.leads == "SWIVEL" and each.below is None:
            each.leads = "BY_IK"
    _find_targets(order)
    return order


def _find_targets(led: list[_Led]) -> None:
    """Tell those whose control is the target of a limb, and where its root is."""
    of = {each.binding.owner: each for each in led}
    for each in led:
        lower = each if each.leads == "TIP" else of.get(each.binding.owner.carrier)
        has_control = each.leads == "AS_ONE" and each.owner != each.binding.owner
        if lower is each or (lower is not None and lower.leads == "BY_IK" and has_control):
            each.root = of.get(lower.binding.owner.carrier, lower)
            bones = [part.binding.owner.bone for part in ([lower] if each.root is lower else [each.root, lower])]
            each.target = LimbTarget(_scale(each) * sum(bone.length for bone in bones))


def _is_turned(control: bpy.types.PoseBone, bone: bpy.types.PoseBone) -> bool:
    """True for a control whose head is that of the bone, at rest."""
    return control == bone or (control.bone.head_local - bone.bone.head_local).length < 1e-3 * bone.bone.length


def _meet(led: list[_Led], row: int, reading: Reading, view_layer: bpy.types.ViewLayer) -> None:
    """Put all where they should be at a frame."""
    depsgraph = evaluate_at(reading.scene, view_layer, reading.first + row)
    has_ik, worst = any(each.leads != "AS_ONE" for each in led), []
    for round_ in range(IK_ROUNDS if has_ik else ROUNDS):
        size = 1.0 + float(np.abs(led[0].wanted[row][:3, 3]).max())
        apart = [_apart(each, row, depsgraph) for each in led]
        late = [place > PLACE * size or turn > TURN for place, turn in apart]
        if round_ and not any(late):
            break
        worst.append(max(max(place / (PLACE * size), turn / TURN) for place, turn in apart))
        if has_ik and round_ > 7 and worst[-1] > LESS * worst[-4]:
            break
        moved: dict[int, np.ndarray] = {}
        for each, is_late in zip(led, late, strict=True):
            if each.leads == "AS_ONE":
                _move(each, is_late, row, depsgraph, moved, round_ == 0)
            elif each.leads == "TIP" or each.is_pole:
                _shift(each, row, depsgraph, moved, round_ == 0)
            elif each.leads == "SWIVEL":
                _swivel(each, row, depsgraph, moved.get(id(each.above), np.eye(4)))
        view_layer.update()
        depsgraph = view_layer.depsgraph
    for each, (place, turn) in zip(led, apart, strict=True):
        if max(place / TOLD_PLACE, turn / TOLD_TURN) > max(each.off[0] / TOLD_PLACE, each.off[1] / TOLD_TURN):
            each.off = place, turn, reading.first + row
        basis = np.array(each.owner.moved.matrix_basis, dtype=np.float64)
        each.location.append(basis[:3, 3])
        each.rotation.append(poses.quaternions(poses.rotation_part(basis[:3, :3] / each.owner.scale)[None])[0])


def _apart(each: _Led, row: int, depsgraph: bpy.types.Depsgraph) -> tuple[float, float]:
    """m and rad between a body's bone and where it should be."""
    here, wanted = each.binding.owner.world(depsgraph), each.wanted[row]
    turn = poses.rotation_part(wanted[:3, :3]).T @ poses.rotation_part(here[:3, :3])
    angle = float(np.linalg.norm(poses.rotation_vector(turn[None])[0]))
    return float(np.linalg.norm(here[:3, 3] - wanted[:3, 3])), angle


def _move(
    each: _Led, is_late: bool, row: int, depsgraph: bpy.types.Depsgraph, moved: dict[int, np.ndarray], is_first: bool
) -> None:
    """Put the owner of the keys where it takes the body's bone to its place, if that is not there.

    `moved` has, of those that were put somewhere, the motion (4, 4) in the world by which they go there.
    """
    carried = moved.get(id(each.above), np.eye(4))
    if not is_late:
        moved[id(each)] = np.eye(4)
        if np.array_equal(carried, np.eye(4)):
            return
    here = each.binding.owner.world(depsgraph)
    motion, shown = each.wanted[row] @ np.linalg.inv(here), each.shown(depsgraph)
    goal = motion @ shown
    if each.target is not None:
        goal[:3, 3] = _place_of_target(each, row, depsgraph, is_first)
        motion = goal @ np.linalg.inv(shown)
    basis = _basis(each, goal, carried, depsgraph)
    turn = poses.quaternions(poses.rotation_part(basis[:3, :3] / each.owner.scale)[None])
    mode, start = each.owner.rotation_mode, each.owner.rotation_values
    each.owner.write(basis[:3, 3], rotation_channels(turn, mode, start)[0])
    moved[id(each)] = motion
    each.is_new = True


def _shift(each: _Led, row: int, depsgraph: bpy.types.Depsgraph, moved: dict[int, np.ndarray], is_first: bool) -> None:
    """Move a target by what the tip of its limb is off, or a pole to where it turns the limb as it should be."""
    shown, here = each.shown(depsgraph), each.binding.owner.world(depsgraph)
    if each.is_pole:
        goal = _place_of_pole(each, row, here, each.below.binding.owner.world(depsgraph), shown[:3, 3])
    else:
        goal = _place_of_target(each, row, depsgraph, is_first)
    shown[:3, 3] = goal
    basis = _basis(each, shown, moved.get(id(each.above), np.eye(4)), depsgraph)
    each.owner.moved.location = basis[:3, 3].tolist()
    each.is_new = True


def _place_of_target(each: _Led, row: int, depsgraph: bpy.types.Depsgraph, is_first: bool) -> np.ndarray:
    """(3,) m: where the target of a limb goes, so that the tip comes to where it should be."""
    target, wanted, here = each.target, each.wanted[row], each.binding.owner.world(depsgraph)
    tip, goal, turns = each.tip(here), each.tip(wanted), each.leads == "AS_ONE"
    if target.offset is None and target.is_bent(each.root.binding.owner.world(depsgraph)[:3, 3], tip):
        offset = each.shown(depsgraph)[:3, 3] - tip
        target.offset = poses.rotation_part(here[:3, :3]).T @ offset if turns else offset
    offset = target.offset if target.offset is not None else _offset_at_rest(each, depsgraph)
    offset = poses.rotation_part(wanted[:3, :3]) @ offset if turns else offset
    return goal + offset + target.shift(goal - tip, is_first)


def _offset_at_rest(each: _Led, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """(3,) m: from the tip of a limb to its target, in the frame of a hand or a foot, otherwise in the world."""
    bone, control = each.binding.owner.bone.bone, each.owner.bone.bone
    if each.leads == "AS_ONE":
        return _scale(each) * np.array((bone.matrix_local.inverted() @ control.matrix_local).translation)
    holder = np.array(each.owner.holder.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
    return holder[:3, :3] @ np.array(control.head_local - bone.tail_local)


def _place_of_pole(each: _Led, row: int, upper: np.ndarray, lower: np.ndarray, pole: np.ndarray) -> np.ndarray:
    """(3,) m: on the side of the limb where it is now, as the upper bone has it, as far off as it is at rest."""
    wanted, bent = each.wanted[row], each.below.wanted[row]
    line, goal_line = each.below.tail(lower) - upper[:3, 3], each.below.tail(bent) - wanted[:3, 3]
    side, length = _beside(pole - upper[:3, 3], line), float(np.linalg.norm(goal_line))
    if np.linalg.norm(side) < ON_LINE * length:
        side = _beside(lower[:3, 3] - upper[:3, 3], line)
    side = _beside(poses.rotation_part(wanted[:3, :3]) @ poses.rotation_part(upper[:3, :3]).T @ side, goal_line)
    at_rest = each.owner.bone.bone.head_local - each.below.binding.owner.bone.bone.head_local
    far = max(_scale(each) * at_rest.length, 0.5 * length)
    on_line = bent[:3, 3] - _beside(bent[:3, 3] - wanted[:3, 3], goal_line)
    return on_line + far / max(float(np.linalg.norm(side)), 1e-12) * side


def _beside(way: np.ndarray, line: np.ndarray) -> np.ndarray:
    """The part (3,) of a way that is across a line."""
    return way - line * (way @ line) / max(float(line @ line), 1e-24)


def _swivel(each: _Led, row: int, depsgraph: bpy.types.Depsgraph, carried: np.ndarray) -> None:
    """Turn the root of a chain of IK by what its limb is off; if it has locks, about its line to the tip alone."""
    here, wanted = each.binding.owner.world(depsgraph), each.wanted[row]
    if not any(each.owner.bone.lock_rotation):
        goal = wanted @ np.linalg.inv(here) @ each.shown(depsgraph)
        _turn(each, _basis(each, goal, carried, depsgraph))
        return
    line = each.below.tail(each.below.wanted[row]) - wanted[:3, 3]
    turn = poses.rotation_part(wanted[:3, :3]) @ poses.rotation_part(here[:3, :3]).T
    w, *axis = poses.quaternions(turn[None])[0]
    angle = 2.0 * math.atan2(np.array(axis) @ line / max(float(np.linalg.norm(line)), 1e-12), w)
    angle = math.remainder(angle, 2.0 * math.pi) * (1.0 if each.shown(depsgraph)[:3, 1] @ line > 0.0 else -1.0)
    _turn(each, np.array(each.owner.bone.matrix_basis @ Matrix.Rotation(angle, 4, "Y"), dtype=np.float64))


def _turn(each: _Led, basis: np.ndarray) -> None:
    """Give the owner of the keys the rotation of a basis (4, 4)."""
    turned = poses.quaternions(poses.rotation_part(basis[:3, :3] / each.owner.scale)[None])
    mode, start = each.owner.rotation_mode, each.owner.rotation_values
    setattr(each.owner.bone, rotation_path(mode), rotation_channels(turned, mode, start)[0].tolist())
    each.is_new = True


def _basis(each: _Led, goal: np.ndarray, carried: np.ndarray, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """B (4, 4) of the owner of the keys, with which it is at `goal` once what it hangs on has been `carried`."""
    bone = each.owner.bone
    if bone.bone.use_local_location or bone.parent is None:
        return np.linalg.solve(carried @ each.owner.parent_space(depsgraph), goal)
    holder = np.array(each.owner.holder.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
    above = np.linalg.solve(holder, carried @ holder @ np.array(bone.parent.matrix, dtype=np.float64))
    basis = bone.bone.convert_local_to_pose(
        Matrix(np.linalg.solve(holder, goal).tolist()),
        bone.bone.matrix_local,
        parent_matrix=Matrix(above.tolist()),
        parent_matrix_local=bone.parent.bone.matrix_local,
        invert=True,
    )
    return np.array(basis, dtype=np.float64)


def _put(action: bpy.types.Action, each: _Led, first: int) -> None:
    """Write the keys of a control, at each frame."""
    location, rotation = np.array(each.location), np.array(each.rotation)
    is_control, is_alone = each.owner != each.binding.owner, each.leads == "TIP" or each.is_pole
    turns_only = each.leads == "SWIVEL" and not is_alone
    keeps = turns_only or (is_control and np.abs(location - each.own_place).max() * _scale(each) < STILL)
    each.rotation = rotation_channels(rotation, each.owner.rotation_mode, each.start)
    written = set() if turns_only else {each.owner.channel("location")}
    if not is_alone:
        written |= set(each.owner.moved_channels) - {each.owner.channel("location")}
    bag = bag_of(action, action.slots[0])
    for curve in [curve for curve in bag.fcurves if curve.data_path in written]:
        bag.fcurves.remove(curve)
    place, turn = None if keeps else _keys(location), None if is_alone else _keys(each.rotation)
    put_keys(action, each.owner, place, turn, first, with_constraints=each.leads != "AS_ONE")
    if keeps and not turns_only:
        each.owner.moved.location = each.own_place.tolist()


def _scale(each: _Led) -> float:
    return float(np.abs(each.owner.holder.matrix_world.to_scale()).max())


def _keys(values: np.ndarray) -> Keys:
    slope = slopes(values)
    return Keys(np.arange(float(len(values))), values, slope, slope, np.zeros(len(values), bool))


def _hold(bag: bpy.types.ActionChannelbag, path: str, frame: int, value: float) -> None:
    """A single key that holds a setting of the rig at a value."""
    curve = bag.fcurves.find(path)
    if curve:
        bag.fcurves.remove(curve)
    curve = bag.fcurves.new(path)
    curve.keyframe_points.add(1)
    curve.keyframe_points.foreach_set("co", [float(frame), value])
    curve.keyframe_points.foreach_set("type", [CODES["type"]])
    curve.update()


def _told(led: list[_Led]) -> Iterator[Finding]:
    """Findings about bones that no key of their control could put where they should be."""
    for each in led:
        place, turn, frame = each.off
        if (place > TOLD_PLACE or turn > TOLD_TURN) and each.leads != "AS_ONE":
            yield Finding(
                each.binding.object,
                f"IK does not bring {each.binding.owner.bone.name} to where physics has it: at frame {frame} it is "
                f"{1e3 * place:.3g} mm and {np.degrees(turn):.3g}° off; Keys On FK Controls meets it",
            )
        elif place > TOLD_PLACE or turn > TOLD_TURN:
            yield Finding(
                each.binding.object,
                f"its control {each.owner.bone.name} does not lead its bone to where physics has it: at frame {frame} "
                f"it is {1e3 * place:.3g} mm and {np.degrees(turn):.3g}° off; choose another Keyed Bone, or none",
            )
