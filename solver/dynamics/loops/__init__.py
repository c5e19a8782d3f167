# SPDX-License-Identifier: GPL-3.0-or-later
"""Closures: joints that close loops, and constraints, as rows with multipliers.

`closures` has the rows; `methods` chooses who solves them: constraint propagation, a sparse factorisation, or the
Delassus operator on top of a tree. `drift` keeps them closed.
"""
