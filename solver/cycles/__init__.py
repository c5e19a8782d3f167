# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions that repeat themselves: `cyclic` simulates a cycle again and again until its end flows into its start."""
