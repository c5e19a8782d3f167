# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles in the 3D View that a mouse drags: at the limits of joints, and at the shapes of bodies.

`handle` has what they share: how they are drawn, dragged, cancelled and undone.
"""
