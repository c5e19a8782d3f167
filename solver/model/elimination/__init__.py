# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse elimination for the method of Lagrange: in which order rows go, and where their numbers are."""
