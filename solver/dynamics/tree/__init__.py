# SPDX-License-Identifier: GPL-3.0-or-later
"""Recursions over the bodies of a tree: kinematics, forward dynamics by three methods, inverse dynamics.

`joints` is the one place that knows how coordinates turn into axes and poses: there a hinge's axis becomes a motion.
"""
