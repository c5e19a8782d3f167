# SPDX-License-Identifier: GPL-3.0-or-later
"""Response of bodies to multipliers, and what their accelerations then leave to be asked of the rows."""

from ...kernel import kernel
from ...spatial import add, add_scaled, dot, load_angular, load_linear, store_spatial

_ZERO = (0.0, 0.0, 0.0)


@kernel
def add_multipliers(elimination, maximal):
    """Adds maximal.rest to the multipliers, and what it does to maximal.motion."""
    x, motion = maximal.rest, maximal.motion
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        for p in range(block.first, block.first + block.width):
            maximal.multiplier[p] += x[p]
        for end in range(block.ends):
            moved, k, n, f = motion[block.body[end]], 6 * end, _ZERO, _ZERO
            if end == 0:  # the order of the sums matters where poses are nearly singular
                n, f = load_angular(moved), load_linear(moved)
            for p in range(block.first, block.first + block.width):
                Y = maximal.response[p]
                n = add_scaled(n, x[p], (Y[k], Y[k + 1], Y[k + 2]))
                f = add_scaled(f, x[p], (Y[k + 3], Y[k + 4], Y[k + 5]))
            if end > 0:
                n, f = add(load_angular(moved), n), add(load_linear(moved), f)
            store_spatial(moved, n, f)


@kernel
def fill_rest(elimination, maximal):
    """Fills what is still asked of each row; returns the largest of those that are not redundant, scaled."""
    motion, largest = maximal.motion, 0.0
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        a, b = motion[block.body[0]], motion[block.body[1]]
        w_a, v_a, w_b, v_b = load_angular(a), load_linear(a), load_angular(b), load_linear(b)
        for p in range(block.first, block.first + block.width):
            W = maximal.wrench[p]
            made = dot((W[0], W[1], W[2]), w_a) + dot((W[3], W[4], W[5]), v_a)
            made += dot((W[6], W[7], W[8]), w_b) + dot((W[9], W[10], W[11]), v_b)
            for end in range(2, block.ends):
                k, c = 6 * end, motion[block.body[end]]
                made += dot((W[k], W[k + 1], W[k + 2]), load_angular(c))
                made += dot((W[k + 3], W[k + 4], W[k + 5]), load_linear(c))
            rest = maximal.asked[p] - made - maximal.compliance[p] * maximal.multiplier[p]
            maximal.rest[p] = rest
            if maximal.pivot[p] > 0.0:
                largest = max(largest, abs(rest) * elimination.scale[p])
    return largest
