# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft contact: shapes that overlap a little push each other apart by Hunt and Crossley's law.

`soft_contact` is the law; the other files find the areas on which it acts.
"""
