# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines by the names that the operator has for them."""

from collections.abc import Callable

from .car import car
from .drawing_machine import drawing_machine
from .hand import hand
from .iris import iris
from .landing_gear import landing_gear
from .locomotive import locomotive
from .machine import Machine
from .umbrella import umbrella
from .walker import klann

MACHINES: dict[str, Callable[..., Machine]] = {
    "LOCOMOTIVE": locomotive,
    "LANDING_GEAR": landing_gear,
    "UMBRELLA": umbrella,
    "CAR": car,
    "DRAWING": drawing_machine,
    "KLANN": klann,
    "IRIS": iris,
    "HAND": hand,
}
