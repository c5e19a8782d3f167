# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose: a body is dragged and its linkage follows at once."""
