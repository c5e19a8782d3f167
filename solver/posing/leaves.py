# SPDX-License-Identifier: GPL-3.0-or-later
"""Which assemblies are leaves: a few bodies that hang together by hinges and balls; and their links, from the near
handle on.

Below some size to halve an assembly further costs more, in time and memory, than to solve all of it: `leaf`. In small
linkages neither counts, and each joint is computed by itself, so that errors of choice mean something.
"""

import numpy as np

from ..model.arrays import Kind, Model, records
from ..model.assembly_tree import AssemblyTree
from .arrays import FRAME, LINK

KINDS = (Kind.REVOLUTE, Kind.SPHERICAL)  # of joints within leaves
MOST_LINKS = 16  # of a leaf: with 32 a thousand forces cost a tenth less, one force as much
FINE = 256  # bodies of a linkage whose leaves are single bodies: a step that computes all takes 0.1 ms longer


def grain_of(model: Model) -> int:
    """The number of bodies that leaves of a linkage have at most, where nobody has chosen it."""
    return 1 if len(model.bodies) - model.driven <= FINE else MOST_LINKS


def find_leaves(tree: AssemblyTree, model: Model, grain: int) -> np.ndarray:
    """(A,) bool: assemblies that are leaves, of those that are not within one. grain: the most bodies of one."""
    rows, bodies = tree.assemblies, len(model.bodies)
    can_be_within = np.isin(model.bodies.kind, KINDS).tolist()
    size = np.ones(len(rows), np.int64).tolist()
    inner, outer, joint = rows.inner.tolist(), rows.outer.tolist(), rows.joint.tolist()
    for i in range(bodies, len(rows)):
        size[i] = size[inner[i]] + size[outer[i]] if can_be_within[joint[i]] else grain + 1
    fits = np.array(size) <= grain
    fits[: model.driven] = False
    return fits & ~((rows.parent >= 0) & fits[rows.parent])


def bodies_of(leaf: int, tree: AssemblyTree, bodies: int) -> list[int]:
    """The bodies of an assembly."""
    found, waiting = [], [leaf]
    while waiting:
        i = waiting.pop()
        if i < bodies:
            found.append(i)
        else:
            waiting += [int(tree.assemblies.inner[i]), int(tree.assemblies.outer[i])]
    return found


def order_links(start: int, bodies: list[int], inner: list[int]) -> list[tuple[int, int]]:
    """(body, the place of its inner link in this list, -1 for the first) from the body at the near handle on."""
    neighbours: dict[int, list[int]] = {body: [] for body in bodies}
    for body in bodies:
        if inner[body] in neighbours:
            neighbours[body].append(inner[body])
            neighbours[inner[body]].append(body)
    links = [(start, -1)]
    for place, (body, before) in enumerate(links):
        came_from = links[before][0] if before >= 0 else -1
        links += [(other, place) for other in neighbours[body] if other != came_from]
    return links


def new_links(model: Model, body: np.ndarray, inner: np.ndarray, near: np.recarray) -> tuple[np.recarray, np.recarray]:
    """LINK records (L,), and the FRAME of each in its body's axes.

    body, inner (L,): a link's body, and the number of its inner link, -1 for the first of a leaf, whose frame is its
    handle in `near`.
    """
    bodies, links, frames = model.bodies, records(len(body), LINK), records(len(body), FRAME)
    is_first = inner < 0
    links.inner = np.where(is_first, np.arange(len(body)), inner)
    before = body[links.inner]
    is_outer = ~is_first & (bodies.inner[body] == before)  # in the model, than the link before
    joint = np.where(is_outer, body, before)  # the body whose joint it is
    links.joint, links.axis = joint, bodies.axis_start[joint]
    links.axes = np.where(is_first, 0, bodies.axis_end[joint] - bodies.axis_start[joint])
    links.row = np.cumsum(links.axes) - links.axes
    links.sign = np.where(is_outer, 1.0, -1.0) * bodies.direction[joint]
    at_outer, at_inner = records(len(body), FRAME), records(len(body), FRAME)
    at_outer.rotation, at_outer.point = np.eye(3).ravel(), -bodies.center_offset[joint]
    at_inner.rotation, at_inner.point = bodies.joint_rotation[joint], bodies.joint_point[joint]
    for name in FRAME.names:
        on_this, on_that = at_outer[name].copy(), at_inner[name].copy()
        on_this[~is_outer], on_that[~is_outer] = at_inner[name][~is_outer], at_outer[name][~is_outer]
        on_this[is_first] = near[name][is_first]
        frames[name], links[name] = on_this, on_that
    on_that = links[["rotation", "point"]].copy().view(np.recarray)
    poses = pose_between(frames[links.inner], on_that)
    links.rotation, links.point = poses[:, :9], poses[:, 9:]
    R = frames.rotation.reshape(-1, 3, 3)
    back = np.swapaxes(R, 1, 2)
    links.mass, links.center = bodies.mass[body], -np.einsum("bij,bj->bi", back, frames.point)
    inertia = back @ bodies.inertia[body][:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3) @ R
    c = links.center
    square = np.einsum("bi,bi->b", c, c)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :]
    inertia += links.mass[:, None, None] * square
    links.inertia = inertia.reshape(-1, 9)[:, [0, 1, 2, 4, 5, 8]]
    return links, frames


def pose_between(near: np.recarray, far: np.recarray) -> np.ndarray:
    """(n, 12) far frames in those of near ones, both given in the same axes."""
    R, S = near.rotation.reshape(-1, 3, 3), far.rotation.reshape(-1, 3, 3)
    back = np.swapaxes(R, 1, 2)
    return np.hstack([(back @ S).reshape(-1, 9), np.einsum("bij,bj->bi", back, far.point - near.point)])
