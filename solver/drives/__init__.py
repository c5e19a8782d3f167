# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse dynamics: the efforts of drives in joints by which bodies move as their keys say.

motion        how all bodies move: those with keys as keyed, the others as a simulation finds
loads         what that motion takes along each axis of the trees, and what closed loops can take up
least_norm    shares the loads among the drives, and says what nothing takes up
drive_efforts all of it, to efforts over time, peaks and notes
motors        the same mechanism with motors that give these efforts
"""
