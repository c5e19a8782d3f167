# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking: `bake` reads the scene and simulates it, `write_keyframes` makes keyframes of the motion."""
