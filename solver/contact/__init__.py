# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact: from pairs of shapes to points where they touch, and from points to impulses or forces."""
