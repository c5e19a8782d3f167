# SPDX-License-Identifier: GPL-3.0-or-later
"""Adaptive dynamics: only joints that matter at present are simulated, all others are held (Redon and others 2005)."""
