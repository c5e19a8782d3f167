# SPDX-License-Identifier: GPL-3.0-or-later
"""Snap Together: loose linkages are assembled, at once or as keyframes."""
