# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a mechanism: bodies, Empties of joints, constraints and forces, and linkages of them."""
