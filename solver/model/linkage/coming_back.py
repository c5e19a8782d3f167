# SPDX-License-Identifier: GPL-3.0-or-later
"""A released body comes back: what it is off its keys fades away, and what it follows meanwhile is keys and rest.

Each coordinate, and the rotation vector from the keys' orientation to its own, goes from the present offset and rate to
zero by the quintic of least jerk (Flash and Hogan 1985), whose accelerations are zero at both ends, as in the blends of
animations by Bollo (Inertialization, GDC 2018). With s = t / T, offset x and rate v:
    x (1 - 10 s^3 + 15 s^4 - 6 s^5) + v T (s - 6 s^3 + 8 s^4 - 3 s^5).
T is 0.98 of the time that the body is given: what steps of fixed length lag behind is made good in the rest.
"""

import math

import numpy as np

from ...mechanism.keyed_motion import evaluate, interpolate

INSTANTS = np.array([-1e-5, 0.0, 1e-5])
"""s, beside the moment: between them rates are differences."""
IN_TIME = 0.98
"""Of the time that a body is given to come back: when its course ends."""
_PARTS = 4  # samples from one key to the next while it comes back ...
_FEWEST, _MOST = 24, 4096  # ... and in all

Spline = tuple[np.ndarray, np.ndarray, float]


def blended(spline: Spline, present: np.ndarray, begin: float, end: float, angles: list[int]) -> Spline:
    """The way that a body follows from `begin` (s) on: from where it is then to its keys, on them from `end` (s) on.

    spline: of its keys, with seven columns (three coordinates and a quaternion). present: (3, 7) where it is at
    `begin` + INSTANTS. angles: the coordinates of which a whole turn makes no difference.
    """
    starts, coefficients, last = spline
    around, _, _ = evaluate(*spline, begin + INSTANTS)
    off = np.hstack([present[:, :3] - around[:, :3], _turns(around[:, 3:], present[:, 3:])])
    turn = 2.0 * math.pi
    off[:, angles] -= turn * np.round(off[1, angles] / turn)
    rate = (off[2] - off[0]) / (INSTANTS[2] - INSTANTS[0])
    count = int((end - begin) / np.median(np.diff(starts))) if len(starts) > 1 else 0
    times = np.linspace(begin, end, min(max(_PARTS * count, _FEWEST), _MOST))
    s = ((times - begin) / (end - begin))[:, None]
    faded = off[1] * (1.0 - s**3 * (10.0 - s * (15.0 - 6.0 * s)))
    faded = faded + rate * (end - begin) * s * (1.0 - s**2 * (6.0 - s * (8.0 - 3.0 * s)))
    values, _, _ = evaluate(*spline, times)
    values[:, :3] += faded[:, :3]
    values[:, 3:] = _multiplied(_exponentials(faded[:, 3:]), _unit(values[:, 3:]))
    first, pieces, _ = interpolate(times, values)
    later = starts > end
    rest = _from(spline, end), coefficients[later]
    return np.concatenate([first, [end], starts[later]]), np.concatenate([pieces, *rest]), max(last, end)


def _from(spline: Spline, time: float) -> np.ndarray:
    """(1, 6, C): the piece that holds at a time, from there on."""
    starts, coefficients, last = spline
    held = min(max(time, starts[0]), last)
    piece = max(int(np.searchsorted(starts, held, side="right")) - 1, 0)
    old, s = coefficients[piece], held - starts[piece]
    if held != time:
        return np.vstack([evaluate(*spline, np.array([time]))[0], np.zeros((len(old) - 1, old.shape[1]))])[None]
    return np.array(
        [sum(math.comb(j, k) * s ** (j - k) * old[j] for j in range(k, len(old))) for k in range(len(old))]
    )[None]


def _turns(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(T, 3): the rotation vectors from orientations to others."""
    q = _multiplied(_unit(after), _unit(before) * (1.0, -1.0, -1.0, -1.0))
    q = q * np.where(q[:, :1] < 0.0, -1.0, 1.0)
    half = np.arctan2(np.linalg.norm(q[:, 1:], axis=1), q[:, 0])[:, None]
    return 2.0 * q[:, 1:] / np.sinc(half / math.pi)


def _exponentials(vectors: np.ndarray) -> np.ndarray:
    half = 0.5 * np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.hstack([np.cos(half), 0.5 * np.sinc(half / math.pi) * vectors])


def _unit(q: np.ndarray) -> np.ndarray:
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def _multiplied(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    v, w = p[:, 1:], q[:, 1:]
    real = p[:, :1] * q[:, :1] - np.sum(v * w, axis=1, keepdims=True)
    return np.hstack([real, p[:, :1] * w + q[:, :1] * v + np.cross(v, w)])
