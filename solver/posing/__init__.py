# SPDX-License-Identifier: GPL-3.0-or-later
"""Quasi-static posing of linkages of any size; see `posing` for what a person uses, `arrays` for the symbols."""

from .posing import MEASURES, Posing, Pull
from .warm_up import warm_up

__all__ = ["MEASURES", "Posing", "Pull", "warm_up"]
