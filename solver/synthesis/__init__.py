# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages whose point draws a wanted curve; see `four_bars` and `families`."""

from .four_bars import Found, four_bars, search

__all__ = ["Found", "four_bars", "search"]
