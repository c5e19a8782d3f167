# SPDX-License-Identifier: GPL-3.0-or-later
"""Hierarchical frames: where each node's far handle lies, seen from its near one; from these, where single bodies are.

A pose is (R, t): a frame's axes and origin in another frame. Nodes keep one pose each, which changes only when a joint
inside turns, and leaves one for each link. Where a link is in the world follows from those on the way to it, O(log n).
Source: Redon, Lin (2006), section 5.1 (handles cross-transforms, principal joint and handle transforms).
"""

import math

from ..dynamics.tree.joints import REVOLUTE, chart_rotation, relative_pose
from ..kernel import inlined_kernel, kernel
from ..spatial import add, load3, load9, multiply, rotate, scale, subtract, transpose, unrotate


@kernel
def compose(first, second):
    """The frame of `second`, which is given in that of `first`."""
    return multiply(first[0], second[0]), add(first[1], rotate(first[0], second[1]))


@kernel
def compose_inverse(first, second):
    """The same of the inverse of `second`."""
    R = multiply(first[0], transpose(second[0]))
    return R, subtract(first[1], rotate(R, second[1]))


@kernel
def inverse(pose):
    """The inverse of a pose (rotation of nine numbers, translation)."""
    return transpose(pose[0]), scale(-1.0, unrotate(pose[0], pose[1]))


@inlined_kernel
def load_pose(poses, i):
    """The pose in row i of an array (P, 12): nine numbers of a rotation, then three of a place."""
    a = poses[i]
    return load9(a), (a[9], a[10], a[11])


@inlined_kernel
def store_pose(poses, i, pose):
    """Puts a pose into row i of an array (P, 12)."""
    a = poses[i]
    a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8] = pose[0]
    a[9], a[10], a[11] = pose[1]


@kernel
def joint_pose(linkage, node):
    """The near handle of a node's second part in that of the first."""
    joint = linkage.joints[node.body]
    if joint.kind == REVOLUTE:
        c, s = joint.cosine, joint.sine * node.sign
        return (c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    child = relative_pose(joint.kind, joint.pitch, linkage.coordinates, joint.axis_start, linkage.anchor, joint.chart)
    return inverse(child) if node.sign > 0.0 else child


@kernel
def update_pose(linkage, i):
    """A hinge's cosine and sine, and the pose of its node from those of its parts; that of a hub stays what it is."""
    node, poses = linkage.nodes[i], linkage.poses
    if node.leaf >= 0:
        _update_leaf(linkage, i, linkage.leaves[node.leaf])
        return
    joint = linkage.joints[node.body]
    if joint.kind == REVOLUTE:
        angle = linkage.coordinates[joint.axis_start]
        joint.cosine, joint.sine = math.cos(angle), math.sin(angle)
    if node.hub < 0:
        (R, t), (S, u) = load_pose(poses, node.first), load_pose(poses, node.second)
        if joint.kind == REVOLUTE:
            c, s = joint.cosine, joint.sine * node.sign
            S = (
                c * S[0] + s * S[3], c * S[1] + s * S[4], c * S[2] + s * S[5],
                c * S[3] - s * S[0], c * S[4] - s * S[1], c * S[5] - s * S[2], S[6], S[7], S[8],
            )  # fmt: skip
            u = (c * u[0] + s * u[1], c * u[1] - s * u[0], u[2])
        else:
            S, u = compose(joint_pose(linkage, node), (S, u))
        store_pose(poses, i, (multiply(transpose(R), S), unrotate(R, subtract(u, t))))


@kernel
def _update_leaf(linkage, i, leaf):
    """The poses of its links, each from that of the inner one, and of its far handle."""
    placed = linkage.link_poses
    for k in range(leaf.start + 1, leaf.end):
        link = linkage.links[k]
        R, t = compose(load_pose(placed, link.inner), (load9(link.rotation), load3(link.point)))
        if link.axes == 1:
            angle = linkage.coordinates[link.axis]
            R = _turned_about_z(R, math.cos(angle), link.sign * math.sin(angle))
        else:
            turn = chart_rotation(linkage.anchor, linkage.joints[link.joint].chart, linkage.coordinates, link.axis)
            R = multiply(R, turn if link.sign > 0.0 else transpose(turn))
        store_pose(placed, k, (R, t))
    far = load9(leaf.rotation), load3(leaf.point)
    store_pose(linkage.poses, i, compose(load_pose(placed, leaf.last), far))


@inlined_kernel
def _turned_about_z(R, c, s):
    """R times a rotation about Z."""
    return (
        c * R[0] + s * R[1], c * R[1] - s * R[0], R[2],
        c * R[3] + s * R[4], c * R[4] - s * R[3], R[5],
        c * R[6] + s * R[7], c * R[7] - s * R[6], R[8],
    )  # fmt: skip


@kernel
def _beyond_joint(linkage, node, pose):
    """The near handle of a node's second part, from that of the first."""
    joint = linkage.joints[node.body]
    if joint.kind != REVOLUTE:
        return compose(pose, joint_pose(linkage, node))
    return _turned_about_z(pose[0], joint.cosine, -joint.sine * node.sign), pose[1]


@kernel
def place_parts(linkage, i):
    """The near handles of a node's parts in the world, from its own; a leaf has none."""
    if linkage.nodes[i].leaf >= 0:
        return
    node, poses, world = linkage.nodes[i], linkage.poses, linkage.world
    near = load_pose(world, i)
    if node.hub >= 0:  # the first part's far handle is the body itself
        near = compose_inverse(near, load_pose(linkage.hub_poses, node.hub // 96))
    first = compose_inverse(near, load_pose(poses, node.first))
    store_pose(world, node.first, first)
    store_pose(world, node.second, _beyond_joint(linkage, node, first))


@kernel
def place_base(linkage, t):
    """The near handle of a whole tree in the world, from that of the joint that it hangs on."""
    node = linkage.nodes[linkage.bases[t]]
    store_pose(linkage.world, node.second, _beyond_joint(linkage, node, load_pose(linkage.base_poses, t)))


@kernel
def place_link(linkage, body):
    """(near handle of its leaf in the world, pose of the link there) of a body."""
    return load_pose(linkage.world, linkage.node_of[body]), load_pose(linkage.link_poses, linkage.link_of[body])


@inlined_kernel
def link_axes(linkage, link, R):
    """The axes of a ball joint along its child's frame, or of a hinge (the third), as columns; R: the link's own."""
    if link.axes == 1 or link.sign > 0.0:
        return R
    before, _ = load_pose(linkage.link_poses, link.inner)
    return multiply(before, load9(link.rotation))
