# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/materials.md: the materials that a body can be made of, with density, friction and bounciness.

Run with a Python that has bpy: `python tools/materials_table.py`. A test compares the page with what this makes.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "materials.md"
PACKAGE = "virtual_erector_set"

HEADER = """\
# Materials

Choosing a *Material* for a body sets three numbers, which can be changed afterwards: a greased wheel is still made of
steel.

- **Density** in kg/m³, from which the mass follows: handbook values at room temperature. *Tin Can*, *Bowling Ball* and
  the like are the whole thing, weighed and divided by its volume.
- **Friction**: the push that it takes to keep the thing sliding on its like, dry and clean, as a part of its weight.
- **Bounciness**: the part of its speed that a solid piece, a few centimetres large, keeps when it falls on a hard
  floor at a few metres per second. What is thin or hollow rings and dents, and bounces less; so does what falls faster.

Where two surfaces meet, the geometric mean of their numbers counts, for friction as for bounciness. Such numbers are
guides, not constants: two handbooks rarely agree to a tenth, and a little dust or oil halves a friction.

| Material | Density | Friction | Bounciness |
|---|---|---|---|
"""

SOURCES = """
## Sources

- Friction of metals, wood, glass, nylon, Teflon, leather and ice: tables of dry sliding friction, as in the *CRC
  Handbook of Chemistry and Physics*, *Marks' Standard Handbook for Mechanical Engineers* and The Engineering ToolBox
  (*Friction Coefficients*): steel on steel 0.42, aluminium on aluminium 0.4, glass on glass 0.4, wood on wood 0.3 to
  0.5, nylon 0.15 to 0.25, Teflon 0.04, ice 0.02 to 0.05, a car's tyre on asphalt 0.72. How little such numbers bind,
  and why: P. J. Blau, *The significance and use of the friction coefficient*, Tribology International 34 (2001).
- Bounciness of metals, glass, wood, cork and stone: W. Goldsmith, *Impact* (1960), and W. J. Stronge, *Impact
  Mechanics* (2000). At the very low speeds of the classical tables glass and steel reach 0.9 and more; the numbers
  here are for a fall of a metre or so.
- Balls: R. Cross, *The bounce of a ball*, American Journal of Physics 67 (1999); the rules of tennis (a rebound of 53
  to 58 inches from 100, which is 0.73 to 0.76); billiards: D. G. Alciatore, *The Illustrated Principles of Pool and
  Billiards* (ball on ball 0.93, friction 0.06); bowling: the United States Bowling Congress's limits for balls and
  pins.
- Where no table has a value (cardboard, foam, flesh, cards, cans) it is an estimate between those of its nearest
  relatives.

This page is made by `tools/materials_table.py`.
"""


def page() -> str:
    """The whole page."""
    materials = sys.modules[PACKAGE].scene.properties.materials.MATERIALS
    rows = [f"| {m.label} | {m.density:g} | {m.friction:g} | {m.restitution:g} |" for m in materials]
    return HEADER + "\n".join(rows) + "\n" + SOURCES


def main() -> None:
    """Load the clone as the extension and write the page."""
    import bpy  # noqa: F401 (the extension needs it)

    spec = importlib.util.spec_from_file_location(PACKAGE, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    extension = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    importlib.import_module(f"{PACKAGE}.scene.properties.materials")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
