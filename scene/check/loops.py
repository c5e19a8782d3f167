# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops and limits that run, but not as meant: drawn without slack, or led by something keyed to where they cannot
follow.

A bake would be long about them and end in a gap. What is keyed is looked at in a few frames only.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...solver.assembly.reach import Loops
from ...solver.mechanism.doubts import targets_out_of_reach
from ..findings import Finding, of_solver
from ..read.moved import take_along
from ..read.reading import Reading
from ..read.sampling import Probe, frame_kept, run_probes

LOOKS = 13


def warnings_of_what_is_keyed(reading: Reading) -> list[Finding]:
    """Warnings of loops, and of limits of what follows, in a reading that was made with LOOKS where nothing is open."""
    scene, loops = reading.scene, Loops(reading.mechanism)
    leading = list(_leading_probes(reading))
    follows = any(body.follow is not None for body in reading.mechanism.bodies)
    if leading and scene.frame_current_final == reading.first and (follows or loops.are_led()):
        take_along(scene)
        with frame_kept(scene):
            for _ in run_probes(scene, reading.depsgraph.view_layer, leading):
                pass
    notes = [*loops.notes(reading.duration), *targets_out_of_reach(reading.mechanism)]
    return [of_solver(note, scene, reading.first) for note in notes]


def _leading_probes(reading: Reading) -> Iterator[Probe]:
    """Those of what is keyed; others look at what carries dynamic bodies, at each frame."""
    for probe in reading.probes:
        if np.array_equal(probe.frames, reading.sampled_frames):
            yield probe
