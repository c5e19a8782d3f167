# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry that needs no settings: poses, meshes, curves, and shapes around meshes."""
