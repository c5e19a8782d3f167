# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of linkages that follow their drives: Live, and the paths of points."""
