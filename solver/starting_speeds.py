# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds at the start, from what joints and bodies ask for, and words on what could not be had."""

import numpy as np

from .dynamics.projection import project_speeds
from .mechanism import Mechanism
from .mechanism.compilation import ZERO, Compiled
from .mechanism.model import new_scratch

_NAMED = 5  # bodies that a note lists
_MISFIT = 1e-9  # of the linkage's largest speed


def set_starting_speeds(mechanism: Mechanism, compiled: Compiled) -> list[str]:
    """Fills compiled.state.speeds; returns a note if bodies' velocities had to change.

    A joint's own `speeds` rule. A body without velocities asks for rest, unless the joint to its inner body gives
    speeds: then it simply goes with it. The free speeds are the projection of `dynamics.projection`.
    """
    model, state, linkage = compiled.model, compiled.state, compiled.linkage
    bodies = [mechanism.bodies[i] for i in linkage.bodies]
    joints = [None if j is None else mechanism.joints[j] for j in linkage.joint]
    given = np.array([body.linear_velocity is not None or body.angular_velocity is not None for body in bodies])
    ruled = np.array([joint is not None and joint.speeds is not None for joint in joints])
    scratch = new_scratch(model)
    state.speeds[:] = 0.0
    for k in np.flatnonzero(ruled):
        i = model.driven + k
        state.speeds[model.bodies[i].axis_start : model.bodies[i].axis_end] = joints[k].speeds
    asked, arms = np.zeros((len(model.bodies), 6)), np.zeros((len(model.bodies), 3))
    asked[model.driven :, :3] = [body.angular_velocity or ZERO for body in bodies]
    asked[model.driven :, 3:] = [body.linear_velocity or ZERO for body in bodies]
    arms[model.driven :] = np.einsum("bij,bj->bi", compiled.own_rotation, compiled.center_of_mass)
    project_speeds(model, _relax(model, ruled, given), 0.0, state, scratch, asked, arms)
    return _note_on_misfit(bodies, given, asked[model.driven :], scratch, model)


def _relax(model, ruled: np.ndarray, given: np.ndarray):
    """The model in which ruled joints have no axes left and bodies that ask for nothing weigh nothing."""
    bodies = model.bodies.copy()
    rows = model.driven + np.flatnonzero(ruled)
    bodies.axis_end[rows] = bodies.axis_start[rows]
    silent = model.driven + np.flatnonzero(ruled & ~given)
    bodies.mass[silent], bodies.inertia[silent] = 0.0, 0.0
    return model._replace(bodies=bodies, armature=np.zeros_like(model.armature))


def _note_on_misfit(bodies: list, given: np.ndarray, asked: np.ndarray, scratch, model) -> list[str]:
    got = np.hstack([scratch.bodies.angular, scratch.bodies.linear])[model.driven :]
    scale = max(np.abs(asked).max(initial=0.0), np.abs(got).max(initial=0.0))
    changed = given & (np.abs(got - asked).max(axis=1, initial=0.0) > _MISFIT * max(scale, 1e-12))
    names = [f"'{bodies[k].name}'" for k in np.flatnonzero(changed)]
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return [f"velocities changed at the start, to fit the joints: {', '.join(names[:_NAMED])}{more}"]
