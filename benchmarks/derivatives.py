# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of accelerations: one product by a vector, and all three matrices, beside one evaluation.

Random chains and trees of hinges in random states. Pinocchio's `computeABADerivatives` gives the same three matrices;
before anything is timed they must agree. Its data grow with the cube of the joints, so 1000 of them are ours alone.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio

from solver.dynamics.derivatives.accelerations import acceleration_change, fill_matrices, prepare_changes
from solver.dynamics.derivatives.changes import new_changes
from solver.kernel import entry
from solver.mechanism import Mechanism

from .chains import Loaded, loaded, random_chain
from .machine import Contestant, Machine
from .pinocchio_model import pinocchio_coordinates, pinocchio_model
from .table import Row, Section

COUNTS = (10, 100, 1000)
MOST_OF_PINOCCHIO = 100
AGREEMENT = 1e-8  # of the largest entry of each matrix
LINEAR = 1.5  # times a tenth of the work of ten times as many joints


def random_tree(count: int) -> Mechanism:
    """The bodies of a random chain, two hanging on each."""
    chain = random_chain(count)
    names = [body.name for body in chain.bodies]
    joints = [replace(joint, parent=names[(i - 1) // 2] if i else None) for i, joint in enumerate(chain.joints)]
    return replace(chain, name="tree", joints=joints)


@entry
def multiply_repeatedly(model, state, scratch, changes, direction, out, count):
    """Products by a vector after an evaluation that has been prepared."""
    for _ in range(count):
        acceleration_change(model, state, scratch, changes, direction[0], direction[1], direction[2], out)


@entry
def differentiate_repeatedly(model, state, scratch, changes, by_coordinates, by_speeds, by_efforts, count):
    """All matrices of an evaluation, what is prepared for them included."""
    for _ in range(count):
        prepare_changes(model, scratch, changes)
        fill_matrices(model, state, scratch, changes, by_coordinates, by_speeds, by_efforts)


def measure(machine: Machine) -> Section:
    """One row for each chain and tree."""
    section, apart = Section("Derivatives: time beside one evaluation"), []
    for name, make in (("chain", random_chain), ("tree", random_tree)):
        products = []
        for count in COUNTS:
            row, product = _row(machine, f"{name} of {count} hinges", make(count), count, apart)
            products.append(product / count)
            section.rows.append(row)
        spread = max(products) / min(products)
        met = spread <= LINEAR
        section.rows.append(Row(f"{name}: slowest product a hinge over quickest", f"{spread:.2f}", "", "", "1.5", met))
    section.remarks = [
        "least / median of alternating rounds; ratio: medians over rounds, by one evaluation",
        f"matrices differ from Pinocchio's by at most {max(apart):.0e} of their largest entry",
    ]
    return section


def _row(machine: Machine, name: str, mechanism: Mechanism, count: int, apart: list[float]) -> tuple[Row, float]:
    linkage = loaded(mechanism)
    multiply, differentiate, matrices = _ours(linkage)
    contestants = [Contestant(linkage.run), Contestant(multiply), Contestant(differentiate)]
    if count <= MOST_OF_PINOCCHIO:
        theirs, data = _theirs(linkage)
        theirs(1)
        differentiate(1)
        for ours, others in zip(matrices, (data.ddq_dq, data.ddq_dv, data.Minv), strict=True):
            full = np.triu(others) + np.triu(others, 1).T if others is data.Minv else others
            apart.append(np.abs(ours.T - full).max() / np.abs(full).max())
        if max(apart) > AGREEMENT:
            raise RuntimeError(f"{name}: the matrices are {max(apart):.1e} apart")
        contestants.append(Contestant(theirs))
    evaluation, product, whole, *others = machine.race(*contestants)
    row = Row(
        name,
        f"product {product.microseconds} us, matrices {whole.microseconds} us",
        f"Pinocchio's matrices {others[0].microseconds}" if others else "",
        f"product {product.over(evaluation):.2f}, matrices {whole.over(evaluation):.0f}"
        + (f", Pinocchio's over ours {others[0].over(whole):.2f}" if others else ""),
    )
    return row, product.least


def _ours(linkage: Loaded) -> tuple[Callable, Callable, np.ndarray]:
    """(a product, all matrices, the matrices, transposed)"""
    model, state, scratch = linkage.compiled.model, linkage.compiled.state, linkage.scratch
    changes, axes = new_changes(model, scratch), len(state.speeds)
    direction, matrices, out = (
        np.random.default_rng(3).normal(size=(3, axes)),
        np.zeros((3, axes, axes)),
        np.zeros(axes),
    )
    linkage.run(1)
    differentiate_repeatedly(model, state, scratch, changes, *matrices, 1)
    return (
        lambda count: multiply_repeatedly(model, state, scratch, changes, direction, out, count),
        lambda count: differentiate_repeatedly(model, state, scratch, changes, *matrices, count),
        matrices,
    )


def _theirs(linkage: Loaded) -> tuple[Callable, pinocchio.Data]:
    model = pinocchio_model(linkage.mechanism, linkage.compiled)
    q, u, data = pinocchio_coordinates(model, linkage.compiled), linkage.compiled.state.speeds, model.createData()
    tau = np.zeros(model.nv)

    def run(count: int) -> None:
        for _ in range(count):
            pinocchio.computeABADerivatives(model, data, q, u, tau)

    return run, data
