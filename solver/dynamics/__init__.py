# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid-body dynamics without contact: trees of bodies, the forces on them, and what closes loops."""
