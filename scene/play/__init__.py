# SPDX-License-Identifier: GPL-3.0-or-later
"""Play: the mechanism runs live in the viewport; a person drags bodies and presses action buttons."""
