# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels that were compiled ahead of time: which library fits these sources, and how Python calls its entries."""
