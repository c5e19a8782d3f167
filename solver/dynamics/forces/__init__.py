# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces: applied to bodies, in joints, and the modes of those that jump.

`laws` tells the forces on bodies apart, each with its law in a file of its own. `joint_forces` has springs, dampers and
motors of axes, `switching` what jumps there: dry friction, which is bounded in it, motors and limits.
"""
