# SPDX-License-Identifier: GPL-3.0-or-later
"""The method that auto takes: the cheapest of three, of which only those are made that can be."""

from __future__ import annotations

import pytest

from benchmarks.loops import curtain, four_bars, necklace, net, scissor_lift, thesis_bars
from solver.model.arrays import LAGRANGE, PROPAGATION, RECURSIVE
from solver.model.linkage.compilation import _Compiler
from solver.model.linkage.method_choice import (
    lagrange_cost,
    least_lagrange_cost,
    least_propagation_cost,
    propagation_cost,
    recursive_cost,
)
from solver.model.topology import find_linkages

COSTS = {RECURSIVE: recursive_cost, LAGRANGE: lagrange_cost, PROPAGATION: propagation_cost}
CASES = {
    "four-bar": (four_bars(1), RECURSIVE, {RECURSIVE}),
    "40 four-bars": (four_bars(40), LAGRANGE, {RECURSIVE, LAGRANGE, PROPAGATION}),
    "scissor lift": (scissor_lift(3), RECURSIVE, {RECURSIVE}),
    "net": (net(6, 6), None, None),
    "curtain": (curtain(6, 6), None, None),
    "necklace": (necklace(60), None, None),
    "bars of the thesis": (thesis_bars(), None, None),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_the_cheapest_and_no_other_is_made_that_cannot_be(name):
    mechanism, wanted, made = CASES[name]
    for linkage in find_linkages(mechanism):
        compiler = _Compiler(mechanism, linkage, None)
        found = compiler.quickest()
        assert made is None or set(compiler._made) == made
        assert wanted is None or found == wanted
        models = {method: _Compiler(mechanism, linkage, None)._models(method)[0] for method in COSTS}
        costs = {method: cost(models[method]) for method, cost in COSTS.items()}
        assert found == min(costs, key=costs.get)
        assert least_lagrange_cost(models[RECURSIVE]) <= costs[LAGRANGE]
        assert least_propagation_cost(models[RECURSIVE]) <= costs[PROPAGATION]
