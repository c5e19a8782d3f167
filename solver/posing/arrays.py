# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of the posing engine's kernels: nodes of the assembly tree, and their matrices as rows.

Symbols, for a node with the handles n (near, which the joint above it takes) and f (far, which stays open above it):
    a_n = P_nn f_n + P_nf f_f + b_n,  a_f = P_fn f_n + P_ff f_f + b_f    articulated-body equation,
    A = f_n.Q_nn f_n + f_n.Q_nf f_f + f_f.Q_ff f_f + p.f + eta,  f = (f_n, f_f)    total-acceleration equation,
    q'' = E_n f_n + E_f f_f + constants                                     of each joint within a leaf, see `leaf`,
all in the frames of the handles: each handle is a joint's frame on one of the two bodies that the joint connects, with
its six components in the order of that joint (`joint_frames`), those that the joint transmits first. Q_nn and Q_ff are
not symmetric: A alone counts, and half of the products that would make them so need not be computed. Constants stand in
the seventh column of the rows, except in those of P_nn and Q_nn, where it says nothing.
"""

from typing import NamedTuple

import numpy as np

from ..kernel import by_reference

ROW = 8
BLOCK = 6 * ROW
# where a node's blocks stand: P_nn; P_nf with b_n; P_ff with b_f
NEAR, CROSS, FAR = 0, BLOCK, 2 * BLOCK
P_SIZE = 3 * BLOCK
# if it has joints, besides: Q_nn; Q_nf with p_n; Q_ff with p_f; eta
Q_NEAR, Q_CROSS, Q_FAR, ETA = 0, BLOCK, 2 * BLOCK, 3 * BLOCK
Q_SIZE = 3 * BLOCK + ROW
# and if it is put together of two others, y = FIRST f_1 + SECOND f_2 + constants: the force that the joint transmits,
# then its accelerations
FIRST, SECOND = P_SIZE + Q_SIZE, P_SIZE + Q_SIZE + BLOCK
JOINED_SIZE = SECOND + BLOCK
# the matrices that turn a body's spatial axes at its centre of mass into the two handles' components
TO_NEAR, TO_FAR = 0, BLOCK

NODE = np.dtype(
    [
        ("at", "i8"),  # where its P stands in `data`
        ("q_at", "i8"),  # where its Q stands, which without joints is zero
        ("body", "i4"),  # whose joint puts it together, -1 for a leaf
        ("first", "i4"),  # the part whose far handle is the node's near one, -1 for a leaf
        ("second", "i4"),
        ("parent", "i4"),  # -1 for a base
        ("hub", "i4"),  # where the matrices of the body stand onto which something is hung (`hubs`), -1 if none is
        ("leaf", "i4"),  # LEAF, -1 if it is put together of two others
        ("joints", "i4"),  # that it solves: 1, or all within a leaf
        ("sign", "f8"),  # +1 if the joint's child is in the first part, -1 if its parent is
    ],
    align=True,
)
LEAF = np.dtype(
    [
        ("start", "i4"),  # its first link, at the near handle
        ("end", "i4"),
        ("last", "i4"),  # the link at the far handle
        ("row_start", "i4"),  # of E, one for each axis
        ("row_end", "i4"),
        ("near_place", "i4", 6),  # where each component (three angular, three linear) stands in the handle's order
        ("far_place", "i4", 6),
        ("rotation", "f8", 9),  # the far handle's frame in that of its link
        ("point", "f8", 3),  # m
    ],
    align=True,
)
LINK = np.dtype(  # a body in a leaf; its frame is that of the joint on its near side, the first one's the near handle
    [
        ("inner", "i4"),  # the link on its near side
        ("joint", "i4"),  # JOINT, a hinge or a ball
        ("axes", "i4"),  # of the joint: 0 of a leaf's first link, 1 or 3
        ("axis", "i4"),  # the joint's first coordinate
        ("row", "i4"),  # and where its row stands in E
        ("sign", "f8"),  # +1 if the link is the joint's child, -1 if it is its parent
        ("rotation", "f8", 9),  # the joint's frame in that of the inner link
        ("point", "f8", 3),  # m
        ("mass", "f8"),  # kg
        ("center", "f8", 3),  # m: of mass
        ("inertia", "f8", 6),  # kg m2: about the frame's origin
    ],
    align=True,
)
JOINT = np.dtype(
    [
        ("kind", "i4"),  # Kind
        ("held", "i4"),  # components that it transmits
        ("axis_start", "i4"),
        ("chart", "i4"),
        ("order", "i4", 6),  # of its handles' components, see `joint_frames`
        ("pitch", "f8"),
        ("weight", "f8", 6),  # of each axis in total accelerations, squared: 1 for angles, 1 / size^2 for lengths
        ("cosine", "f8"),  # of a hinge's angle
        ("sine", "f8"),
    ],
    align=True,
)
FRAME = np.dtype(
    [
        ("rotation", "f8", 9),  # in the body's axes
        ("point", "f8", 3),  # m: its origin from the centre of mass
    ],
    align=True,
)


@by_reference
class Linkage(NamedTuple):
    """The engine's arrays for one linkage of B bodies, N nodes (0: the world), L links, A axes.

    `force` has 16 numbers for each node: at its near handle and, from 8 on, at its far one.
    """

    nodes: np.recarray  # (N,) NODE
    joints: np.recarray  # (B,) JOINT of each body to its inner one
    bases: np.ndarray  # (T,) int64: nodes of the joints that trees hang on
    leaves: np.recarray  # LEAF
    links: np.recarray  # (L,) LINK, those of a leaf one after the other, each after its inner one
    link_of: np.ndarray  # (B,) int64: each body's link
    node_of: np.ndarray  # (B,) int64: and its leaf's node
    frames: np.recarray  # (B,) FRAME of its link
    data: np.ndarray  # all rows, flat
    hubs: np.ndarray  # rows of the hubs' matrices, flat
    force: np.ndarray  # flat
    rows: np.ndarray  # flat, 16 numbers for each axis of links: E_n; from 8 on E_f, and what is there without forces
    link_poses: np.ndarray  # (L, 12) rotation and origin (m) of links' frames in that of their leaf's near handle
    push: np.ndarray  # flat, 8 numbers for each link: what pulls and pushes it, about its origin, along these axes
    poses: np.ndarray  # (N, 12) rotation and origin (m) of the far handle in the near one's frame
    hub_poses: np.ndarray  # (H, 12) of a hub's near handle in its body's frame
    base_poses: np.ndarray  # (T, 12) of the joint that a tree hangs on, on its inner side, in the world
    world: np.ndarray  # (N, 12) of near handles in the world; only those on the way to pulled bodies are kept
    work: np.ndarray  # flat: room for one node's joint
    T_parent: np.ndarray  # (6, 6) room for a joint's transforms
    T_child: np.ndarray  # (6, 6)
    coordinates: np.ndarray  # (A,)
    anchor: np.ndarray  # (C, 4)
    accelerations: np.ndarray  # (A,) of the last step, for joints of nodes that were solved


PULL = np.dtype(  # of vectors, those of the body are along its link's axes
    [
        ("body", "i8"),
        ("kind", "i8"),  # a Pull
        ("point", "f8", 3),  # m, from the link's origin
        ("force", "f8", 3),  # N; towards a place, each step chooses it
        ("moment", "f8", 3),  # N m
        ("target", "f8", 3),  # m: the place, in the world
        ("strength", "f8"),  # of a pull towards a place beside others
    ],
    align=True,
)
WORLD_FORCE, BODY_FORCE, TARGET = range(3)  # kinds of pull: along world axes; along body axes; towards a place


STEP = np.dtype(
    [
        ("solved", "i8"),  # nodes
        ("number", "i8"),  # of the step
        ("changed", "i8"),  # nodes
        ("joints", "i8"),  # that were solved
        ("squares", "f8"),  # sum of what was solved
        ("largest", "f8"),  # of these
        ("bound", "f8"),  # of the error
        ("gain", "f8"),  # s2
        ("expected", "f8"),  # towards places: by how much the weighted squares of the ways left were to fall
        ("turn", "f8"),  # the largest, rad or parts of the size; towards places
    ],
    align=True,
)
"""The last step of a pose."""
BINADES = 2048  # as many as the exponent of a positive number has values


@by_reference
class Queue(NamedTuple):
    """Nodes that are still to be solved, by the power of two of their total accelerations, and those that are."""

    key: np.ndarray  # (N,) total acceleration of each node
    bits: np.ndarray  # (N,) int64: the same numbers as they stand in memory
    foremost: np.ndarray  # (2048,) int64: first node of each power of two, -1 if none waits
    behind: np.ndarray  # (N,) int64: the node that waits behind this one, -1 for the last
    solved: np.ndarray  # (N,) int64: in the order in which they were solved
    changed: np.ndarray  # (N,) int64: nodes that are to be put together again
    last: np.recarray  # (1,) STEP
    stamp: np.ndarray  # (N,) int64: number of the step in which a node was solved
    marked: np.ndarray  # (N,) int64: nodes on the way to pulled bodies, bases first
    is_marked: np.ndarray  # (N,) bool


def aligned(count: int) -> np.ndarray:
    """Zeros that begin where a line of the processor's cache begins."""
    room = np.zeros(count + ROW)
    start = -room.ctypes.data // 8 % ROW
    return room[start : start + count]
