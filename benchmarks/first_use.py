# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person waits for at the first use of a feature in Blender, beside its second, with the library of kernels."""

import os
import shutil

from solver.library.loader import this_platform

from .blender import ROOT, ask_blender
from .machine import BYTE_CODE, Machine
from .table import Row, Section

FEATURES = {
    "bake": "bake of a chain of 20 hinges",
    "stiff": "the same with stiff hinges",
    "loop": "the same, nailed at its end",
    "contact": "bake of eight cans with contact",
    "check": "Check of the chain",
    "ragdoll": "bake of a ragdoll with contact",
    "play": "Play of a ragdoll with contact, 48 frames",
}
TURNS, MORE, FIRST_BAKE = 3, 0.5, 3.0  # s: beyond the second use; and of a first bake with contact
SWITCHED_ON = 0.4  # s


def measure(_machine: Machine) -> Section:
    """A row for each feature, least of some new processes."""
    os.environ.setdefault("VES_KERNELS", str(ROOT / ".cache" / "kernels" / this_platform()))
    section, enabled = Section("Blender: first use of a feature, by the clock"), []
    shutil.rmtree(BYTE_CODE, ignore_errors=True)
    for feature, what in FEATURES.items():
        answers = [ask_blender(feature, module="blender_first_use") for _ in range(TURNS)]
        first, second = (min(answer[name] for answer in answers) for name in ("first", "second"))
        enabled += [answer["enabled"] for answer in answers]
        is_bake = feature == "contact"
        section.rows.append(
            Row(
                what,
                f"{first:.2f} s, then {second:.2f} s",
                target=f"<= {FIRST_BAKE:g} s" if is_bake else f"<= {MORE:g} s more",
                met=first <= FIRST_BAKE if is_bake else first - second <= MORE,
            )
        )
    least = min(enabled)
    section.rows.append(Row("the extension is switched on, for the first time", f"{enabled[0]:.2f} s"))
    section.rows.append(
        Row(
            "... and at each later start",
            f"{least:.2f} s",
            target=f"<= {SWITCHED_ON:g} s",
            met=least <= SWITCHED_ON,
        )
    )
    section.remarks = [
        f"least of {TURNS} new processes each; with the library of kernels (make kernels)",
        "switched on for the first time, Python writes the byte code of all files",
    ]
    return section
