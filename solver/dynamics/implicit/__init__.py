# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear systems of implicit steps: mass plus step times damping plus its square times stiffness, by the recursion.

`workspace` has the arrays, `axis_tangents` and `force_tangents` what joints and forces resist with, `linearised_tree`
the recursion, `coupling` what forces between moving bodies and closures add to it, and `implicit_change` all of it at
once. `kinks` tells where forces are not smooth.
"""
