# SPDX-License-Identifier: GPL-3.0-or-later
"""Static friction: what holds until it slips, and the fall to kinetic friction with the sliding speed.

Stribeck's curve (Bo and Pavelescu 1982, with exponent 2): F = K + (S - K) exp(-(u/v)^2), with S static and K kinetic
friction, u the sliding speed, and v that by which 63 % of the fall is over. Viscous friction is a damper's.
"""

from __future__ import annotations

from .table import Number, Table, knots
from .value_rules import Place

STRIBECK = 0.01  # m/s or rad/s


def check_static(static: Number | None, kinetic: Number | None, place: Place) -> None:
    """Say where static friction falls below the kinetic one."""
    if not isinstance(static, (float, Table)):
        return
    kinetic = kinetic if isinstance(kinetic, (float, Table)) else 0.0
    found = knots((static, kinetic))
    if found is None:
        if static < kinetic:
            place.say(f"must be at least friction, {kinetic:g}, is {static:g}")
        return
    for time, (s, k) in zip(*found, strict=True):
        if s < k:
            place.say(f"must be at least friction, {k:g} at {time:g} s, is {s:g}")
            return
