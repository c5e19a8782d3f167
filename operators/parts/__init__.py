# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that make the parts of a mechanism: bodies, joints, constraints, forces, and examples of them."""
