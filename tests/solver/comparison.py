# SPDX-License-Identifier: GPL-3.0-or-later
"""The distance of two results, each kind of number in parts of its own scale."""

import numpy as np


def scaled(difference: np.ndarray, reference: np.ndarray) -> float:
    """The largest length of a difference of vectors (..., n) over the largest length in the reference."""
    largest = np.linalg.norm(reference, axis=-1).max(initial=0.0)
    return float(np.linalg.norm(difference, axis=-1).max(initial=0.0) / max(largest, 1e-9))


def turned_apart(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """rad between orientations (..., 4); exact for small angles too."""
    apart = np.minimum(np.linalg.norm(p - q, axis=-1), np.linalg.norm(p + q, axis=-1))
    return 4.0 * np.arcsin(np.minimum(0.5 * apart, 1.0))


def wrench_error(got: np.ndarray, expected: np.ndarray, size: float) -> float:
    """Of joint forces (..., 6): force over the largest force, moment over the largest moment or force times size.

    Components that are not a number in `expected` are undetermined there, and not compared.
    """
    if expected.size == 0:
        return 0.0
    apart = np.where(np.isnan(expected), 0.0, got - expected)
    expected = np.nan_to_num(expected)
    force = np.linalg.norm(expected[..., :3], axis=-1).max()
    moment = max(np.linalg.norm(expected[..., 3:], axis=-1).max(), force * size)
    difference = np.maximum(
        np.linalg.norm(apart[..., :3], axis=-1) / max(force, 1e-9),
        np.linalg.norm(apart[..., 3:], axis=-1) / max(moment, 1e-9),
    )
    return float(difference.max())


def motion_errors(got, expected: dict, size: float) -> dict[str, float]:
    """Each kind of error of a recording against FORMAT's arrays, in parts of the size, radians, and largest values."""
    errors = {
        "position": float(np.linalg.norm(got.position - expected["position"], axis=-1).max() / size),
        "orientation": float(turned_apart(got.orientation, expected["orientation"]).max()),
    }
    for name in ("linear_velocity", "angular_velocity"):
        errors[name] = scaled(getattr(got, name) - expected[name], expected[name])
    if "joint_force" in expected:
        errors["joint_force"] = wrench_error(got.joint_force, expected["joint_force"], size)
    kinetic, potential = expected["kinetic_energy"], expected["potential_energy"]
    scale = max(np.abs(kinetic).max(), np.ptp(potential), 1e-9)
    change = (got.potential_energy - got.potential_energy[0]) - (potential - potential[0])
    errors["energy"] = float(max(np.abs(got.kinetic_energy - kinetic).max(), np.abs(change).max()) / scale)
    return errors
