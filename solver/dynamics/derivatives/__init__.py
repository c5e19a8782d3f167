# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of the forward dynamics: how accelerations change with coordinates, speeds and efforts.

The contract is in `accelerations`; `changes` has the room that it works in, `kinematics` the sweep outwards, `closures`
the rows. The law of each force has its own change in `dynamics.forces`.
"""
