# SPDX-License-Identifier: GPL-3.0-or-later
"""Resistance to motion, as the laws that resist tell it to the rows of impulses."""

from typing import NamedTuple

# how an impulse follows from the rates u along the axes: - gain u; - gain u, within a largest; - gain |u - w| (u - w),
# w the wind; and within a cone of friction, as of supports alone, or by the brush of a tyre
LINEAR, BOUNDED, SQUARE, CONE, SLIP = range(5)


class Resistance(NamedTuple):
    """Resistance along three axes, and perhaps about the world's."""

    way: int  # LINEAR, BOUNDED or SQUARE
    rows: int  # 3, or 6 if it resists turning as well
    x: float  # N s/m, or N s2/m2 where it goes with the square of the speed
    y: float
    z: float
    about: float  # N m s/rad
    largest: float  # N
    wind_x: float  # m/s
    wind_y: float
    wind_z: float
