# SPDX-License-Identifier: GPL-3.0-or-later
"""Mending of what a file holds damaged."""
