# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies for the bones of a rig: which bones, their shapes from the skin, and joints with the ranges of a body."""
