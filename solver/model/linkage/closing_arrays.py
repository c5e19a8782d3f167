# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of what closes a linkage's loops, of constraints, and of motors that lead coordinates: its closures."""

import functools
from collections.abc import Sequence

import numpy as np

from ...mechanism.constraints import Coupling
from ...mechanism.joint_types import LENGTH
from ...mechanism.joints import Joint
from ...mechanism.keyed_motion import led_pieces
from ...mechanism.ropes import OverWheels, Rope
from ..arrays import LAGRANGE, SPARSE, TYPES, Kind, RowKind
from ..closures import (
    Anchor,
    Backlash,
    Closure,
    Drums,
    Source,
    closure_arrays,
    constraint_closure,
    cut_closure,
    grip_closures,
    joint_closure,
    joint_frames,
    rope_closure,
    start_coordinate,
)
from ..moment import TIME_CONSTANT
from ..topology import counted_joints
from .flat_loops import FlatPieces, drop_implied_rows
from .tree_arrays import TreeArrays


class ClosingArrays(TreeArrays):
    """Builds the arrays of one linkage's closures."""

    def closure_fields(self, method: int, keys: dict, size: float) -> tuple[dict, list[Source]]:
        """The closures of a linkage of this size (m); puts the pieces of curves behind those of keyed bodies."""
        linkage = self.linkage
        found, grips = self._joint_closures("joint", [(j, None) for j in linkage.closing]), []
        for i, constraint in zip(linkage.constraints, self.constraints, strict=True):
            source, anchor = Source("constraint", i), self.moment and self.moment.anchors.get(constraint.name)
            if isinstance(constraint, Coupling):
                found.append(self._coupling(source, constraint, anchor))
                continue
            numbers = [0 if name is None else self.index[self.number_of[name]] for name in constraint.end_bodies]
            if isinstance(constraint, OverWheels):
                found.append(self._over_wheels(source, constraint, numbers))
                grips += self._grips(source, constraint, numbers)
                continue
            b, a = [*numbers, 0] if len(numbers) == 1 else numbers
            bodies = self.guide.get(constraint.name, a), b
            poses = [(self.start[0][k], self.start[2][k]) for k in bodies]
            found.append(constraint_closure(source, constraint, bodies, poses, anchor))
        found += self._leads()
        for k, body in enumerate(linkage.bodies[linkage.whole :], start=self.first + linkage.whole):
            joint = linkage.joint[k - self.first]
            found.append(cut_closure(joint, (self.index[body], k), self.start[1][k]))
        found += grips
        closing = len(found)
        axes = np.array([self.kernel_axes(i) for i in range(len(self.bodies) + 1)])
        if method != LAGRANGE:
            drop_implied_rows(found, FlatPieces(self, axes, size), self._is_drawn)
        if method in (LAGRANGE, SPARSE):
            carried = [(j, self.first + k) for k, j in enumerate(linkage.joint) if j is not None]
            found += self._joint_closures("tree", carried)
        arrays = closure_arrays(found, self.start[1], axes, len(keys["key_times"]), closing)
        keys["key_times"] = np.concatenate([keys["key_times"], *arrays.times])
        keys["key_coefficients"] = np.concatenate([keys["key_coefficients"], *arrays.powers])
        if self.moment is not None:
            arrays.closures.gives_way = [self.moment.known.get(closure.source, 0) for closure in found]
        arrays.closures.tau[: len(self._time_constants)] = self._time_constants
        closures = {"closures": arrays.closures, "rows": arrays.rows, "closing": arrays.closing}
        return closures, [closure.source for closure in found]

    @functools.cached_property
    def _time_constants(self) -> list[float]:
        """s: of what closes loops and of constraints, if they are drawn together; at the start, of those that ask."""
        closing = [self.mechanism.joints[j] for j in self.linkage.closing]
        if self.moment is None:
            return [0.0] * len(closing) + [each.tau or 0.0 for each in self.constraints]
        drawn = [self.moment.drawn.get(part.name, 0.0) for part in (*closing, *self.constraints)]
        led = [k for k, targets in self.led for target in targets if target is not None]
        return drawn + [self.joints[k].tau or TIME_CONSTANT for k in led]

    def _is_drawn(self, number: int) -> bool:
        """True if this closure is drawn together, or may have been open when a moment came."""
        return number < len(self._time_constants) and self._time_constants[number] > 0.0

    def _leads(self) -> list[Closure]:
        """Rows that lead coordinates of the trees' joints."""
        found = []
        for k, targets in self.led:
            joint, j = self.joints[k], self.linkage.joint[k]
            frame = np.array(joint.position, float), np.eye(3)
            for c, target in enumerate(targets):
                if target is None:
                    continue
                closure = Closure(Source("motor", j, c), self.ends(k), (frame, frame), [(RowKind.LED, 0, c)])
                closure.coupled, closure.curve = (self.first + k, 0), led_pieces(target)
                closure.is_angle = TYPES[self.kinds[k]].axes[c].kind != LENGTH
                found.append(closure)
        return found

    def _coupling(self, source: Source, coupling: Coupling, kept: float | None) -> Closure:
        """The bodies of joint_b, parent and child, then those of joint_a; the trees have both joints' coordinates.

        kept (m or rad): for one that has been enabled on the way; of one with backlash that of its middle.
        """
        joints, bodies, coupled = counted_joints(self.mechanism, coupling)[::-1], [], []
        for joint in joints:
            inner, outer, is_reversed = self._in_tree(joint)
            bodies += (outer, inner) if is_reversed else (inner, outer)
            coupled.append(outer)
        frames = [(np.array(side[0], float), np.eye(3)) for joint in joints for side in joint.sides]
        closure = Closure(source, tuple(bodies), tuple(frames), [(RowKind.COUPLING, 0, 0)])
        closure.ratio, closure.coupled = coupling.transmission, tuple(coupled)
        closure.is_angle = joints[0].type != "prismatic"
        closure.length = _start_difference(joints, coupling) if kept is None else kept
        closure.length += 0.5 * coupling.backlash * (coupling.side or 0.0)
        return closure

    def _in_tree(self, joint: Joint) -> tuple[int, int, bool]:
        """The inner and the outer body of a joint that a tree has, and if its child is the inner one."""
        k = next(k for k, own in enumerate(self.joints) if own is not None and own.name == joint.name)
        return self.index[self.linkage.inner[k]], self.first + k, self.linkage.reversed[k]

    def _over_wheels(self, source: Source, rope: OverWheels, numbers: list[int]) -> Closure:
        """The bodies of its points, and then of each drum that which holds it and that which turns."""
        drums = counted_joints(self.mechanism, rope)
        pairs = [self._in_tree(joint)[:2] for joint in drums]
        closure = rope_closure(source, rope, (*numbers, *(k for pair in pairs for k in pair)), drums)
        closure.coupled = (*(outer for _, outer in pairs), 0, 0)[:2]
        return closure

    def _grips(self, source: Source, rope: OverWheels, numbers: list[int]) -> list[Closure]:
        """A rope beyond each wheel that rubs, if it is known whether it slips there."""
        if not isinstance(rope, Rope):
            return []
        drums = counted_joints(self.mechanism, rope)
        return grip_closures(source, rope, tuple(numbers), [self._in_tree(joint)[:2] for joint in drums], drums)

    def drums(self, bodies: np.recarray) -> dict[str, Drums]:
        """Of ropes that have any, by their names; bodies (B,) are those of the model."""
        places = {joint.name: self.first + k for k, joint in enumerate(self.joints) if joint is not None}
        found = {}
        for rope in self.mechanism.constraints:
            if isinstance(rope, Rope) and rope.drums and all(name in places for name in rope.drums):
                axes = tuple(int(bodies.axis_start[places[name]]) for name in rope.drums)
                starts = tuple(start_coordinate(joint) for joint in counted_joints(self.mechanism, rope))
                found[rope.name] = Drums(axes, rope.radii, starts)
        return found

    def backlashes(self, bodies: np.recarray) -> dict[str, Backlash]:
        """Of gears and racks that have any, by their names; bodies (B,) are those of the model."""
        places = {joint.name: self.first + k for k, joint in enumerate(self.joints) if joint is not None}
        anchors, found = {} if self.moment is None else self.moment.anchors, {}
        for i in (*self.linkage.constraints, *self.linkage.within_backlash):
            coupling = self.mechanism.constraints[i]
            if isinstance(coupling, Coupling) and coupling.backlash > 0.0:
                joints = counted_joints(self.mechanism, coupling)[::-1]
                axes = tuple(int(bodies.axis_start[places[joint.name]]) for joint in joints)
                kept = anchors.get(coupling.name)
                middle = _start_difference(joints, coupling) if kept is None else kept
                is_angle = joints[0].type != "prismatic"
                ratio, half = coupling.transmission, 0.5 * coupling.backlash
                found[coupling.name] = Backlash(axes, ratio, middle, half, is_angle)
        return found

    def _joint_closures(self, kind: str, numbers: list[tuple[int, int | None]]) -> list[Closure]:
        """Of joints, each by its number and the kernel's number of the body that it carries in its tree, if it does."""
        frames = joint_frames([self.mechanism.joints[j] for j, _ in numbers])
        pairs = zip(numbers, frames, strict=True)
        return [self._joint_closure(Source(kind, j), outer, anchors) for (j, outer), anchors in pairs]

    def _joint_closure(self, source: Source, outer: int | None, frames: tuple[Anchor, Anchor]) -> Closure:
        """The body that it carries may be a part of one."""
        joint = self.mechanism.joints[source.index]
        a, b = (self.index[None if n is None else self.number_of[n]] for n in (joint.parent, joint.child))
        if outer is not None:
            a, b = (a, outer) if not self.linkage.reversed[outer - self.first] else (outer, b)
        ride = 0 if outer is None else int(self._rides_before[outer - self.first])
        return joint_closure(source, joint, frames, (a, b), ride)

    @functools.cached_property
    def _rides_before(self) -> np.ndarray:
        """(n,): of each dynamic body, the contact joints of those before it."""
        riding = np.array([kind == Kind.CONTACT for kind in self.kinds], int)
        return np.cumsum(riding) - riding


def _start_difference(joints: Sequence[Joint], coupling: Coupling) -> float:
    """m or rad: q_b - ratio q_a of joint_b and joint_a as drawn."""
    b, a = map(start_coordinate, joints)
    return b - coupling.transmission * a
