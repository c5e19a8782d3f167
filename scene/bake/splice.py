# SPDX-License-Identifier: GPL-3.0-or-later
"""Solved keys take the place of an animation within a range; before and after it the curves stay as they were.

Where the range begins and ends within a segment, its cubic is split (de Casteljau), so that the rest goes on as before.
Where both sides do not have one value, as where a constraint gives way, or a body has turned round once more, there are
two keys, JUMP apart.
"""

from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np

from .keys_between import Keys

KEY = bpy.types.Keyframe.bl_rna.properties
INTERPOLATION = {item.identifier: item.value for item in KEY["interpolation"].enum_items}
HANDLE = {item.identifier: item.value for item in KEY["handle_left_type"].enum_items}
GENERATED = KEY["type"].enum_items["GENERATED"].value
PLAIN = ("CONSTANT", "LINEAR", "BEZIER")
"""Interpolations of segments that can be split."""
JUMP = 0.01  # frames
SAME = 1e-4  # of values near 1, rad or m: what both sides may differ by and be one key
NEAR = 1e-3  # frames: keys so near to an edge stand on it
_NUMBERS, _CODES = (
    ("co", "left", "right"),
    ("interpolation", "left_type", "right_type", "kind", "easing"),
)
_NAMES = {"left": "handle_left", "right": "handle_right", "left_type": "handle_left_type",
          "right_type": "handle_right_type", "kind": "type"}  # fmt: skip


@dataclass
class Points:
    """Keys of a curve: `co`, `left` and `right` (K, 2), the others codes (K,)."""

    co: np.ndarray
    left: np.ndarray
    right: np.ndarray
    interpolation: np.ndarray
    left_type: np.ndarray
    right_type: np.ndarray
    kind: np.ndarray
    easing: np.ndarray

    def __getitem__(self, which: slice) -> "Points":
        return Points(*(getattr(self, name)[which].copy() for name in (*_NUMBERS, *_CODES)))

    def __len__(self) -> int:
        return len(self.co)


class Edge(NamedTuple):
    """An animation at a moment: its value, the handles there and of the keys on both sides, and how it goes on."""

    value: float
    left: np.ndarray
    right: np.ndarray
    before: np.ndarray | None
    after: np.ndarray | None
    interpolation: int


def points_of(curve: bpy.types.FCurve) -> Points:
    """The keys that a curve has."""
    points, found = curve.keyframe_points, {}
    for name in _NUMBERS:
        found[name] = np.empty(2 * len(points), np.float32)
        points.foreach_get(_NAMES.get(name, name), found[name])
        found[name] = found[name].reshape(-1, 2).astype(np.float64)
    for name in _CODES:
        found[name] = np.empty(len(points), np.uint8)
        points.foreach_get(_NAMES.get(name, name), found[name])
    return Points(**found)


def put_points(curve: bpy.types.FCurve, points: Points) -> None:
    """Give a curve these keys instead of its own; handles are not worked out anew."""
    kept = curve.keyframe_points
    kept.clear()
    kept.add(len(points))
    for name in _NUMBERS:
        kept.foreach_set(_NAMES.get(name, name), getattr(points, name).astype(np.float32).ravel())
    for name in _CODES:
        kept.foreach_set(_NAMES.get(name, name), getattr(points, name))


def solved_points(first: int, keys: Keys, channel: int) -> Points:
    """Keys of a channel whose times count from the `first` frame."""
    gaps, values = np.diff(keys.times), keys.values[:, channel]
    co = np.column_stack([first + keys.times, values])
    before, after = np.append(1.0, gaps) / 3.0, np.append(gaps, 1.0) / 3.0
    left = co - np.column_stack([before, before * keys.left[:, channel]])
    right = co + np.column_stack([after, after * keys.right[:, channel]])
    handle = np.where(keys.is_free, HANDLE["FREE"], HANDLE["ALIGNED"]).astype(np.uint8)
    return Points(co, left, right, *_codes(len(co), "BEZIER", handle))


def still(frame: float, value: float) -> Points:
    """A single key of what does not move."""
    co = np.array([[frame, value]])
    return Points(co, co - (1.0, 0.0), co + (1.0, 0.0), *_codes(1, "BEZIER", np.full(1, HANDLE["FREE"], np.uint8)))


def _codes(count: int, interpolation: str, handle: np.ndarray) -> tuple[np.ndarray, ...]:
    kinds = (np.full(count, code, np.uint8) for code in (INTERPOLATION[interpolation], GENERATED, 0))
    of_segments, kind, easing = kinds
    return of_segments, handle, handle.copy(), kind, easing


def can_be_split(points: Points) -> bool:
    """True if no segment has an easing of its own kind."""
    return bool(np.isin(points.interpolation[:-1], [INTERPOLATION[name] for name in PLAIN]).all())


def spliced(old: Points, solved: Points, is_sloped: bool = False, is_smoothed: bool = False) -> Points:
    """The `old` keys with those that are `solved` in the place of what is from their first frame to their last.

    is_sloped: beyond its ends the old curve goes on as steeply as there. is_smoothed: Blender works handles out by the
    keys around; they are then kept as they are.
    """
    first, last = solved.co[0, 0], solved.co[-1, 0]
    begins, ends = edge_of(old, first, is_sloped), edge_of(old, last, is_sloped)
    before, after = old[: _number(old, first)], old[_number(old, last, after=True) :]
    for part in (before, after) if is_smoothed else ():
        for types in (part.left_type, part.right_type):
            types[np.isin(types, [HANDLE["AUTO"], HANDLE["AUTO_CLAMPED"]])] = HANDLE["ALIGNED"]
    if len(before):
        before.left_type[-1] = before.right_type[-1] = HANDLE["FREE"]
        if begins.before is not None:
            before.right[-1] = begins.before
        if begins.before is not None and begins.after is None:  # beyond its last key
            before.interpolation[-1] = INTERPOLATION["BEZIER"]
    if len(after):
        after.left_type[0] = after.right_type[0] = HANDLE["FREE"]
        if ends.after is not None:
            after.left[0] = ends.after
    middle = solved[:]
    for types in (middle.left_type, middle.right_type):
        types[[0, -1]] = HANDLE["FREE"]
    middle.interpolation[-1] = ends.interpolation
    pieces = [before, *_entered(middle, begins, first), *_left(middle, ends, last), after]
    return Points(*(np.concatenate([getattr(each, name) for each in pieces]) for name in (*_NUMBERS, *_CODES)))


def _entered(middle: Points, edge: Edge, frame: float) -> list[Points]:
    """The key at which the range begins, which `middle` has then; before it another one, if there the value jumps."""
    if abs(edge.value - middle.co[0, 1]) > SAME:
        extra = middle[:1]
        extra.co[0] = frame - JUMP, edge.value
        extra.left[0], extra.right[0] = edge.left - (JUMP, 0.0), extra.co[0] + (JUMP / 3.0, 0.0)
        extra.interpolation[0] = INTERPOLATION["CONSTANT"]
        return [extra]
    middle.left[0] = edge.left + (0.0, middle.co[0, 1] - edge.value)
    return []


def _left(middle: Points, edge: Edge, frame: float) -> list[Points]:
    """`middle`, and the same at its end."""
    if abs(edge.value - middle.co[-1, 1]) > SAME:
        extra = middle[len(middle) - 1 :]
        extra.co[0] = frame, edge.value
        extra.left[0], extra.right[0] = extra.co[0] - (JUMP / 3.0, 0.0), edge.right
        middle.co[-1, 0] -= JUMP
        middle.left[-1, 0] -= JUMP
        middle.interpolation[-1] = INTERPOLATION["CONSTANT"]
        return [middle, extra]
    middle.right[-1] = edge.right + (0.0, middle.co[-1, 1] - edge.value)
    return [middle]


def _number(points: Points, frame: float, after: bool = False) -> int:
    """The number of keys before a frame, those on it not among them; `after`: those too."""
    return int(np.searchsorted(points.co[:, 0], frame + (NEAR if after else -NEAR)))


def edge_of(points: Points, frame: float, is_sloped: bool = False) -> Edge:
    """The animation at a frame."""
    i, j = _number(points, frame), _number(points, frame, after=True)
    if i < j:
        co, shift = points.co[i], (frame - points.co[i, 0], 0.0)
        return Edge(co[1], points.left[i] + shift, points.right[i] + shift, None, None, points.interpolation[i])
    if 0 < i < len(points):
        return _split(points, i, frame)
    end = 0 if i == 0 else len(points) - 1
    away = points.left[end] - points.co[end] if i == 0 else points.right[end] - points.co[end]
    slope = away[1] / away[0] if is_sloped and abs(away[0]) > 1e-9 else 0.0
    value = points.co[end, 1] + slope * (frame - points.co[end, 0])
    third = abs(frame - points.co[end, 0]) / 3.0
    here, along = np.array([frame, value]), np.array([third, third * slope])
    towards = points.co[end] + (-along if i == 0 else along)
    before, after = (None, towards) if i == 0 else (towards, None)
    bezier = INTERPOLATION["BEZIER"]
    return Edge(value, here - along, here + along, before, after, bezier)


def _split(points: Points, i: int, frame: float) -> Edge:
    """The segment that ends at key i, in two."""
    kind = points.interpolation[i - 1]
    a, d = points.co[i - 1], points.co[i]
    if kind == INTERPOLATION["CONSTANT"]:
        here, step = np.array([frame, a[1]]), np.array([1.0 / 3.0, 0.0])
        return Edge(a[1], here - step, here + step, None, None, kind)
    b, c = _within(a, points.right[i - 1], d), _within(d, points.left[i], a)
    if kind == INTERPOLATION["LINEAR"]:
        b, c = a + (d - a) / 3.0, d - (d - a) / 3.0
    low, high = 0.0, 1.0
    for _ in range(60):
        t = 0.5 * (low + high)
        s = 1.0 - t
        x = s**3 * a[0] + 3.0 * s * s * t * b[0] + 3.0 * s * t * t * c[0] + t**3 * d[0]
        low, high = (t, high) if x < frame else (low, t)
    ab, bc, cd = a + t * (b - a), b + t * (c - b), c + t * (d - c)
    abc, bcd = ab + t * (bc - ab), bc + t * (cd - bc)
    value = (abc + t * (bcd - abc))[1]
    return Edge(value, abc, bcd, ab, cd, kind)


def _within(key: np.ndarray, handle: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A handle as Blender takes it: no longer than the segment."""
    longest, length = abs(other[0] - key[0]), abs(handle[0] - key[0])
    return key + (handle - key) * (longest / length) if length > longest else handle


def switched_off(influence: float, first: float, last: float) -> Points:
    """Keys of a constraint's influence, which is none within the range."""
    co = np.array([[first - 1.0, influence], [first, 0.0], [last, influence]])
    codes = _codes(3, "CONSTANT", np.full(3, HANDLE["FREE"], np.uint8))
    return Points(co, co - (0.3, 0.0), co + (0.3, 0.0), *codes)


def sampled(frames: np.ndarray, values: np.ndarray, slopes: np.ndarray) -> Points:
    """A key at each frame, of a curve that is known by its values and slopes there."""
    co, third = np.column_stack([frames, values]), np.column_stack([np.full(len(frames), 1.0), slopes]) / 3.0
    handle = np.full(len(frames), HANDLE["ALIGNED"], np.uint8)
    return Points(co, co - third, co + third, *_codes(len(frames), "BEZIER", handle))
