# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on what drives of joints must give."""
