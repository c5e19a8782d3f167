# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine: describes, simulates and evaluates mechanisms, without Blender."""

from __future__ import annotations

from .mechanism import Mechanism, MechanismError

__all__ = ["Mechanism", "MechanismError"]
