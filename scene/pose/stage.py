# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies are put where Pose has them: only those that have moved, as far as it can be seen from where the hand is.

A body is shown again once it is off by more than a thousandth of its distance from the hand. So of a linkage of
thousands of bodies few are written while the mouse moves; when it lets go, all are put where they belong.
"""

import bpy
import numpy as np
from mathutils import Quaternion

from ..geometry import poses
from ..owner import Owner
from ..preview.transforms import put_bodies, stand_at
from ..read.channels import own_turns
from ..read.reading import Reading
from ..read.solved import Solved

SEEN = 1e-3  # of the distance from the hand, and of the body's size: what is smaller is not shown
ROUNDING = 1e-7  # of its coordinates, by which a body has not moved
SMALLEST_TURN = 1e-6  # rad
SAME = 1e-6  # of location and rotation values, by which those of what hangs on something have not changed


class PoseStage:
    """Shows poses of the mechanism's bodies: arrays (B, 3) and (B, 4) in its order."""

    def __init__(
        self, reading: Reading, view_layer: bpy.types.ViewLayer, position: np.ndarray, orientation: np.ndarray
    ) -> None:
        self._view_layer = view_layer
        self._names = [body.name for body in reading.mechanism.bodies]
        self.bindings = {i: binding for i, binding in enumerate(reading.bodies) if binding.body.motion == "dynamic"}
        self._plain = {i: binding for i, binding in self.bindings.items() if binding.owner.is_plain}
        self._others = [binding for i, binding in self.bindings.items() if i not in self._plain]
        for binding in self._others:
            stand_at(binding, view_layer.depsgraph)
        ancestors = {binding.ancestor for binding in self._others}
        self._carriers = [binding for binding in self._plain.values() if binding.body.name in ancestors]
        hanging = {binding.body.name for binding in (*self._others, *self._carriers)}
        self._hanging = np.array([name in hanging for name in self._names])
        row_of = {name: row for row, name in enumerate(self._names)}
        self._depends_on = [
            [row_of[name] for name in (binding.body.name, binding.ancestor) if name in row_of]
            for binding in self._others
        ]
        self._turns = np.zeros((len(self._names), 4))
        if self._plain:
            self._turns[list(self._plain)] = own_turns(list(self._plain.values()))
        self._sizes = np.array([binding.owner.size for binding in reading.bodies])
        self._shown = position.copy(), orientation.copy()
        self._first = position.copy(), orientation.copy()
        self._before: dict[bpy.types.Object, dict[str, list[float]]] = {}
        self.displaced: set[bpy.types.Object] = set()  # bodies that were shown elsewhere in the world
        self.written = 0

    def show(self, position: np.ndarray, orientation: np.ndarray, hand: np.ndarray | None = None) -> None:
        """Put bodies where they are now. With `hand` (3,), only those that would be seen to be elsewhere from there."""
        travelled, turned = _apart(self._shown, (position, orientation))
        if hand is None:
            rows = np.flatnonzero((travelled > ROUNDING * np.abs(position).max(axis=1)) | (turned > SMALLEST_TURN))
        else:
            far = np.linalg.norm(position - hand, axis=1)
            rows = np.flatnonzero(travelled + turned * self._sizes > SEEN * (far + self._sizes))
        self.written = len(rows)
        if not len(rows):
            return
        if self._hanging[rows].any():
            self._put_others(position, orientation, None if hand is None else set(rows.tolist()))
        rotation = poses.product(orientation[rows], self._turns[rows])
        for row, place, turn in zip(rows.tolist(), position[rows].tolist(), rotation.tolist(), strict=True):
            binding = self._plain.get(row)
            if binding is not None:
                self._note(binding.owner, binding.owner.transform)
                binding.owner.put_plain(place, Quaternion(turn))
        self.displaced.update(self.bindings[row].object for row in rows.tolist() if row in self.bindings)
        self._shown[0][rows], self._shown[1][rows] = position[rows], orientation[rows]
        self._view_layer.update()

    @property
    def moved(self) -> dict[bpy.types.Object, dict[str, list[float]]]:
        """The bodies whose own location or rotation was written, with what they were before."""
        return self._before

    def motion(self, row: int) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """Position and orientation of a body at first, and as it is shown now."""
        return (self._first[0][row], self._first[1][row]), (self._shown[0][row], self._shown[1][row])

    def place(self, row: int, point: np.ndarray) -> np.ndarray:
        """The shown place of a point (3,) of a body."""
        return self._shown[0][row] + poses.rotations(self._shown[1][row]) @ point

    def put_back(self) -> None:
        """Everything is as it was, but for objects that were removed meanwhile."""
        for owner, before in self._before.items():
            try:
                Owner(owner).put(before)
            except ReferenceError:
                continue
        self._before = {}

    def _put_others(self, position: np.ndarray, orientation: np.ndarray, rows: set[int] | None) -> None:
        """Write those that hang on something else, where they or what they hang on is among `rows`; None: all.

        Those whose own values stay the same have not been moved.
        """
        chosen = [
            binding
            for binding, on in zip(self._others, self._depends_on, strict=True)
            if rows is None or not rows.isdisjoint(on)
        ]
        before = [binding.owner.transform for binding in chosen]
        everything = [*self._others, *self._carriers]
        put_bodies(chosen, Solved(self._names, position[None], orientation[None]), everything)
        for binding, values in zip(chosen, before, strict=True):
            if not _is_same(values, binding.owner.transform):
                self._note(binding.owner, values)
            elif binding.object not in self._before:
                binding.owner.put(values)
            binding.rotation_mode, binding.rotation_values = binding.owner.rotation_mode, binding.owner.rotation_values

    def _note(self, owner: Owner, before: dict[str, list[float]]) -> None:
        self._before.setdefault(owner.object, before)


def _is_same(a: dict[str, list[float]], b: dict[str, list[float]]) -> bool:
    """True if two transforms differ by no more than rounding."""
    return all(np.allclose(a[name], b[name], rtol=0.0, atol=SAME * max(1.0, *map(abs, a[name]))) for name in a)


def _apart(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Distances (B,) in m between poses, and angles (B,) in rad as far as they are small."""
    side = np.where(np.sum(a[1] * b[1], axis=1) < 0.0, -1.0, 1.0)
    return np.linalg.norm(b[0] - a[0], axis=1), 2.0 * np.linalg.norm(side[:, None] * a[1] - b[1], axis=1)
