# SPDX-License-Identifier: GPL-3.0-or-later
"""What multipliers do to the bodies, and what the bodies' accelerations then leave to be asked of the rows."""

from ..kernel import kernel
from ..spatial import add, add_scaled, dot, load_angular, load_linear, store_spatial

_ZERO = (0.0, 0.0, 0.0)


@kernel
def add_multipliers(elimination, maximal):
    """Adds maximal.rest to the multipliers, and what it does to maximal.motion."""
    x, motion = maximal.rest, maximal.motion
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        a, b = block.body[0], block.body[1]
        n_a, f_a, n_b, f_b = load_angular(motion[a]), load_linear(motion[a]), _ZERO, _ZERO
        for p in range(block.first, block.first + block.width):
            Y = maximal.response[p]
            maximal.multiplier[p] += x[p]
            n_a, f_a = add_scaled(n_a, x[p], (Y[0], Y[1], Y[2])), add_scaled(f_a, x[p], (Y[3], Y[4], Y[5]))
            n_b, f_b = add_scaled(n_b, x[p], (Y[6], Y[7], Y[8])), add_scaled(f_b, x[p], (Y[9], Y[10], Y[11]))
        store_spatial(motion[a], n_a, f_a)
        store_spatial(motion[b], add(load_angular(motion[b]), n_b), add(load_linear(motion[b]), f_b))


@kernel
def fill_rest(elimination, maximal):
    """What is still asked of each row; returns the largest of those that are not redundant, scaled."""
    motion, largest = maximal.motion, 0.0
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        a, b = motion[block.body[0]], motion[block.body[1]]
        w_a, v_a, w_b, v_b = load_angular(a), load_linear(a), load_angular(b), load_linear(b)
        for p in range(block.first, block.first + block.width):
            W = maximal.wrench[p]
            made = dot((W[0], W[1], W[2]), w_a) + dot((W[3], W[4], W[5]), v_a)
            made += dot((W[6], W[7], W[8]), w_b) + dot((W[9], W[10], W[11]), v_b)
            rest = maximal.asked[p] - made - maximal.compliance[p] * maximal.multiplier[p]
            maximal.rest[p] = rest
            if maximal.pivot[p] > 0.0:
                largest = max(largest, abs(rest) * elimination.scale[p])
    return largest
