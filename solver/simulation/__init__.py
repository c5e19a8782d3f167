# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation: a mechanism through time, from its initial conditions to a recording.

`simulation` is the table of contents and `live` its twin with no end known; `timeline` knows the linkages and the
actions that change them, `linkage_run` integrates one linkage, `catching` draws parts together and lets ropes hang
slack, and `recording_assembly` puts the frames of all together. By auto, `options` chooses between impulse and Adams
at the start, and `integrator_choice` between Adams and implicit steps on the way.
"""
