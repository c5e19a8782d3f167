# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of one linkage, and their compilation from a mechanism.

`arrays` has the constant `Model`, the changing `State` and the scratch space; `topology` finds the linkages and their
trees, `linkage` fills the arrays of one. The rest is one subject a file: closures, surface joints, collision shapes,
balance, and the orders in which rows are eliminated or propagated.
"""
