# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a pose: what is pulled, which joints turn, and which equations that changes.

A step from rest over the time h turns a joint by q'' h^2 / 2. Between two steps only those nodes are put together again
whose joint has turned, or that lie on the way to a body whose wrench has changed.
Source: Redon, Lin (2006), section 5.2.
"""

import math

from ..dynamics.tree.joints import FREE, has_rotation_vector
from ..kernel import entry, kernel
from ..rotation import exponential, multiply_quaternions, normalized
from ..spatial import add, cross, dot, load3, rotate, subtract, unrotate
from .accelerations import RELATIVE_JOINT, accelerate
from .arrays import BODY_FORCE, ROW, TARGET
from .equations import assemble
from .frames import compose, place_base, place_link, place_parts, update_pose
from .leaf import link_acceleration


@entry
def fill_all(linkage, queue):
    """The equations and poses of all nodes."""
    for i in range(1, len(linkage.nodes)):
        update_pose(linkage, i)
        assemble(linkage, i)
    queue.last[0].solved = 0
    queue.last[0].number += 1


@entry
def release(linkage, queue, pulls, marked):
    """Ends these pulls, to whose bodies the first `marked` of queue.marked lead."""
    _list_changed(linkage, queue, marked, queue.last[0].number)
    _update_poses(linkage, queue, queue.last[0].number)
    _let_go(linkage, pulls)
    _assemble_again(linkage, queue)
    queue.last[0].solved = 0
    queue.last[0].number += 1


@entry
def place_points(linkage, queue, pulls, marked, places):
    """Fills places (n, 3): where the points of pulls are in the world (m), to whose bodies queue.marked leads."""
    _list_changed(linkage, queue, marked, queue.last[0].number)
    _update_poses(linkage, queue, queue.last[0].number)
    _place_marked(linkage, queue, marked)
    for p in range(len(pulls)):
        places[p, 0], places[p, 1], places[p, 2] = _place(linkage, pulls[p])


@entry
def run_steps(linkage, queue, pulls, marked, measure, error, most, gain, largest_turn, count):
    """`count` steps; returns how many joints were solved in all.

    pulls: PULL records with the forces that act; the first `marked` of queue.marked lead to their bodies, bases first.
    most: joints, after which a step leaves the others, however large its error.
    gain (s2): what accelerations are multiplied with; 0 takes what brings pulled points nearest to their places, but
    turns no joint by more than largest_turn (rad, or parts of the linkage's size).
    """
    total = 0
    for _ in range(count):
        queue.last[0].number += 1
        step = queue.last[0].number
        _list_changed(linkage, queue, marked, step - 1)
        _update_poses(linkage, queue, step - 1)
        _pull(linkage, queue, pulls, marked)
        _assemble_again(linkage, queue)
        accelerate(linkage, queue, marked if gain == 0.0 else 0, measure, error, most, step)
        taken = gain
        if gain == 0.0:
            taken = _best_gain(linkage, queue, pulls, largest_turn)
        queue.last[0].gain = taken
        for s in range(queue.last[0].solved):
            _move(linkage, linkage.nodes[queue.solved[s]], taken)
        total += queue.last[0].joints
    return total


@entry
def respond(linkage, queue, pulls, marked, answers):
    """Fills answers (3 n, 3 n): the acceleration of each pulled point (m/s2) by a force of 1 N on each, world axes.

    pulls: PULL records towards places, without forces; the first `marked` of queue.marked lead to their bodies.
    """
    for column in range(3 * len(pulls)):
        pulls[column // 3].force[column % 3] = 1.0
        queue.last[0].number += 1
        step = queue.last[0].number
        _list_changed(linkage, queue, marked, step - 1)
        _update_poses(linkage, queue, step - 1)
        _pull(linkage, queue, pulls, marked)
        _assemble_again(linkage, queue)
        accelerate(linkage, queue, marked, RELATIVE_JOINT, 1.0, len(linkage.joints), step)
        for p in range(len(pulls)):
            a = _acceleration(linkage, pulls[p])
            answers[3 * p, column], answers[3 * p + 1, column], answers[3 * p + 2, column] = a
        pulls[column // 3].force[column % 3] = 0.0


@kernel
def _list_changed(linkage, queue, marked, step):
    """Nodes whose joint has turned in that step and marked ones, each after the node that it is a part of.

    A part is followed by all that is within it: read backwards, a node comes while its parts are still in the cache.
    """
    changed, listed, stack, waiting = queue.changed, 0, queue.behind, 0
    for t in range(len(linkage.bases)):
        stack[waiting] = linkage.bases[t]
        waiting += 1
    while waiting > 0:
        waiting -= 1
        i = stack[waiting]
        changed[listed] = i
        listed += 1
        node = linkage.nodes[i]
        for k in range(2):
            part = min(node.first, node.second) if k == 0 else max(node.first, node.second)
            if part >= 0 and (queue.stamp[part] == step or queue.is_marked[part]):
                stack[waiting] = part
                waiting += 1
    queue.last[0].changed = listed


@kernel
def _update_poses(linkage, queue, step):
    """Of the nodes in whose joints something has turned."""
    for c in range(queue.last[0].changed - 1, -1, -1):
        if queue.stamp[queue.changed[c]] == step:
            update_pose(linkage, queue.changed[c])


@kernel
def _place_marked(linkage, queue, marked):
    """Places the bodies that are pulled."""
    if marked > 0:
        for t in range(len(linkage.bases)):
            place_base(linkage, t)
        for m in range(len(linkage.bases), marked):
            place_parts(linkage, queue.marked[m])


@kernel
def _let_go(linkage, pulls):
    for p in range(len(pulls)):
        for k in range(6):
            linkage.push[ROW * linkage.link_of[pulls[p].body] + k] = 0.0


@kernel
def _pull(linkage, queue, pulls, marked):
    """The pushes on pulled bodies, and what these make of them."""
    _place_marked(linkage, queue, marked)
    _let_go(linkage, pulls)
    for p in range(len(pulls)):
        pull = pulls[p]
        f, n = load3(pull.force), load3(pull.moment)
        (R, _), (S, _) = place_link(linkage, pull.body)
        if pull.kind == BODY_FORCE:
            f, n = rotate(S, f), rotate(S, n)
        else:
            f, n = unrotate(R, f), unrotate(R, n)
        n = add(n, cross(rotate(S, load3(pull.point)), f))
        at = ROW * linkage.link_of[pull.body]
        for k in range(3):
            linkage.push[at + k] += n[k]
            linkage.push[at + 3 + k] += f[k]


@kernel
def _place(linkage, pull):
    """The place of a pulled point in the world (m)."""
    near, link = place_link(linkage, pull.body)
    R, t = compose(near, link)
    return add(t, rotate(R, load3(pull.point)))


@kernel
def _acceleration(linkage, pull):
    """The acceleration of a pulled point in the world (m/s2)."""
    alpha, a = link_acceleration(linkage, pull.body)
    (R, _), (S, _) = place_link(linkage, pull.body)
    return rotate(R, add(a, cross(alpha, rotate(S, load3(pull.point)))))


@kernel
def _assemble_again(linkage, queue):
    """All nodes that have changed, parts first."""
    for c in range(queue.last[0].changed - 1, -1, -1):
        assemble(linkage, queue.changed[c])


@kernel
def _best_gain(linkage, queue, pulls, largest_turn):
    """The factor (s2) that brings the pulled points nearest to their places, by least squares of their strengths."""
    along, square = 0.0, 0.0
    for p in range(len(pulls)):
        pull = pulls[p]
        if pull.kind == TARGET:
            a = _acceleration(linkage, pull)
            along += pull.strength * dot(a, subtract(load3(pull.target), _place(linkage, pull)))
            square += pull.strength * dot(a, a)
    if not along > 0.0 or square == 0.0:
        return 0.0
    fastest = math.sqrt(queue.last[0].largest)
    for t in range(len(linkage.bases)):
        joint = linkage.joints[linkage.nodes[linkage.bases[t]].body]
        if joint.kind == FREE:
            k = joint.axis_start + 3
            q = linkage.accelerations
            fastest = max(fastest, math.sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2]))
    gain = min(along / square, largest_turn / fastest) if fastest > 0.0 else along / square
    queue.last[0].expected, queue.last[0].turn = gain * (2.0 * along - gain * square), gain * fastest
    return gain


@kernel
def _move(linkage, node, gain):
    """Turns the joints of a node."""
    if node.leaf < 0:
        _turn(linkage, linkage.joints[node.body], gain)
        return
    leaf, q, second = linkage.leaves[node.leaf], linkage.coordinates, linkage.accelerations
    for k in range(leaf.start + 1, leaf.end):
        link = linkage.links[k]
        if link.axes == 1:
            q[link.axis] += gain * second[link.axis]
        else:
            _turn(linkage, linkage.joints[link.joint], gain)


@kernel
def _turn(linkage, joint, gain):
    """Turns one joint."""
    first, q, second = joint.axis_start, linkage.coordinates, linkage.accelerations
    end = first + 6 - joint.held
    if has_rotation_vector(joint.kind) or joint.kind == FREE:
        end -= 3
        anchor, c = linkage.anchor, joint.chart
        turn = exponential((gain * second[end], gain * second[end + 1], gain * second[end + 2]))
        before = (anchor[c, 0], anchor[c, 1], anchor[c, 2], anchor[c, 3])
        anchor[c, 0], anchor[c, 1], anchor[c, 2], anchor[c, 3] = normalized(multiply_quaternions(before, turn))
    for k in range(first, end):
        q[k] += gain * second[k]
