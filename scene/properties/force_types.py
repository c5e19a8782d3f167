# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of forces: all that tells one from another in Blender, but how it is read.

A new force has a row here, its settings in `properties.force` and a reader in `scene.read.forces`; in the solver its
record in `mechanism.forces`, its law in a file of `dynamics.forces`, and its lines in `dynamics.forces.laws`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ...solver import mechanism as solver
from ...solver.mechanism.record import fields_of
from ..geometry.rounding import round_number

GRAVITY = 9.81
SPRING_FREQUENCY = 1.0  # Hz, of a body on a new spring
SPRING_DAMPING_RATIO = 0.1
DAMPING_RATE = 0.5  # 1/s, at which a new damping slows its body down
BRAKE_RATE = 1.0  # 1/s, at which a new brake slows its body down
SUPPORTS = 4  # on how many supports a body is thought to stand, so that each bears that part of its weight
SUPPORT_SINKING = 0.03  # of the body's size, under its part of the weight
SUPPORT_DAMPING_RATIO = 0.4
CREEP = 0.05  # of the speed sqrt(g size): how fast a tyre of its own slope creeps when it begins to slide
BALANCE_TORQUE = 1.5  # times the weight of a figure's body at the end of a lever as long as that body
STEP_TIME, STEP_HEIGHT, PERSON = 0.25, 0.06, 0.6  # s, m: of steps of a figure whose body is as large (m)
ARMS, ARM_TIME = 0.1, 0.1  # stiffness by weight times wheelbase (1/rad), and damping by that (s): of a new rider
LOAD_TIME = 0.3  # s: within which a figure feels a load
TYRE_LOAD = 15.0  # times its own mass: what a new tyre is thought to carry,
TYRE_SINKING = 0.05  # and of its diameter: how far that presses it in
TYRE_DAMPING_RATIO = 0.1  # of the wheel alone on its tyre
AIR_DENSITY = 1.225  # kg/m3


class Suited(NamedTuple):
    """The body that a new force has to suit."""

    mass: float  # kg
    size: float  # m
    silhouette: float  # m2

    @property
    def weight(self) -> float:
        """N."""
        return self.mass * GRAVITY


class ForceType(NamedTuple):
    """A type of force, as Empties have it."""

    number: int  # by which .blend files know it
    label: str
    description: str
    icon: str
    display: str  # the shape of its Empty
    values: dict[str, str]  # keys of the mechanism's part, and the settings that hold them
    share: float = 1.0  # of the usual size of an Empty
    shown: Callable[[Any], tuple[Any, ...]] = lambda settings: ()  # in the panel: settings, or pairs of one and a label
    set_up: Callable[[Any, Suited], None] = lambda settings, body: None  # numbers that do something visible
    choose: Callable[[Any, Any], None] = lambda settings, part: None  # what a part says by leaving a key out
    lacking: tuple[str, tuple[str, ...]] = ("", ())  # without it it is idle: in words; settings that are not all zero
    can_be_steered: bool = False  # an action may turn its frame
    lists: dict[str, str] = {}  # settings that hold a list where those of `values` hold a single number


def _suit_damping(settings: Any, body: Suited) -> None:
    settings.linear = round_number(body.mass * DAMPING_RATE)
    settings.angular = round_number(0.1 * body.mass * body.size * body.size * DAMPING_RATE)


def _suit_drag(settings: Any, body: Suited) -> None:
    settings.drag_area = round_number(body.silhouette)
    settings.drag_coefficient = round_number(0.5 * AIR_DENSITY * body.silhouette)


def _show_drag(settings: Any) -> tuple:
    return "drag_measure", "drag_area" if settings.drag_measure == "AREA" else "drag_coefficient", "wind"


def _choose_drag(settings: Any, part: solver.Drag) -> None:
    settings.drag_measure = "COEFFICIENT" if part.area is None else "AREA"


def _suit_motor(settings: Any, body: Suited) -> None:
    settings.force = (0.0, 0.0, round_number(body.weight))


def _suit_brake(settings: Any, body: Suited) -> None:
    settings.brake_damping = (round_number(body.mass * BRAKE_RATE),) * 3
    settings.max_force = round_number(0.5 * body.weight)


def _show_brake(settings: Any) -> tuple:
    return "brake_damping", "use_max_force", *(("max_force",) if settings.use_max_force else ())


def _choose_brake(settings: Any, part: solver.Brake) -> None:
    settings.use_max_force = part.max_force is not None


def _suit_support(settings: Any, body: Suited) -> None:
    """Each support bears its part of the body."""
    mass, size = body.mass / SUPPORTS, body.size
    weight = mass * GRAVITY
    stiffness = weight / (SUPPORT_SINKING * size) if size > 0.0 else weight
    settings.support_stiffness = round_number(stiffness)
    settings.support_damping = round_number(2.0 * SUPPORT_DAMPING_RATIO * math.sqrt(stiffness * mass))
    speed = CREEP * math.sqrt(GRAVITY * size) if size > 0.0 else 1.0
    settings.slope = round_number(settings.support_friction * weight / speed)


def _show_support(settings: Any) -> tuple:
    sticks = settings.support_static_friction > 0.0
    slope = ("slope",) if settings.use_slope else ()
    more = ("support_stribeck_speed",) if sticks else ("use_slope", *slope)
    ground = ("terrain", "terrain_spacing") if settings.terrain is not None else ("terrain",)
    shown = "support_stiffness", "support_damping", "support_height", "support_friction", "support_static_friction"
    return *ground, *shown, *more


def _choose_support(settings: Any, part: solver.Support) -> None:
    settings.use_slope = part.slope is not None
    if part.friction is None:
        settings.support_friction = 0.0


def _suit_tyre(settings: Any, body: Suited) -> None:
    """For a wheel of a car: what it carries is thought to weigh TYRE_LOAD times as much as itself."""
    mass = body.mass * TYRE_LOAD
    load = mass * GRAVITY
    stiffness = load / (TYRE_SINKING * body.size) if body.size > 0.0 else load
    settings.tyre_stiffness = round_number(stiffness)
    settings.tyre_damping = round_number(2.0 * TYRE_DAMPING_RATIO * math.sqrt(stiffness * body.mass))
    settings.slip_stiffness, settings.cornering_stiffness = round_number(20.0 * load), round_number(15.0 * load)


def _show_tyre(settings: Any) -> tuple:
    ground = ("terrain", "terrain_spacing") if settings.terrain is not None else ("terrain",)
    grip = "tyre_friction", "slip_stiffness", "cornering_stiffness", "rolling_resistance", "slip_speed"
    return *ground, "support_height", "tyre_radius", "tyre_width", "tyre_stiffness", "tyre_damping", *grip


def _suit_spring(settings: Any, body: Suited) -> None:
    pulse = 2.0 * math.pi * SPRING_FREQUENCY
    settings.spring_stiffness = round_number(body.mass * pulse * pulse)
    settings.spring_damping = round_number(2.0 * SPRING_DAMPING_RATIO * body.mass * pulse)


def _suit_balance(settings: Any, body: Suited) -> None:
    settings.balance_max_torque = round_number(BALANCE_TORQUE * body.weight * body.size)
    settings.balance_step_time = round_number(STEP_TIME * math.sqrt(body.size / PERSON))
    settings.balance_step_height = round_number(STEP_HEIGHT * body.size / PERSON)


def _choose_balance(settings: Any, part: solver.Balance) -> None:
    settings.use_balance_max_torque = part.max_torque is not None
    settings.use_balance_weights = part.weights is not None or part.lifts is not None
    gains = (part.frequency, part.damping_ratio, part.orientation_frequency, part.orientation_damping_ratio)
    settings.use_balance_directions = any(isinstance(gain, tuple) for gain in gains)
    settings.use_balance_steps = may_step = part.step_time != 0.0
    if not may_step:
        settings.balance_step_time = STEP_TIME
    settings.use_balance_loads = feels = part.load_time != 0.0
    if not feels:
        settings.balance_load_time = LOAD_TIME


def _show_reach(settings: Any) -> tuple:
    force = ("reach_max_force",) if settings.use_reach_max_force else ()
    torque = ("reach_max_torque",) if settings.use_reach_max_torque else ()
    own = "reach_target", "reach_frequency", "reach_damping_ratio"
    return *own, "use_reach_max_force", *force, "use_reach_max_torque", *torque


def _choose_reach(settings: Any, part: solver.Reach) -> None:
    settings.use_reach_max_force = part.max_force is not None
    settings.use_reach_max_torque = part.max_torque is not None


def _choose_steering(settings: Any, part: solver.Steering) -> None:
    settings.use_arm_max_torque = part.max_torque is not None
    settings.way = part.seeks.name


def suit_arms(settings: Any, weight: float) -> None:
    """Arms for a bicycle and rider of that weight (N)."""
    stiffness = ARMS * weight * settings.wheelbase
    settings.arm_stiffness, settings.arm_damping = round_number(stiffness), round_number(ARM_TIME * stiffness)
    settings.arm_max_torque = round_number(0.5 * stiffness)


def _suit_expression(settings: Any, body: Suited) -> None:
    """Up and down by its weight, once in two seconds."""
    settings.expression_a = round_number(body.weight)
    settings.expression_z = "a*sin(pi*t)"


def _choose_expression(settings: Any, part: solver.Expression) -> None:
    settings.expression_x, settings.expression_y, settings.expression_z = part.force
    settings.expression_axes = part.axes.upper()


_SPRING_VALUES = {"stiffness": "spring_stiffness", "damping": "spring_damping", "rest_length": "rest_length"}

FORCES = {
    "GRAVITY": ForceType(
        0, "Gravity", "Replaces the scene's gravity for one body", "FORCE_FORCE", "PLAIN_AXES",
        {"acceleration": "acceleration"},
        shown=lambda settings: ("acceleration",),
    ),
    "DAMPING": ForceType(
        1, "Damping", "Slows a body down, as thick air or water would", "FORCE_DRAG", "PLAIN_AXES",
        {"linear": "linear", "angular": "angular"},
        shown=lambda settings: (("linear", "Linear"), ("angular", "Angular")), set_up=_suit_damping,
    ),
    "DRAG": ForceType(
        7, "Drag", "Resistance of the air, which grows with the square of the speed; wind carries along",
        "FORCE_WIND", "SPHERE",
        {"area": "drag_area", "coefficient": "drag_coefficient", "wind": "wind"},
        share=0.5,  # a ball that does not hide the body
        shown=_show_drag, set_up=_suit_drag, choose=_choose_drag,
    ),
    "MOTOR": ForceType(
        2, "Motor", "Pushes and twists a body at the Empty: a jet, a propeller, a hand", "FORCE_TURBULENCE",
        "SINGLE_ARROW",
        {"force": "force", "torque": "torque"},
        shown=lambda settings: ("force", "torque"), set_up=_suit_motor,
        lacking=("has neither force nor torque", ("force", "torque")), can_be_steered=True,
    ),
    "BRAKE": ForceType(
        5, "Brake", "Slows a body down at the Empty, along the Empty's axes: a brake, a keel", "PAUSE", "ARROWS",
        {"damping": "brake_damping", "max_force": "max_force"},
        shown=_show_brake, set_up=_suit_brake, choose=_choose_brake,
        lacking=("has no damping", ("brake_damping",)), can_be_steered=True,
    ),
    "SUPPORT": ForceType(
        4, "Support", "Keeps the Empty's point of a body above the ground: a wheel, a foot", "TRIA_UP_BAR", "CIRCLE",
        {
            "stiffness": "support_stiffness", "damping": "support_damping", "height": "support_height",
            "friction": "support_friction", "slope": "slope", "static_friction": "support_static_friction",
            "stribeck_speed": "support_stribeck_speed",
        },
        share=0.25,  # a ring of the size of a wheel
        shown=_show_support, set_up=_suit_support, choose=_choose_support,
        lacking=("has no stiffness", ("support_stiffness",)),
    ),
    "TYRE": ForceType(
        10, "Tyre", "Lets a wheel roll on the ground or a terrain, about the Empty's Y axis: springs, grips, slips",
        "MESH_TORUS", "CIRCLE",
        {
            "stiffness": "tyre_stiffness", "damping": "tyre_damping", "height": "support_height",
            "friction": "tyre_friction", "slip_stiffness": "slip_stiffness",
            "cornering_stiffness": "cornering_stiffness", "rolling_resistance": "rolling_resistance",
            "radius": "tyre_radius", "width": "tyre_width", "slip_speed": "slip_speed",
        },
        shown=_show_tyre, set_up=_suit_tyre, lacking=("has no stiffness", ("tyre_stiffness",)),
    ),
    "SPRING": ForceType(
        3, "Spring", "Pulls and pushes two bodies towards a rest length", "FORCE_HARMONIC", "SINGLE_ARROW",
        _SPRING_VALUES, set_up=_suit_spring,
    ),
    "BALANCE": ForceType(
        8, "Balance", "Keeps a figure on its feet: the joints of its legs hold a body where the Empty is",
        "OUTLINER_OB_ARMATURE", "ARROWS",
        {
            "frequency": "balance_frequency", "damping_ratio": "balance_damping_ratio",
            "orientation_frequency": "balance_turn_frequency",
            "orientation_damping_ratio": "balance_turn_damping_ratio", "max_torque": "balance_max_torque",
            "step_time": "balance_step_time", "step_height": "balance_step_height",
            "load_time": "balance_load_time", "weights": "balance_weights", "lifts": "balance_lifts",
        },
        set_up=_suit_balance, choose=_choose_balance,
        lists={
            "frequency": "balance_frequencies", "damping_ratio": "balance_damping_ratios",
            "orientation_frequency": "balance_turn_frequencies",
            "orientation_damping_ratio": "balance_turn_damping_ratios",
        },
    ),
    "REACH": ForceType(
        12, "Reach", "Leads a hand of a figure that keeps its balance to a target: the joints of its arm draw it there",
        "VIEW_PAN", "SPHERE",
        {
            "frequency": "reach_frequency", "damping_ratio": "reach_damping_ratio", "max_force": "reach_max_force",
            "max_torque": "reach_max_torque",
        },
        share=0.25,  # a ball in the hand
        shown=_show_reach, choose=_choose_reach,
    ),
    "STEERING": ForceType(
        11, "Steering", "A rider who steers a bicycle into its fall, so that it keeps its balance, and into bends",
        "DRIVER_ROTATIONAL_DIFFERENCE", "ARROWS",
        {
            "wheelbase": "wheelbase", "center_height": "center_height", "frequency": "lean_frequency",
            "damping_ratio": "lean_damping_ratio", "stiffness": "arm_stiffness", "damping": "arm_damping",
            "max_torque": "arm_max_torque", "max_lean": "max_lean", "heading": "heading",
            "heading_time": "heading_time",
        },
        choose=_choose_steering, lacking=("has no stiffness", ("arm_stiffness",)),
    ),
    "EXPRESSION": ForceType(
        9, "Expression", "Pushes a body by formulas of place, velocity and time: a field, a wave, a wind of your own",
        "FORCE_VORTEX", "ARROWS",
        {"a": "expression_a", "b": "expression_b", "c": "expression_c"},
        set_up=_suit_expression, choose=_choose_expression,
    ),
    "RUBBER": ForceType(
        6, "Rubber", "Pulls two bodies together once it is stretched; slack, it does nothing", "FORCE_CURVE",
        "SINGLE_ARROW", _SPRING_VALUES | {"restitution": "restitution"}, set_up=_suit_spring,
        lacking=("has no stiffness", ("spring_stiffness",)),
    ),
}  # fmt: skip
"""In the order of the buttons."""

FORCE_TYPES = [(name, row.label, row.description, row.icon, row.number) for name, row in FORCES.items()]
PARTS = {part.type.upper(): part for part in solver.FORCES}  # of the mechanism
TWO_ENDED = {name for name, part in PARTS.items() if "body_b" in fields_of(part)}
