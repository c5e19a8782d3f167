# SPDX-License-Identifier: GPL-3.0-or-later
"""Assembly: from loose poses to a mechanism whose joints and constraints are met."""

from .bring_together import Assembly, AssemblyProgress, OpenConnection, assemble

__all__ = ["Assembly", "AssemblyProgress", "OpenConnection", "assemble"]
