# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of one body over time: poses and velocities at instants, and what lies between these.

Between two instants the place is the cubic with the velocities of both (Hermite). The orientation is a steady spin with
the first angular velocity w0 and a small turn after it, R = exp(phi) exp(s w0) R0, where phi is the cubic from zero to
what is missing at the second instant: so however many turns a body makes between the two, none of them gets lost.
Times are in frames from the first one; velocities, linear (3) and angular (3), are per frame, along the world's axes.
"""

from typing import NamedTuple

import numpy as np

from ..geometry import poses

APART = 0.0125  # frames: how far instants are at least; of keys nearer than 0.01 frames Blender drops one
_AT_ONCE = 1e-4  # frames: a jump that is at a frame


class Track(NamedTuple):
    """G instants. The velocities before and after differ where something hits the body."""

    times: np.ndarray  # (G,)
    position: np.ndarray  # (G, 3)
    orientation: np.ndarray  # (G, 4)
    before: np.ndarray  # (G, 6)
    after: np.ndarray  # (G, 6)

    def at(self, times: np.ndarray) -> "Track":
        """The same motion at other times, none of them outside."""
        left = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 2)
        right = left + 1
        h = (self.times[right] - self.times[left])[:, None]
        s = times[:, None] - self.times[left][:, None]
        starts, ends = self.after[left], self.before[right]
        place = hermite(self.position[left], starts[:, :3], self.position[right], ends[:, :3], h, s)
        turn = self._turn(left, h, s)
        velocity = np.hstack([place[1], turn[1]])
        before, after = velocity.copy(), velocity.copy()
        for at, which in ((s[:, 0] == 0.0, left), (s[:, 0] == h[:, 0], right)):
            before[at], after[at] = self.before[which[at]], self.after[which[at]]
        return Track(times, place[0], turn[0], before, after)

    def _turn(self, left: np.ndarray, h: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Orientation (T, 4) and angular velocity (T, 3) at `s` (T, 1) behind instants, `h` (T, 1) apart."""
        first, spin, end = self.orientation[left], self.after[left, 3:], self.before[left + 1, 3:]
        missing = poses.product(self.orientation[left + 1], poses.product(turned_by(h * spin), first) * poses.CONJUGATE)
        phi = _rotation_vector(missing)
        rate = end - rotate(missing, spin)
        rate = rate - 0.5 * np.cross(phi, rate) + np.cross(phi, np.cross(phi, rate)) / 12.0
        phi, rate = hermite(np.zeros_like(phi), np.zeros_like(phi), phi, rate, h, s)
        small = turned_by(phi)
        angular = rate + 0.5 * np.cross(phi, rate) + np.cross(phi, np.cross(phi, rate)) / 6.0 + rotate(small, spin)
        return poses.product(small, poses.product(turned_by(s * spin), first)), angular

    def begun_anew(self, times: np.ndarray) -> "Track":
        """The same where something is tied at some instants, as by a nail: speeds jump there, and only the ones before
        are known. Those after are the ones that lead evenly accelerated to the next instant."""
        after = self.after.copy()
        for k in np.flatnonzero(np.isin(self.times[:-1], times)):
            h = self.times[k + 1] - self.times[k]
            turn = poses.product(self.orientation[k + 1], self.orientation[k] * poses.CONJUGATE)
            way = np.concatenate([self.position[k + 1] - self.position[k], _rotation_vector(turn)])
            after[k] = 2.0 * way / h - self.before[k + 1]
        return self._replace(after=after)

    @property
    def turns(self) -> np.ndarray:
        """(G - 1,) rad: from instant to instant, about."""
        spins = np.linalg.norm(self.after[:-1, 3:], axis=1), np.linalg.norm(self.before[1:, 3:], axis=1)
        return np.diff(self.times) * np.maximum(*spins)

    def looked_at_often(self, turn: float | np.ndarray) -> "Track":
        """With more instants where a body turns farther than `turn` (rad; or one for each of the G - 1 stretches)
        between two of them, or none was known for half a frame."""
        gaps = np.diff(self.times)
        wanted = np.ceil(np.maximum(self.turns / turn, 4.0 * gaps - 0.1))
        count = np.maximum(1, np.minimum(wanted, np.floor(gaps / APART))).astype(int)
        if (count == 1).all():
            return self
        start = np.repeat(self.times[:-1], count)
        number = np.arange(len(start)) - np.repeat(np.cumsum(count) - count, count)
        return self.at(np.append(start + number * np.repeat(gaps / count, count), self.times[-1]))


def merged(frames: Track, samples: Track, jumps: Track) -> Track:
    """One track of all; of instants that are one it takes the frame's, or the jump's, which tells how speeds jump."""
    if len(jumps.times) == 0:
        whole = Track(*(np.concatenate(arrays) for arrays in zip(frames, samples, strict=True)))
        whole = Track(*(array[np.argsort(whole.times, kind="stable")] for array in whole))
        if (np.diff(whole.times) > 0.99 * APART).all():
            return whole
    jumps = _off_frames(_apart(jumps))
    is_within = jumps.times <= frames.times[-1]  # so near the last frame that there is no room, they are not seen
    kinds = (frames, Track(*(array[is_within] for array in jumps)), samples)
    whole = Track(*(np.concatenate(arrays) for arrays in zip(*kinds, strict=True)))
    rank = np.repeat(np.arange(3), [len(kind.times) for kind in kinds])
    rank = rank[np.argsort(whole.times, kind="stable")]
    whole = Track(*(array[np.argsort(whole.times, kind="stable")] for array in whole))
    group = np.cumsum(np.diff(whole.times, prepend=whole.times[0]) > 0.99 * APART)
    order = np.lexsort((rank, group))
    chosen = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
    track = Track(*(array[chosen] for array in whole))
    jump = np.flatnonzero(rank == 1)
    track.before[group[jump[::-1]]] = whole.before[jump[::-1]]  # of several that are one: before the first
    track.after[group[jump]] = whole.after[jump]
    return track


def _apart(jumps: Track) -> Track:
    """Jumps in order, and of those that are too near each other for two keys only the first and the last.

    The last one goes away from the first, along the motion after it.
    """
    jumps = Track(*(array[np.argsort(jumps.times, kind="stable")] for array in jumps))
    if not (np.diff(jumps.times) < APART).any():
        return jumps
    kept, times, is_last = [0], jumps.times.copy(), False
    for k in range(1, len(times)):
        is_near = times[k] - times[kept[-1]] < APART
        if is_near and is_last:
            times[k] = max(times[k], times[kept.pop()])
        elif is_near:
            times[k] = times[kept[-1]] + APART
        is_last = is_near
        kept.append(k)
    way = (times - jumps.times)[:, None] * jumps.after
    orientation = poses.product(turned_by(way[:, 3:]), jumps.orientation)
    spread = Track(times, jumps.position + way[:, :3], orientation, jumps.before, jumps.after)
    return Track(*(array[kept] for array in spread))


def _off_frames(jumps: Track) -> Track:
    """Jumps that are too near a frame for two keys go away from it, along the motion of that side.

    Between the two keys the curve then bends from the one velocity to the other.
    """
    frame = np.round(jumps.times)
    off = jumps.times - frame
    moved = (np.abs(off) < APART) & (np.abs(off) > _AT_ONCE)
    times = np.where(moved, frame + np.sign(off) * APART, jumps.times)
    velocity = np.where((off < 0.0)[:, None], jumps.before, jumps.after)
    way = (times - jumps.times)[:, None] * velocity
    before, after = (np.where(moved[:, None], velocity, each) for each in (jumps.before, jumps.after))
    orientation = poses.product(turned_by(way[:, 3:]), jumps.orientation)
    return Track(times, jumps.position + way[:, :3], orientation, before, after)


def hermite(
    first: np.ndarray, start: np.ndarray, last: np.ndarray, end: np.ndarray, h: np.ndarray, s: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The cubic with these values and slopes at 0 and at `h`, and its slope, at `s`."""
    u = s / h
    chord = (last - first) / h
    bend, twist = 3.0 * chord - 2.0 * start - end, start + end - 2.0 * chord
    value = first + s * (start + u * (bend + u * twist))
    return np.where(u == 1.0, last, value), start + u * (2.0 * bend + 3.0 * u * twist)


def turned_by(vector: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of rotation vectors (..., 3)."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2.0 * np.pi)) * vector], axis=-1)


def rotate(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) turned by unit quaternions (..., 4)."""
    twice = 2.0 * np.cross(quaternion[..., 1:], vector)
    return vector + quaternion[..., :1] * twice + np.cross(quaternion[..., 1:], twice)


def _rotation_vector(quaternion: np.ndarray) -> np.ndarray:
    """Axis times angle (..., 3) of unit quaternions (..., 4), the shorter way."""
    near = np.where(quaternion[..., :1] < 0.0, -quaternion, quaternion)
    sine = np.linalg.norm(near[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, near[..., :1])
    return near[..., 1:] * np.where(sine < 1e-12, 2.0, angle / np.maximum(sine, 1e-12))
