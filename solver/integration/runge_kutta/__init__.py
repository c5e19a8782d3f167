# SPDX-License-Identifier: GPL-3.0-or-later
"""Explicit Runge-Kutta of order 8 with variable steps."""
