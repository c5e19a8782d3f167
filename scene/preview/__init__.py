# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects put to other places for a while, without keyframes, by Play, Pose and Snap Together."""
