# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones of a rig that become bodies, by its structure: those that carry skin, without digits, faces and helpers.

Sizes are parts of the rig's own size, so a mouse and a giant, in whatever units, give the same choice. Names count only
as Blender itself takes them: for left and right.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

import bpy
import numpy as np

from .skin import Points

DIGIT = 0.13  # of the rig's size: chains of three or more side by side, each shorter than this, are digits or a face
TWIN = 0.15  # the same of a single bone that stands beside others, with a twin on the other side: a helper
ALONG, ASIDE = 0.7, 0.35  # of the length of the bone above: how far along, and aside, that begins which lies in it
SHORT = 0.75  # of the length of the bone above: an end is small only if it is also shorter than that
BEYOND = 1.6  # of that length: how far it reaches at most
STRAIGHT, ALIKE = 0.004, 0.005  # rad, part of the length: segments of one limb that a rig bends


@dataclass
class Choice:
    """Names of the bones with bodies, from the root outwards, the body above each (None: none), and what is left out.

    `home` tells for each bone with skin or of the choice whose body it belongs to; once that is known, `twins` which of
    the names have one on the other side, and `below` which hang on each.
    """

    names: list[str] = field(default_factory=list)
    above: dict[str, str | None] = field(default_factory=dict)
    home: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    twins: set[str] | None = None
    below: dict[str | None, list[str]] | None = None


def choose(
    armature: bpy.types.Object,
    skin: Points,
    smallest: float,
    with_small: bool,
    wanted: Collection[str] = (),
    bent: Collection[str] = (),
) -> Choice:
    """The choice; `smallest` (part of the rig's size): shorter chains at an end are left out.

    `with_small`: digits, faces and helpers take part too. `wanted`: so do these bones, whatever they are, and not the
    `bent` ones.
    """
    return _Forest(armature, skin).choice(smallest, with_small, wanted, bent)


class _Forest:
    """The bones that may have bodies, each below the nearest of them above it."""

    def __init__(self, armature: bpy.types.Object, skin: Points) -> None:
        self.bones, self.pose = armature.data.bones, armature.pose.bones
        deforming = [bone.name for bone in self.bones if bone.use_deform] or [bone.name for bone in self.bones]
        self.names = [bone.name for bone in self.bones if bone.name in skin] if skin else deforming
        self.head = {bone.name: np.array(bone.head_local, dtype=np.float64) for bone in self.bones}
        self.tail = {bone.name: np.array(bone.tail_local, dtype=np.float64) for bone in self.bones}
        ends = [end for name in self.names for end in (self.head[name], self.tail[name])]
        self.size = float(np.ptp(ends, axis=0).max()) if ends else 0.0
        self.targets = {name: list(targets_of(self.pose[name], armature)) for name in self.names}
        self._stands_for = {target: name for name, targets in self.targets.items() for target in targets}
        self.above: dict[str, str | None] = {}
        for name in self.names:
            self.above[name] = self._found_above(name)
        self.below: dict[str | None, list[str]] = defaultdict(list)
        for name, above in self.above.items():
            self.below[above].append(name)

    def choice(self, smallest: float, with_small: bool, wanted: Collection[str], bent: Collection[str]) -> Choice:
        """The rest of the forest after pruning."""
        out: dict[str, str] = {}
        order = self._outwards(None)
        for name in order:
            self._leave_out(name, out, smallest, with_small)
        out = {name: why for name, why in out.items() if name not in wanted}
        out.update(dict.fromkeys(bent, "bent by the rig"))
        found = Choice(names=[name for name in order if name not in out])
        kept = set(found.names)
        for name in order:
            found.home[name] = self._kept_from(name, kept)
        for bone in self.bones:
            above = bone
            while above is not None and above.name not in found.home:
                above = above.parent
            if above is not None:
                found.home[bone.name] = found.home[above.name]
        for name in found.names:
            above = self.above[name]
            found.above[name] = None if above is None else self._kept_from(above, kept)
        for name, why in out.items():
            found.left_out.setdefault(why, []).append(name)
        return found

    def _leave_out(self, name: str, out: dict[str, str], smallest: float, with_small: bool) -> None:
        """Note why a bone has no body, or which of those below it have none."""
        above = self.above[name]
        if above in out and not self._is_segment(name, above):
            out.setdefault(name, out[above] if out[above] != "segments" else "small")
            if out[name] != "small" or not self.below[name]:
                return
            del out[name]
        if above is not None and self._is_segment(name, above):
            out[name] = "segments"
        elif with_small or name in out:
            return
        elif above is not None and (why := self._is_helper(name, above, smallest)):
            out[name] = why
        digits = [each for each in self.below[name] if self.reach(each) < DIGIT * self.size]
        if len(digits) >= 3:
            out.update(dict.fromkeys(digits, "digits and faces"))

    def _is_helper(self, name: str, above: str, smallest: float) -> str:
        """Why a chain at an end has no body; "" if it has one."""
        reach, beside = self.reach(name), len(self.below[above])
        start, end = self.head[above], self.tail[above]
        along, length = end - start, max(np.linalg.norm(end - start), 1e-12)
        if reach < min(smallest * self.size, SHORT * length) and not self._goes_on(name):
            return "small"
        offset = self.head[name] - start
        share = float(offset @ along) / length**2
        aside = float(np.linalg.norm(offset - share * along)) / length
        within = max(np.linalg.norm(self.tail[each] - start) for each in self._outwards(name)) < BEYOND * length
        if -0.1 < share < ALONG and aside < ASIDE and within and not self._goes_on(name):
            return "helpers"
        twins = [each for each in self.below[above] if each != name and self._are_twins(name, each)]
        if beside > 2 and not self.below[name] and twins and reach < TWIN * self.size:
            return "helpers"
        return ""

    def _goes_on(self, name: str) -> bool:
        """True if there is more than digits below a bone."""
        return any(self.reach(each) >= DIGIT * self.size for each in self.below[name])

    def _are_twins(self, name: str, other: str) -> bool:
        near = 0.02 * self.size
        pairs = ((self.head[name], self.head[other]), (self.tail[name], self.tail[other]))
        return all(np.linalg.norm(a - b * (-1.0, 1.0, 1.0)) < near for a, b in pairs)

    def _is_segment(self, name: str, above: str) -> bool:
        """True for a further segment of a limb that controls of the rig bend, such as those for its twist."""
        if not (self.targets[name] and self.targets[above]):
            return False
        one, two = (self.tail[each] - self.head[each] for each in (above, name))
        lengths = np.linalg.norm(one), np.linalg.norm(two)
        if min(lengths) == 0.0 or np.linalg.norm(self.tail[above] - self.head[name]) > ALIKE * lengths[0]:
            return False
        is_straight = np.linalg.norm(np.cross(one, two)) < STRAIGHT * lengths[0] * lengths[1] and one @ two > 0.0
        return bool(is_straight and abs(lengths[0] - lengths[1]) < ALIKE * lengths[0])

    def reach(self, name: str) -> float:
        """The reach, from a bone's head, of all that hangs on it."""
        return max(float(np.linalg.norm(self.tail[each] - self.head[name])) for each in self._outwards(name))

    def _outwards(self, start: str | None) -> list[str]:
        order, waiting = [], [start]
        while waiting:
            here = waiting.pop()
            if here is not None:
                order.append(here)
            waiting += reversed(self.below[here])
        return order

    def _kept_from(self, name: str | None, kept: set[str]) -> str | None:
        while name is not None and name not in kept:
            name = self.above[name]
        return name

    def _found_above(self, name: str) -> str | None:
        """The next bone above with a skin, or one that a control above moves; else above the controls of this one."""
        for start in (name, *self.targets[name]):
            bone = self.bones[start].parent
            while bone is not None:
                for found in (bone.name if bone.name in self.targets else None, self._stands_for.get(bone.name)):
                    if found is not None and found != name and not self._hangs_on(found, name):
                        return found
                bone = bone.parent
        return None

    def _hangs_on(self, name: str | None, other: str) -> bool:
        while name is not None and name != other:
            name = self.above.get(name)
        return name == other


def targets_of(bone: bpy.types.PoseBone, armature: bpy.types.Object) -> list[str]:
    """The bones of the same rig that lead a bone by constraints."""
    found = []
    for each in bone.constraints:
        if not each.mute and each.influence and getattr(each, "target", None) == armature and each.type != "IK":
            found.append(each.subtarget)
        elif each.type == "ARMATURE" and not each.mute:
            found += [target.subtarget for target in each.targets if target.target == armature]
    return [name for name in found if name in armature.data.bones]
