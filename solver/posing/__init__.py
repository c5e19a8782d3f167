# SPDX-License-Identifier: GPL-3.0-or-later
"""Quasi-static posing of linkages of any size; see `posing` for what a person uses, `arrays` for the symbols."""

from .posing import MEASURES, Posing

__all__ = ["MEASURES", "Posing"]
