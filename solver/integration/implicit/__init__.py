# SPDX-License-Identifier: GPL-3.0-or-later
"""The implicit integrator for stiff springs and dampers: Euler steps by the recursion, extrapolated."""
