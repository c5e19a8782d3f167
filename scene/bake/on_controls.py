# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on the controls of a rig, with which the bones that they lead are where the physics has them.

What a control does to the rig no formula here knows: constraints, drivers and settings are between. So each frame is
evaluated, the controls are put where their bones should be, and what is still off is put right again, until nothing is.
Bones that have keys of their own take part: a setting of the rig that is held may have changed what they hang on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import bpy
import numpy as np

from ..animation.rig_settings import held_settings
from ..animation.slopes import slopes
from ..findings import Finding
from ..geometry import poses
from ..owner import Owner
from ..read.channels import rotation_channels, world_matrices
from ..read.reading import BodyBinding, Reading
from ..read.sampling import evaluate_at
from ..read.solved import Solved
from .keys_between import Keys
from .write_keyframes import CODES, Deferred, bag_of, put_keys, switch_constraints_off

PLACE, TURN = 1e-5, 2e-5  # of the largest coordinate, and rad: so near is there
TOLD_PLACE, TOLD_TURN = 1e-4, 1.7e-4  # m and rad (0.01 degree): what is off by more is told
ROUNDS = 8
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
    is_new: bool = False
    start: np.ndarray = field(default_factory=lambda: np.zeros(3))
    off: tuple[float, float, int] = (0.0, 0.0, 0)

    def __post_init__(self) -> None:
        self.is_new = self.owner != self.binding.owner
        self.start = self.owner.rotation_values
        self.own_place = np.array(self.owner.moved.location, dtype=np.float64)


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
            if each.is_new:
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
    return order


def _meet(led: list[_Led], row: int, reading: Reading, view_layer: bpy.types.ViewLayer) -> None:
    """Put all where they should be at a frame."""
    depsgraph = evaluate_at(reading.scene, view_layer, reading.first + row)
    for round_ in range(ROUNDS):
        size = 1.0 + float(np.abs(led[0].wanted[row][:3, 3]).max())
        apart = [_apart(each, row, depsgraph) for each in led]
        late = [place > PLACE * size or turn > TURN for place, turn in apart]
        if round_ and not any(late):
            break
        moved: dict[int, np.ndarray] = {}
        for each, is_late in zip(led, late, strict=True):
            _move(each, is_late, row, depsgraph, moved)
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


def _move(each: _Led, is_late: bool, row: int, depsgraph: bpy.types.Depsgraph, moved: dict[int, np.ndarray]) -> None:
    """Put the owner of the keys where it takes the body's bone to its place, if that is not there.

    `moved` has, of those that were put somewhere, the motion (4, 4) in the world by which they go there.
    """
    carried = moved.get(id(each.above), np.eye(4))
    if not is_late:
        moved[id(each)] = np.eye(4)
        if np.array_equal(carried, np.eye(4)):
            return
    here = each.binding.owner.world(depsgraph)
    motion = each.wanted[row] @ np.linalg.inv(here)
    holder = np.array(each.owner.holder.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
    goal = motion @ holder @ np.array(each.owner.bone.matrix, dtype=np.float64)
    space = carried @ each.owner.parent_space(depsgraph)
    basis = np.linalg.solve(space, goal)
    turn = poses.quaternions(poses.rotation_part(basis[:3, :3] / each.owner.scale)[None])
    mode, start = each.owner.rotation_mode, each.owner.rotation_values
    each.owner.write(basis[:3, 3], rotation_channels(turn, mode, start)[0])
    moved[id(each)] = motion
    each.is_new = True


def _put(action: bpy.types.Action, each: _Led, first: int) -> None:
    """Write the keys of a control, at each frame."""
    location, rotation = np.array(each.location), np.array(each.rotation)
    is_control = each.owner != each.binding.owner
    keeps = is_control and np.abs(location - each.own_place).max() * _scale(each) < STILL
    each.rotation = rotation_channels(rotation, each.owner.rotation_mode, each.start)
    bag, channels = bag_of(action, action.slots[0]), set(each.owner.moved_channels)
    for curve in [curve for curve in bag.fcurves if curve.data_path in channels]:
        bag.fcurves.remove(curve)
    put_keys(action, each.owner, None if keeps else _keys(location), _keys(each.rotation), first)
    if keeps:
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
        if place > TOLD_PLACE or turn > TOLD_TURN:
            yield Finding(
                each.binding.object,
                f"its control {each.owner.bone.name} does not lead its bone to where physics has it: at frame {frame} "
                f"it is {1e3 * place:.3g} mm and {np.degrees(turn):.3g}° off; choose another Keyed Bone, or none",
            )
