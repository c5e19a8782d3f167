# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages whose point draws a wanted curve; see `search`, `families` and `dyads`."""

from .search import Found, run, search

__all__ = ["Found", "run", "search"]
