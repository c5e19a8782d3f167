# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages whose coupler point draws a wanted curve; see `four_bars`."""

from .four_bars import FourBar, four_bars, search

__all__ = ["FourBar", "four_bars", "search"]
