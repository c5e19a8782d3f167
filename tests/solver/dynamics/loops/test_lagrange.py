# SPDX-License-Identifier: GPL-3.0-or-later
"""The method of Lagrange: its order and factors against dense matrices, its answers against the tree methods.

Kernels run as plain Python here, on small linkages.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from benchmarks.loops import curtain
from solver import Mechanism
from solver.dynamics.forces.applied import update_wrenches
from solver.dynamics.forces.joint_forces import update_efforts
from solver.dynamics.forces.parameters import update_parameters
from solver.dynamics.loops.closed_tree import respond_closed_tree, solve_closed_tree
from solver.dynamics.loops.closures import row_acceleration, update_rows
from solver.dynamics.loops.lagrange import factor_response, respond_lagrange, solve_lagrange
from solver.dynamics.loops.reactions import take_least_norm_multipliers
from solver.dynamics.tree.driven import update_driven_bodies
from solver.dynamics.tree.kinematics import update_kinematics
from solver.mechanism import Body, Joint
from solver.model.arrays import LAGRANGE, RECURSIVE, new_scratch
from solver.model.elimination.order import couple, elimination_order, minimum_degree, nested_dissection
from solver.model.linkage.compilation import compile_linkages
from tests.solver.assembly.random_ties import tied_mechanisms
from tests.solver.random_mechanisms import mechanisms

ALONG_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # a joint frame whose Z is the world's Y
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
EXACT = 1e-10  # of the largest value: rounding, times the conditioning of random masses and arms


def ring(count: int, kind: str, ratio: float = 1.0, held: bool = False) -> Mechanism:
    """An uneven plane ring, every other body `ratio` times as heavy; `held`: the first on two hinges side by side."""
    rng = np.random.default_rng(count)
    angle = 2.0 * np.pi * np.arange(count) / count
    places = np.column_stack([np.cos(angle), 0.0 * angle, np.sin(angle)])
    places[:, ::2] += rng.uniform(-0.2, 0.2, (count, 2))
    bodies = [
        Body(
            f"{i}",
            mass=ratio if i % 2 else 1.0,
            inertia=np.array([0.02, 0.025, 0.03]) * (ratio if i % 2 else 1.0),
            position=0.5 * (places[i] + places[(i + 1) % count]),
        )
        for i in range(count)
    ]
    joints = [Joint(f"{i}", kind, f"{i - 1}", f"{i}", places[i], ALONG_Y) for i in range(1, count)]
    joints.append(Joint("last", kind, f"{count - 1}", "0", places[0], ALONG_Y))
    if held:
        joints += [Joint(f"held {k}", "revolute", None, "0", places[0] + k, ALONG_Y) for k in range(2)]
    return Mechanism(bodies=bodies, joints=joints)


def prepared(mechanism: Mechanism, method: int, speed: float = 1.0):
    """(model, scratch) of the mechanism's linkages, in motion, all forces known."""
    found = []
    for compiled in compile_linkages(mechanism, method):
        model, state, scratch = compiled.model, compiled.state, new_scratch(compiled.model)
        state.speeds[:] = speed * np.random.default_rng(1).normal(size=len(state.speeds))
        update_parameters(model, 0.1, scratch)
        update_driven_bodies(model, 0.1, scratch)
        update_kinematics(model, state, scratch)
        update_rows(model, state, scratch)
        update_wrenches(model, scratch)
        update_efforts(model, state, scratch)
        found.append((model, scratch))
    return found


def solved(mechanism: Mechanism, speed: float = 1.0):
    """Pairs of (model, scratch): by the method of Lagrange and by articulated bodies."""
    both = prepared(mechanism, LAGRANGE, speed), prepared(mechanism, RECURSIVE, speed)
    for lagrange, recursive in zip(*both, strict=True):
        solve_lagrange(*lagrange)
        solve_closed_tree(*recursive)
        yield lagrange, recursive


def assert_near(got: np.ndarray, expected: np.ndarray, tolerance: float = EXACT) -> None:
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=tolerance * max(1.0, np.abs(expected).max(initial=0.0)))


def dense_rows(model, scratch) -> tuple[np.ndarray, np.ndarray]:
    """(G (R, 6 B) of the dynamic bodies, M^-1 G^T) with the rows in the model's order."""
    G = np.zeros((len(model.rows), 6 * len(model.bodies)))
    inverse = np.zeros((6 * len(model.bodies),) * 2)
    for r, row in enumerate(scratch.rows):
        closure = model.closures[model.rows[r].closure]
        for body, wrench in zip(closure.body[: closure.ends], row.wrench, strict=False):
            if body >= model.driven:
                G[r, 6 * body : 6 * body + 6] += wrench
    for i in range(model.driven, len(model.bodies)):
        R, own = scratch.bodies[i].rotation.reshape(3, 3), np.zeros((3, 3))
        own[np.triu_indices(3)] = model.bodies[i].inertia
        own = own + np.triu(own, 1).T
        at = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        inverse[at[0], at[0]] = R @ np.linalg.inv(own) @ R.T
        inverse[at[1], at[1]] = np.eye(3) / model.bodies[i].mass
    return G, inverse @ G.T


def test_chains_and_rings_are_eliminated_without_fill():
    order, coupled = minimum_degree([[i, i + 1] for i in range(50)], [3] * 51)
    assert sorted(order) == list(range(51))
    assert max(map(len, coupled)) == 1
    _, coupled = minimum_degree([[i, (i + 1) % 50] for i in range(50)], [3] * 50)
    assert max(map(len, coupled)) == 2


def test_what_couples_is_what_elimination_fills_in():
    rng = np.random.default_rng(3)
    cliques = [rng.choice(20, size=rng.integers(1, 4), replace=False).tolist() for _ in range(18)]
    order, coupled = minimum_degree(cliques, [1] * 20)
    filled = np.zeros((20, 20), bool)
    for clique in cliques:
        filled[np.ix_(clique, clique)] = True
    left = set(range(20))
    for block, reach in zip(order, coupled, strict=True):
        left.remove(block)
        assert reach == {k for k in left if filled[block, k]}
        filled[np.ix_(list(reach), list(reach))] = True


def net_ties(side: int) -> tuple[list[list[int]], np.ndarray]:
    """(ties on each body, places (B, 3)) of a square net, each body tied to its neighbours."""
    on_body: list[list[int]] = [[] for _ in range(side * side)]
    tie = 0
    for i in range(side * side):
        for j in [i + 1] * (i % side < side - 1) + [i + side] * (i < side * (side - 1)):
            on_body[i].append(tie)
            on_body[j].append(tie)
            tie += 1
    return on_body, np.array([(k % side, k // side, 0.0) for k in range(side * side)])


def products(order, coupled, width: int = 3) -> int:
    return sum(width * (width * (1 + len(reach))) ** 2 for reach in coupled)


def test_nets_are_dissected_and_chains_are_not():
    on_body, places = net_ties(16)
    widths = [3] * (2 * 16 * 15)
    order, coupled = elimination_order(on_body, widths, places)
    assert sorted(order) == list(range(len(widths)))
    assert order == nested_dissection(on_body, widths, places)
    assert coupled == couple(on_body, order, len(widths))
    assert products(order, coupled) < 0.5 * products(*minimum_degree(on_body, widths))
    ring_of_ties = [[i, (i + 1) % 50] for i in range(50)]
    places = np.column_stack([np.arange(50), np.zeros((50, 2))])
    assert elimination_order(ring_of_ties, [3] * 50, places) == minimum_degree(ring_of_ties, [3] * 50)


def test_products_of_nets_grow_less_than_the_square():
    """n^1.5 is what a plane net of n loops needs (George 1973); a band needs n^2, a dense matrix n^3."""
    counts, sides = [], (8, 16, 32)
    for side in sides:
        on_body, places = net_ties(side)
        counts.append(products(*elimination_order(on_body, [3] * (2 * side * (side - 1)), places)))
    assert np.polyfit(2.0 * np.log(sides), np.log(counts), 1)[0] < 1.65


def test_both_orders_couple_alike():
    rng = np.random.default_rng(4)
    cliques = [rng.choice(20, size=rng.integers(1, 4), replace=False).tolist() for _ in range(18)]
    order, coupled = minimum_degree(cliques, [1] * 20)
    assert couple(cliques, order, 20) == coupled


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
def test_factors_are_those_of_the_dense_response(kind):
    S, maximal = factored(ring(7, kind))[1:]
    assert maximal.count[0] == len(S) - np.linalg.matrix_rank(S)
    assert maximal.count[0] == (3 if kind == "revolute" else 0)


@pytest.mark.parametrize("kind", ["spherical", "universal"])
def test_factors_of_a_net_whose_blocks_share_panels(kind):
    """Three rows and four of a joint: columns go in threes, with and without a rest."""
    net = curtain(5, 5)
    for joint in net.joints:
        joint.type = kind
    elimination, S, maximal = factored(net)
    blocks, panels = elimination.blocks, elimination.panels
    assert (len(panels) < 0.7 * len(blocks)) == (kind == "spherical")
    assert panels.width.sum() == blocks.width.sum() == len(S)
    assert maximal.count[0] == len(S) - np.linalg.matrix_rank(S)


def factored(mechanism):
    """(elimination, dense response of the rows in its order, factors), which have been compared."""
    [(model, scratch)] = prepared(mechanism, LAGRANGE)
    factor_response(model, scratch)
    elimination, maximal = model.elimination, scratch.maximal
    G, response = dense_rows(model, scratch)
    S = (G @ response)[np.ix_(elimination.row, elimination.row)]
    L = np.eye(len(S))
    for block in elimination.blocks:
        below = elimination.index[block.below : block.below + block.height - block.width]
        rows = [*range(block.first, block.first + block.width), *below]
        for k in range(block.width):
            start = block.start + k * block.stride
            L[rows[k + 1 :], block.first + k] = maximal.panels[start + k + 1 : start + block.height]
    assert_near(L @ np.diag(maximal.pivot) @ L.T, S)
    return elimination, S, maximal


@pytest.mark.parametrize("ratio", [1.0, 1e4])
@pytest.mark.parametrize("kind", ["spherical", "universal", "cylindrical", "revolute"])
def test_rings_move_as_by_articulated_bodies(kind, ratio):
    for lagrange, recursive in solved(ring(8, kind, ratio)):
        assert_near(lagrange[1].accelerations, recursive[1].accelerations)
        assert_near(lagrange[1].bodies.acceleration, recursive[1].bodies.acceleration)


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=CHECKS)
@given(mechanisms())
def test_trees_with_efforts_armature_and_driven_bodies(mechanism):
    for lagrange, recursive in solved(mechanism):
        assert_near(lagrange[1].accelerations, recursive[1].accelerations)
        assert_near(lagrange[1].bodies.acceleration, recursive[1].bodies.acceleration)


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=CHECKS)
@given(tied_mechanisms())
def test_graphs_with_constraints_of_all_types_and_cut_bodies(mechanism):
    for lagrange, recursive in solved(mechanism):
        assert_near(lagrange[1].accelerations, recursive[1].accelerations, 1e-9)
        count = lagrange[0].closing
        assert_near(lagrange[1].rows.multiplier[:count], recursive[1].rows.multiplier[:count], 1e-9)


def test_contradictory_rows_are_met_as_closely_as_can_be():
    """A body turns that two hinges hold: what is asked of its acceleration cannot be. The joints of the tree hold.

    The independent answer: least squares over the closures in the coordinates of the tree.
    """
    [(lagrange, recursive)] = solved(ring(6, "revolute", held=True), speed=3.0)
    model, scratch = lagrange
    rest = np.array([scratch.rows[r].target - row_acceleration(model, scratch, r) for r in range(len(model.rows))])
    assert np.abs(rest[: model.closing]).max() > 1.0
    assert_near(rest[model.closing :], np.zeros(len(rest) - model.closing))
    assert_near(scratch.accelerations, recursive[1].accelerations)
    assert np.abs(scratch.rows.multiplier).max() < 1e4


def test_the_response_to_rows_is_the_smallest_change_of_rates():
    [(lagrange, recursive)] = solved(ring(7, "spherical"))
    model, scratch = lagrange
    asked = np.random.default_rng(2).normal(size=model.closing)
    scratch.rows.target[: model.closing] = recursive[1].rows.target[: model.closing] = asked
    respond_lagrange(model, scratch)
    respond_closed_tree(*recursive)
    assert_near(scratch.accelerations, recursive[1].accelerations)


def test_reactions_have_the_least_norm_of_all_that_do_the_same():
    [(model, scratch)] = prepared(ring(6, "revolute", held=True), LAGRANGE, speed=0.0)
    solve_lagrange(model, scratch)
    take_least_norm_multipliers(model, scratch)
    [(_, other)] = prepared(ring(6, "revolute", held=True), LAGRANGE, speed=0.0)
    solve_lagrange(model, other)
    G, _ = dense_rows(model, scratch)
    weight = np.where(np.abs(scratch.rows.wrench[:, 0, 3:]).max(axis=1) > 0.0, 1.0, 1.0 / model.size)
    wrenches = G.T @ other.rows.multiplier
    expected = np.linalg.lstsq(G.T / weight, wrenches, rcond=1e-10)[0] / weight
    assert_near(scratch.rows.multiplier, expected)
    assert scratch.redundant.sum() == len(G) - np.linalg.matrix_rank(G)
