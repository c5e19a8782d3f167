# SPDX-License-Identifier: GPL-3.0-or-later
"""A critically damped gap, x'' + 2/tau x' + x/tau^2 = 0 (Schroeder 1990, eq. 5.3)."""

import numpy as np


def gap(times: np.ndarray, start: np.ndarray, rate: np.ndarray, tau: float) -> np.ndarray:
    """(F, ...): of a gap `start` that grows at `rate`, so many seconds later."""
    s = np.multiply.outer(np.asarray(times) / tau, np.ones_like(np.asarray(start, float)))
    return (start + (start + tau * np.asarray(rate)) * s) * np.exp(-s)
