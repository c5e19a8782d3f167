# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of bodies: the named ones with their densities, friction and bounciness.

The densities are the usual handbook values for the solid at room temperature. Friction is that of dry, clean surfaces
sliding on their like, restitution that of solid pieces that fall on a hard floor at a few metres per second;
docs/materials.md has the sources. `CUSTOM` is the material of a body whose density was typed in. The numbers of the
items are stored in .blend files and never change.
"""

from typing import NamedTuple


class Material(NamedTuple):
    """One entry of the list that a person chooses from; the density is in kg/m³."""

    identifier: str
    label: str
    density: float
    friction: float
    restitution: float
    number: int


CUSTOM = "CUSTOM"
DEFAULT = "PLASTIC"

MATERIALS = (
    Material("STEEL", "Steel", 7850.0, 0.42, 0.6, 1),
    Material("ALUMINIUM", "Aluminium", 2700.0, 0.4, 0.45, 2),
    Material("BRASS", "Brass", 8500.0, 0.4, 0.35, 3),
    Material("COPPER", "Copper", 8960.0, 0.45, 0.25, 4),
    Material("LEAD", "Lead", 11340.0, 0.5, 0.15, 5),
    Material("TITANIUM", "Titanium", 4500.0, 0.4, 0.5, 6),
    Material("GOLD", "Gold", 19300.0, 0.45, 0.2, 7),
    Material("OAK", "Wood (Oak)", 720.0, 0.45, 0.5, 8),
    Material("PINE", "Wood (Pine)", 500.0, 0.4, 0.45, 9),
    Material("BALSA", "Wood (Balsa)", 150.0, 0.4, 0.4, 10),
    Material("CORK", "Cork", 200.0, 0.5, 0.55, 11),
    Material("CARDBOARD", "Cardboard", 690.0, 0.45, 0.2, 12),
    Material("PLASTIC", "Plastic (ABS)", 1050.0, 0.35, 0.5, 13),
    Material("NYLON", "Nylon", 1140.0, 0.2, 0.6, 14),
    Material("RUBBER", "Rubber", 1100.0, 0.9, 0.75, 15),
    Material("LEATHER", "Leather", 900.0, 0.5, 0.2, 16),
    Material("FOAM", "Foam (Polystyrene)", 30.0, 0.5, 0.4, 17),
    Material("GLASS", "Glass", 2500.0, 0.4, 0.65, 18),
    Material("CERAMIC", "Ceramic", 2400.0, 0.4, 0.55, 19),
    Material("CONCRETE", "Concrete", 2400.0, 0.65, 0.3, 20),
    Material("BRICK", "Brick", 1900.0, 0.65, 0.3, 21),
    Material("STONE", "Stone (Granite)", 2700.0, 0.6, 0.4, 22),
    Material("ICE", "Ice", 917.0, 0.03, 0.3, 23),
    Material("WATER", "Water", 1000.0, 0.1, 0.0, 24),
    Material("FLESH", "Flesh", 1010.0, 0.6, 0.1, 25),
    Material("TIN_CAN", "Tin Can (Full)", 1100.0, 0.4, 0.2, 26),
    Material("EMPTY_CAN", "Tin Can (Empty)", 130.0, 0.4, 0.35, 27),
    Material("BOWLING_BALL", "Bowling Ball", 1250.0, 0.15, 0.65, 28),
    Material("BOWLING_PIN", "Bowling Pin (Maple)", 700.0, 0.3, 0.65, 29),
    Material("BILLIARD_BALL", "Billiard Ball", 1700.0, 0.06, 0.93, 30),
    Material("SUPER_BALL", "Super Ball", 1100.0, 0.9, 0.88, 31),
    Material("TENNIS_BALL", "Tennis Ball", 370.0, 0.6, 0.74, 32),
    Material("TEFLON", "Teflon", 2200.0, 0.04, 0.4, 33),
    Material("PAPER", "Paper, Cards", 800.0, 0.35, 0.1, 34),
    Material("SNOW", "Snow (Packed)", 500.0, 0.1, 0.05, 35),
    Material("ASPHALT", "Asphalt", 2300.0, 0.75, 0.3, 36),
    Material("GRASS", "Lawn", 1200.0, 0.4, 0.2, 37),
    Material("CLAY", "Clay (Wet)", 1800.0, 0.6, 0.05, 38),
)

BY_IDENTIFIER = {material.identifier: material for material in MATERIALS}
DENSITY = {material.identifier: material.density for material in MATERIALS}


def enum_items() -> list[tuple[str, str, str, str, int]]:
    """Items for an EnumProperty, the typed-in density last."""
    items = [(m.identifier, m.label, _in_words(m), "NONE", m.number) for m in MATERIALS]
    items.append((CUSTOM, "Custom", "A density of your own", "NONE", 0))
    return items


def _in_words(material: Material) -> str:
    return f"{material.density:g} kg/m³, friction {material.friction:g}, bounciness {material.restitution:g}"
