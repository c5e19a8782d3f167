# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed bodies, and coordinates that are led: a spline through the keys as polynomials that the kernels evaluate.

Evenly spaced keys are joined by a quintic spline, four times continuously differentiable: accelerations are then
smooth themselves, so the integrator keeps its order, and 100 keys a second follow a smooth motion a thousand times
closer than a cubic does. Unevenly spaced keys get a cubic, which swings less between far and near keys.
"""

import functools

import numpy as np

from .bodies import Keys
from .table import Number, Table

_PIECE_POWERS = 6
_LOOKS = 9  # at the way from a point of a table to the next, its ends among them
_EVEN = 4.0  # largest ratio of intervals that counts as evenly spaced


def spline_pieces(keys: Keys) -> tuple[np.ndarray, np.ndarray, float]:
    """(start times (K,), coefficients (K, 6, 7) by ascending powers, time of the last key)."""
    times = np.asarray(keys.times, float)
    orientations = np.array(keys.orientations, float)
    flips = np.sign(np.sum(orientations[1:] * orientations[:-1], axis=1))
    orientations[1:] *= np.cumprod(np.where(flips < 0, -1.0, 1.0))[:, None]
    return interpolate(times, np.hstack([np.asarray(keys.positions, float), orientations]))


def led_pieces(number: Number) -> tuple[np.ndarray, np.ndarray, float]:
    """The same of a number that leads a coordinate, in the first of seven columns; a bare one stands still."""
    starts, coefficients, last = _led_course(number)
    return starts, np.pad(coefficients, ((0, 0), (0, 0), (0, 6))), last


def sample_led(number: Number, times: np.ndarray) -> np.ndarray:
    """(3, F): the number that leads a coordinate, and its first two derivatives, at these times (F,), in s."""
    return np.stack(evaluate(*_led_course(number), np.asarray(times, float)))[:, :, 0]


def _led_course(number: Number) -> tuple[np.ndarray, np.ndarray, float]:
    """(start times (K,), coefficients (K, 6, 1) by ascending powers, time of the last point)."""
    if isinstance(number, Table):
        return _smooth(number.times, number.values)
    return _smooth((0.0,), (number,))


@functools.lru_cache(maxsize=256)
def _smooth(times: tuple[float, ...], values: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, float]:
    return interpolate(np.array(times), np.array(values)[:, None])


def course(number: Number) -> tuple[np.ndarray, np.ndarray] | None:
    """(times (L,) s, values (L,)) of a number that leads a coordinate, at its points and between; None if none exist.

    Points that are as good as at the same time, or too far apart, have no smooth curve.
    """
    times = looked_at(number)
    try:
        with np.errstate(all="ignore"):
            values = sample_led(number, times)[0]
    except (ValueError, np.linalg.LinAlgError):
        return None
    return (times, values) if np.isfinite(values).all() else None


def looked_at(target: Number) -> np.ndarray:
    """s: the times of a table's points, and some between them."""
    times = np.array(target.times if isinstance(target, Table) else (0.0,))
    between = times[:-1, None] + np.diff(times)[:, None] * np.linspace(0.0, 1.0, _LOOKS)[1:-1]
    return np.sort(np.concatenate([times, between.ravel()]))


def interpolate(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The spline through values (T, C): start times (K,), coefficients (K, 6, C), time of the last value."""
    if len(times) == 1:
        coefficients = np.zeros((1, _PIECE_POWERS, values.shape[1]))
        coefficients[0, 0] = values[0]
        return times, coefficients, float(times[0])
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
    value, rate, _ = evaluate(*spline_pieces(keys), times)
    size = np.linalg.norm(value[:, 3:], axis=1, keepdims=True)
    q, dq = value[:, 3:] / size, rate[:, 3:] / size
    w, v, dw, dv = q[:, :1], q[:, 1:], dq[:, :1], dq[:, 1:]
    angular = 2.0 * (w * dv - dw * v - np.cross(dv, v))
    return value[:, :3], q, rate[:, :3], angular


def sample_with_accelerations(keys: Keys, times: np.ndarray) -> tuple[np.ndarray, ...]:
    """Positions (F, 3), rotations (F, 3, 3), angular velocity and acceleration, and linear acceleration (F, 3)."""
    value, rate, bend = evaluate(*spline_pieces(keys), times)
    size = np.linalg.norm(value[:, 3:], axis=1, keepdims=True)
    q, dq, ddq = value[:, 3:] / size, rate[:, 3:] / size, bend[:, 3:] / size

    def twice(p: np.ndarray) -> np.ndarray:  # 2 Im(p conj(q))
        return 2.0 * (q[:, :1] * p[:, 1:] - p[:, :1] * q[:, 1:] - np.cross(p[:, 1:], q[:, 1:]))

    spin = twice(dq)
    along = np.sum(q * dq, axis=1, keepdims=True)
    w, x, y, z = q.T
    rotations = np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
    return value[:, :3], rotations, spin, twice(ddq) - 2.0 * along * spin, bend[:, :3]


def evaluate(
    starts: np.ndarray, coefficients: np.ndarray, last: float, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and two derivatives (F, C) of pieces (K, 6, C) at these times (F,); outside it stands still."""
    held = np.clip(times, starts[0], last)
    piece = np.clip(np.searchsorted(starts, held, side="right") - 1, 0, len(starts) - 1)
    s = (held - starts[piece])[:, None]
    value, rate, bend = np.zeros((3, len(times), coefficients.shape[2]))
    for power in range(_PIECE_POWERS - 1, -1, -1):
        bend = bend * s + 2.0 * rate
        rate = rate * s + value
        value = value * s + coefficients[piece, power]
    rate[held != times] = bend[held != times] = 0.0
    return value, rate, bend
