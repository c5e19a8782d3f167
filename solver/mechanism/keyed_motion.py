# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed bodies: a spline through the keys as piecewise polynomials that the kernels evaluate.

Evenly spaced keys are joined by a quintic spline, four times continuously differentiable: accelerations are then
smooth themselves, so the integrator keeps its order, and 100 keys a second follow a smooth motion a thousand times
closer than a cubic does. Unevenly spaced keys get a cubic, which swings less between far and near keys.
"""

import numpy as np

from .bodies import Keys

_PIECE_POWERS = 6
_EVEN = 4.0  # largest ratio of intervals that counts as evenly spaced


def spline_pieces(keys: Keys) -> tuple[np.ndarray, np.ndarray, float]:
    """(start times (K,), coefficients (K, 6, 7) by ascending powers, time of the last key)."""
    times = np.asarray(keys.times, float)
    orientations = np.array(keys.orientations, float)
    flips = np.sign(np.sum(orientations[1:] * orientations[:-1], axis=1))
    orientations[1:] *= np.cumprod(np.where(flips < 0, -1.0, 1.0))[:, None]
    values = np.hstack([np.asarray(keys.positions, float), orientations])
    if len(times) == 1:
        coefficients = np.zeros((1, _PIECE_POWERS, 7))
        coefficients[0, 0] = values[0]
        return times, coefficients, float(times[0])
    return _interpolate(times, values)


def _interpolate(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    from scipy.interpolate import PPoly, make_interp_spline

    intervals = np.diff(times)
    if len(times) >= 6 and intervals.max() <= _EVEN * intervals.min():
        degree = 5
    else:
        degree = min(3, len(times) - 1)
    spline = make_interp_spline(times, values, k=degree)
    columns = [PPoly.from_spline((spline.t, column, degree)) for column in spline.c.T]
    real = np.flatnonzero(np.diff(columns[0].x) > 0)  # a spline's end knots coincide
    coefficients = np.zeros((len(real), _PIECE_POWERS, values.shape[1]))
    for k, column in enumerate(columns):
        coefficients[:, : degree + 1, k] = column.c[::-1, real].T
    return columns[0].x[real], coefficients, float(times[-1])


def sample(keys: Keys, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(positions (F, 3), orientations (F, 4), linear and angular velocities (F, 3)) at these times (F,)."""
    starts, coefficients, last = spline_pieces(keys)
    held = np.clip(times, starts[0], last)
    piece = np.clip(np.searchsorted(starts, held, side="right") - 1, 0, len(starts) - 1)
    s = (held - starts[piece])[:, None]
    value, rate = np.zeros((len(times), 7)), np.zeros((len(times), 7))
    for power in range(_PIECE_POWERS - 1, -1, -1):
        rate = rate * s + value
        value = value * s + coefficients[piece, power]
    rate[held != times] = 0.0
    size = np.linalg.norm(value[:, 3:], axis=1, keepdims=True)
    q, dq = value[:, 3:] / size, rate[:, 3:] / size
    w, v, dw, dv = q[:, :1], q[:, 1:], dq[:, :1], dq[:, 1:]
    angular = 2.0 * (w * dv - dw * v - np.cross(dv, v))
    return value[:, :3], q, rate[:, :3], angular
