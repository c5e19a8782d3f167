# SPDX-License-Identifier: GPL-3.0-or-later
"""A hinged chain over 120 frames in Blender: our bake, keyframes and all, against its own rigid bodies."""

from statistics import median

from .blender import ask_blender
from .machine import Machine
from .table import Row, Section

LINK = 0.5  # m
CASES = ((10, 1.0), (50, 1.0), (10, 100.0))  # links of 1 kg, mass of the last one (kg)
PROMISED = 50
LARGEST_GAP = 1e-6  # m


def measure(_machine: Machine) -> Section:
    """For each chain one row for each way to simulate it."""
    section, version = Section("Blender: a hinged chain of 0.5 m links, 120 frames"), ""
    for links, tip in CASES:
        answer = ask_blender("chain", links, tip)
        section.rows += _rows(links, tip, answer)
        version = answer["version"]
    section.remarks = [
        f"Blender {version}; least / median of alternating runs, each from a fresh file",
        "ours: the bake operator at accuracy Normal (relative 1e-6), from reading the scene to keyframes on all links",
        "built-in: stepping through the frames, no keyframes written; default is 10 substeps x 10 iterations",
        "gap: largest distance of two links' hinge points over all frames and hinges, and its part of a link;",
        "solved: from the solver's doubles; shown: from evaluated world matrices, which are single precision",
    ]
    return section


def _rows(links: int, tip: float, answer: dict) -> list[Row]:
    times, gaps = answer["times"], answer["gaps"]
    name = f"{links} links" if tip == 1.0 else f"{links} links, the last of {tip:g} kg"
    others = {"default": "built-in at default", "fine": "built-in at 50 x 50"}
    promised = links == PROMISED
    rows = [
        Row(
            f"{name}: time, {label}",
            f"{_seconds(times['ours'])} s",
            f"{_seconds(times[key])} s",
            f"{median(times[key]) / median(times['ours']):.2f}",
            "no slower" if promised and key == "default" else "",
            median(times["ours"]) <= median(times[key]) if promised and key == "default" else None,
        )
        for key, label in others.items()
    ]
    rows.append(
        Row(
            f"{name}: gap, solved",
            _gap(gaps["solved"]),
            target=f"< {LARGEST_GAP:g} m",
            met=gaps["solved"] < LARGEST_GAP,
        )
    )
    rows += [
        Row(f"{name}: gap, shown, {label}", _gap(gaps["ours"]), _gap(gaps[key]), f"{gaps[key] / gaps['ours']:.0f}")
        for key, label in others.items()
    ]
    return rows


def _seconds(times: list[float]) -> str:
    return f"{min(times):.3f} / {median(times):.3f}"


def _gap(gap: float) -> str:
    return f"{gap:.1e} m, {100 * gap / LINK:.2g} %"
