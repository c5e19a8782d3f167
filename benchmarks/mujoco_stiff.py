# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of sprung hinges in MuJoCo, stepped by its implicitfast."""

import mujoco
import numpy as np

from solver import Mechanism

from .mujoco_model import mujoco_model

_UNSTABLE = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)


def step_through(mechanism: Mechanism, stiffness: float, damping: float, duration: float, steps: int) -> np.ndarray:
    """Angles at the hinges (rad) after so many equal steps; nan where they are too long.

    All hinges but the first have spring and damper.
    """
    model = mujoco_model(mechanism)
    model.jnt_stiffness[1:], model.dof_damping[1:] = stiffness, damping
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, duration / steps
    data = mujoco.MjData(model)
    mujoco.set_mju_user_warning(lambda _text: None)  # or it goes to a file
    mujoco.mj_step(model, data, nstep=steps)
    fails = any(data.warning[kind].number for kind in _UNSTABLE)
    return np.full(model.nq, np.nan) if fails else data.qpos.copy()
