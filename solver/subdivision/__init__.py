# SPDX-License-Identifier: GPL-3.0-or-later
"""Catmull-Clark surfaces: cages and their refinement, and the bicubic patches that the limit surface consists of."""
