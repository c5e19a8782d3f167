# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact impulses: contact points become blocks of rows, and the blocks are solved.

`blocks` makes them, `rows` is the algebra of one block, and `friction_cone` bounds what friction may give in it.
`impacts` are blows one by one, `gauss_seidel` sweeps over all that pushes, from a warm start, `newton` takes all rows
of an island at once. `propagation` is how a linkage responds to an impulse.
"""
