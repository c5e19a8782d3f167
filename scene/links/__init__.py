# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages of bars: planned as points and links, made as bodies and joints, and given other lengths afterwards."""
