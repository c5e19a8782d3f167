# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions, which go on under keys and mouse until the user ends them: Play and Pose."""
