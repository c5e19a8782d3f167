# SPDX-License-Identifier: GPL-3.0-or-later
"""What bodies are made of: the named materials and their densities in kg/m³.

The densities are the usual handbook values for the solid at room temperature. `CUSTOM` is the material of a body whose
density was typed in. The numbers of the items are stored in .blend files and never change.
"""

from typing import NamedTuple


class Material(NamedTuple):
    """One entry of the list that a person chooses from; the density is in kg/m³."""

    identifier: str
    label: str
    density: float
    number: int


CUSTOM = "CUSTOM"
DEFAULT = "PLASTIC"

MATERIALS = (
    Material("STEEL", "Steel", 7850.0, 1),
    Material("ALUMINIUM", "Aluminium", 2700.0, 2),
    Material("BRASS", "Brass", 8500.0, 3),
    Material("COPPER", "Copper", 8960.0, 4),
    Material("LEAD", "Lead", 11340.0, 5),
    Material("TITANIUM", "Titanium", 4500.0, 6),
    Material("GOLD", "Gold", 19300.0, 7),
    Material("OAK", "Wood (Oak)", 720.0, 8),
    Material("PINE", "Wood (Pine)", 500.0, 9),
    Material("BALSA", "Wood (Balsa)", 150.0, 10),
    Material("CORK", "Cork", 200.0, 11),
    Material("CARDBOARD", "Cardboard", 690.0, 12),
    Material("PLASTIC", "Plastic (ABS)", 1050.0, 13),
    Material("NYLON", "Nylon", 1140.0, 14),
    Material("RUBBER", "Rubber", 1100.0, 15),
    Material("LEATHER", "Leather", 900.0, 16),
    Material("FOAM", "Foam (Polystyrene)", 30.0, 17),
    Material("GLASS", "Glass", 2500.0, 18),
    Material("CERAMIC", "Ceramic", 2400.0, 19),
    Material("CONCRETE", "Concrete", 2400.0, 20),
    Material("BRICK", "Brick", 1900.0, 21),
    Material("STONE", "Stone (Granite)", 2700.0, 22),
    Material("ICE", "Ice", 917.0, 23),
    Material("WATER", "Water", 1000.0, 24),
    Material("FLESH", "Flesh", 1010.0, 25),
)

DENSITY = {material.identifier: material.density for material in MATERIALS}


def enum_items() -> list[tuple[str, str, str, str, int]]:
    """Items for an EnumProperty, the typed-in density last."""
    items = [(m.identifier, m.label, f"{m.density:g} kg/m³", "NONE", m.number) for m in MATERIALS]
    items.append((CUSTOM, "Custom", "A density of your own", "NONE", 0))
    return items
