# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations of random chains: our whole evaluation against Pinocchio's `aba` and MuJoCo's `mj_forward`.

Ours runs in a loop of machine code; theirs are called from Python, and what a call costs by itself (an `aba` of an
empty model, a query of MuJoCo) is taken off. Before anything is timed the three must agree.
"""

import mujoco
import numpy as np
import pinocchio

from .calls import answer_of_process, call_overheads
from .chains import MIXED, REVOLUTE, Loaded, loaded, random_chain
from .machine import Contestant, Machine
from .mujoco_model import mujoco_model
from .pinocchio_model import pinocchio_coordinates, pinocchio_model
from .table import Row, Section

COUNTS = (7, 20, 50, 100, 200)
BEYOND = 1000
AGREEMENT = 1e-6  # of the largest acceleration; Pinocchio itself keeps no more in long chains with ball joints
PER_JOINT = 0.12e-6  # s
TARGET = "<= 0.12 us/joint or a third of Pinocchio"


def measure(machine: Machine) -> Section:
    """One row for each chain."""
    section = Section("Articulated body: time of one evaluation")
    overheads = call_overheads(machine)
    apart = {"Pinocchio": 0.0, "MuJoCo": 0.0}
    for count in COUNTS:
        section.rows.append(_row(machine, f"{count} revolute joints", count, REVOLUTE, overheads, apart))
    section.rows.append(_beyond(machine))
    for count in COUNTS[1:4]:
        section.rows.append(
            _row(machine, f"{count} joints, {', '.join(MIXED)} in turn", count, MIXED, overheads, apart)
        )
    section.rows.append(_from_python(machine))
    section.remarks = [
        "least / median of alternating rounds; ratio: median over rounds of theirs / ours (above 1: ours is faster)",
        f"taken off for calls from Python: Pinocchio {1e6 * overheads[0]:.2f} us, MuJoCo {1e6 * overheads[1]:.2f} us",
        "accelerations, checked before the timing, differ by at most "
        + ", ".join(f"{part:.0e} ({name})" for name, part in apart.items())
        + " of the largest",
    ]
    return section


def _row(
    machine: Machine,
    name: str,
    count: int,
    types: tuple[str, ...],
    overheads: tuple[float, float],
    apart: dict[str, float],
) -> Row:
    chain = loaded(random_chain(count, types))
    speeds = chain.compiled.state.speeds
    model = pinocchio_model(chain.mechanism, chain.compiled)
    q = pinocchio_coordinates(model, chain.compiled)
    theirs = mujoco_model(chain.mechanism)
    data = _mujoco_data(theirs, model, q, speeds)
    _agree(chain, apart, "Pinocchio", pinocchio.aba(model, model.createData(), q, speeds, np.zeros(model.nv)))
    mujoco.mj_forward(theirs, data)
    _agree(chain, apart, "MuJoCo", data.qacc)
    ours, aba, forward = machine.race(
        Contestant(chain.run),
        Contestant(_aba(model, q, speeds), overheads[0]),
        Contestant(_forward(theirs, data), overheads[1]),
    )
    promised = types == REVOLUTE
    return Row(
        name,
        f"{ours.microseconds} us, {1e6 * ours.least / count:.3f} us/joint",
        f"Pinocchio {aba.microseconds}, MuJoCo {forward.microseconds}",
        f"{aba.over(ours):.2f}, {forward.over(ours):.2f}",
        TARGET if promised else "",
        ours.least / count <= PER_JOINT or aba.over(ours) >= 3.0 if promised else None,
    )


def _beyond(machine: Machine) -> Row:
    """The sizes at which the others give up."""
    chain = loaded(random_chain(BEYOND))
    (ours,) = machine.race(Contestant(chain.run))
    try:
        mujoco_model(chain.mechanism)
        refusal = "MuJoCo: not timed"
    except ValueError as error:
        refusal = f"MuJoCo: {' '.join(str(error).split())[:60]}"
    return Row(
        f"{BEYOND} revolute joints",
        f"{ours.microseconds} us, {1e6 * ours.least / BEYOND:.3f} us/joint",
        f"Pinocchio: {_pinocchio_refusal()}; {refusal}",
        "",
        "<= 0.12 us/joint",
        ours.least / BEYOND <= PER_JOINT,
    )


def _pinocchio_refusal() -> str:
    return answer_of_process(
        "from benchmarks.chains import loaded, random_chain\n"
        "from benchmarks.pinocchio_model import pinocchio_model\n"
        f"chain = loaded(random_chain({BEYOND}))\n"
        "model = pinocchio_model(chain.mechanism, chain.compiled)",
        "model.createData()",
    )


def _from_python(machine: Machine) -> Row:
    chain = loaded(random_chain(COUNTS[0]))
    inside, outside = machine.race(Contestant(chain.run), Contestant(chain.run_from_python))
    return Row(
        f"a call of ours from Python, {COUNTS[0]} joints",
        f"{outside.microseconds} us, of which the call {1e6 * (outside.least - inside.least):.1f} us",
    )


def _agree(chain: Loaded, apart: dict[str, float], name: str, theirs: np.ndarray) -> None:
    """Raises RuntimeError if the accelerations differ; notes by how much they do, as a part of the largest."""
    ours = chain.accelerations()
    difference = np.abs(ours - theirs).max() / np.abs(ours).max()
    if not difference <= AGREEMENT:
        raise RuntimeError(f"{name} and we disagree by {difference:.1e} of the largest acceleration: nothing to time")
    apart[name] = max(apart[name], difference)


def _aba(model, q, speeds):
    data, efforts = model.createData(), np.zeros(model.nv)

    def run(count: int) -> None:
        for _ in range(count):
            pinocchio.aba(model, data, q, speeds, efforts)

    return run


def _mujoco_data(theirs: mujoco.MjModel, model: pinocchio.Model, q: np.ndarray, speeds: np.ndarray) -> mujoco.MjData:
    """The same state; Pinocchio's quaternions end with the real part, MuJoCo's begin with it."""
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:] = q, speeds
    for joint in model.joints[1:]:
        if joint.nq == 4:
            data.qpos[joint.idx_q : joint.idx_q + 4] = np.roll(q[joint.idx_q : joint.idx_q + 4], 1)
    return data


def _forward(model: mujoco.MjModel, data: mujoco.MjData):
    def run(count: int) -> None:
        for _ in range(count):
            mujoco.mj_forward(model, data)

    return run
