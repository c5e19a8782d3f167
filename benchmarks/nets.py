# SPDX-License-Identifier: GPL-3.0-or-later
"""Hanging nets of balls that may touch each other: what a second of their motion takes, and how it grows."""

import numpy as np

from .loops import curtain, timed_motion, with_balls
from .machine import Machine
from .table import Row, Section

NETS = (5, 5.0), (10, 1.0), (14, 0.5), (20, 0.25)  # sides, and s of motion
RADIUS = 0.03  # m
FRAME_RATE = 60.0
TARGET = 1.0  # s for a second of motion


def measure(machine: Machine) -> Section:
    """A row for each net, and the growth of evaluations and of motions with the loops."""
    section = Section("Nets: processor time of a second of motion, upright nets of balls that may touch")
    loops, evaluation, motion = [], [], []
    for side, duration in NETS:
        mechanism = with_balls(curtain(side, side), RADIUS)
        taken, recording = timed_motion(mechanism, duration, FRAME_RATE)
        loops.append(len(mechanism.joints) - len(mechanism.bodies))
        evaluation.append(taken / recording.evaluations)
        motion.append(taken / duration)
        evaluations = f"{recording.evaluations / duration:.0f} evaluations of {1e6 * evaluation[-1]:.0f} us"
        energy = recording.kinetic_energy + recording.potential_energy
        section.rows.append(
            Row(
                f"net of {side} x {side}, {loops[-1]} loops, {duration:g} s",
                f"{motion[-1]:.2f} s, {evaluations}",
                f"energy off by {np.abs(energy - energy[0]).max() / recording.kinetic_energy.max():.0e}, "
                f"open by {recording.constraint_error.max():.0e} m",
                target=f"<= {TARGET:g} s" if side == NETS[-1][0] else "",
                met=bool(motion[-1] <= TARGET) if side == NETS[-1][0] else None,
            )
        )
    for name, times in (("an evaluation, contact included", evaluation), ("a second of motion", motion)):
        slope = np.polyfit(np.log(loops), np.log(times), 1)[0]
        section.rows.append(Row(f"growth of {name}", f"n^{slope:.2f}"))
    section.remarks = [
        f"{FRAME_RATE:g} frames a second, from the mechanism to the recording; once, and warm",
        "energy: as a part of the most kinetic energy, at the frames",
    ]
    return section
