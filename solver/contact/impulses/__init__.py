# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact impulses: contact points become blocks of rows, and the blocks are solved.

`blocks` makes them, `rows` is the algebra of one block (friction cone included), `impacts` are blows one by one,
`impulses` sweeps of Gauss and Seidel over all that pushes, `newton` all rows of an island at once. `propagation` is how
a linkage responds to an impulse.
"""
