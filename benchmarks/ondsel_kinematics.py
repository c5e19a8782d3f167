# SPDX-License-Identifier: GPL-3.0-or-later
"""A planar linkage in OndselSolver (FreeCAD's), through pyondsel: a turn as one simulation in a process of its own.

A pose cannot be asked for by itself there, so there are no jumps, and no way back.
"""

from __future__ import annotations

import time

import numpy as np

from solver import Mechanism

NAME = "pyondsel"


class Turned:
    """Angles (T,) of the crank and poses of all bodies: places (T, B, 2) and angles (T, B); seconds in all."""

    def __init__(self, angles: np.ndarray, places: np.ndarray, turns: np.ndarray, seconds: float) -> None:
        self.angles, self.places, self.turns, self.seconds = angles, places, turns, seconds


def turn(mechanism: Mechanism, drive: str, way: float, count: int) -> Turned:
    """Lead a hinge a way (rad) in `count` steps. Raises what pyondsel does where it fails."""
    from pyondsel.model.asmt_model import AsmtModel
    from pyondsel.model.joint import Joint
    from pyondsel.model.marker import Marker
    from pyondsel.model.motion import Motion
    from pyondsel.model.part import Part
    from pyondsel.model.simulation import Simulation

    model = AsmtModel(name="Linkage")
    names = {body.name: f"part{i}" for i, body in enumerate(mechanism.bodies)}
    parts = {}
    for body in mechanism.bodies:
        part = Part(names[body.name], position=body.position, mass_center=body.center_of_mass)
        parts[body.name] = model.add_part(part)
    for number, joint in enumerate(mechanism.joints):
        ends = []
        for end in (joint.parent, joint.child):
            name = f"m{number}{'ab'[len(ends)]}"
            if end is None:
                model.add_ground_marker(Marker(name, position=joint.position))
                ends.append(model.ground_path(name))
            else:
                body = next(body for body in mechanism.bodies if body.name == end)
                local = tuple(float(x - y) for x, y in zip(joint.position, body.position, strict=True))
                parts[end].add_marker(Marker(name, position=local))
                ends.append(model.part_path(names[end], name))
        model.add_joint(Joint(f"j{number}", "revolute", *ends))
        if joint.name == drive:
            model.add_motion(Motion("lead", f"j{number}", f"{way!r}*time"))
    model.simulation = Simulation(t_start=0.0, t_end=1.0, frames=count)
    began = time.perf_counter()
    trajectory = model.solve()
    seconds = time.perf_counter() - began
    found = [trajectory.parts[f"/Linkage/{names[body.name]}"] for body in mechanism.bodies]
    places = np.array([part.positions for part in found])[:, :, :2].swapaxes(0, 1)
    turns = np.array([part.bryant_angles for part in found])[:, :, 2].swapaxes(0, 1)
    return Turned(np.array(trajectory.times) * way, places, turns, seconds)
