# SPDX-License-Identifier: GPL-3.0-or-later
"""Storms: many random operations, cancels, kills and damages, each seed the same again. The tests run a few of each.

usage, in an environment with bpy:
    python -m tests.blender.storms.operations --seeds 1-10 --count 300     operations of a person
    python -m tests.blender.storms.cancels --count 1000                    bakes cancelled at random moments
    python -m tests.blender.storms.kills --count 100                       Blender killed in a bake, and while it saves
    python -m tests.blender.storms.damages --count 10000                   damaged texts and numbers in a .blend
"""
