# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings: sentences on the objects of a mechanism, in words that name the remedy; and the door at which they refuse.

No other module of the scene raises SceneError.
"""

import importlib.util
import re
from typing import NamedTuple, NoReturn

import bpy

from ..solver.mechanism import MechanismError, RunError
from ..solver.mechanism.messages import TEXTS, Message, in_seconds, worded

WORDS = {
    "open-at-start": "its sides are {gap} at {when}; use Snap Together",
    "open-later": "its sides are {gap} at {when}; enable it when they are together",
    "ride-by-variational": "Perpetual cannot follow where surfaces touch; choose Standard under Bake, Details",
    "contact-by-variational": "contact: Perpetual lets bodies with shapes pass through each other; "
    "choose Standard under Bake, Details; or switch Contact off",
    "sticks-by-force": "Static Friction holds it where it stands, and Soft contact lets it creep: choose Rigid "
    "contact, or set Static Friction to 0",
    "jumps-by-variational": "Perpetual cannot do {what}, which jumps; {remedy}, or choose Standard under Bake, Details",
    "by-quasi-static": "Quasi-Static cannot do {what}; {remedy}, or choose Standard under Bake, Details",
    "contact-by-quasi-static": "contact: Quasi-Static lets bodies with shapes pass through each other; "
    "choose Standard under Bake, Details; or switch Contact off",
    "by-adaptive": "Adaptive cannot do {what}; {remedy}, or choose Standard under Bake, Details",
    "contact-by-adaptive": "contact: Adaptive lets bodies with shapes pass through each other; "
    "choose Standard under Bake, Details; or switch Contact off",
    "one-sided-by-steps": "Quasi-Static cannot let go what holds on one side only; choose "
    "Standard under Bake, Details, or switch its One-Sided or Slack off, or set its Backlash to 0",
    "cam-inside": "its follower is {depth} m inside the profile, or on the side that does not push: move it out, or "
    "choose the other side under One-Sided",
    "balance-needs-impulse": "Perpetual cannot keep balance, which is decided step by step; choose Standard under "
    "Bake, Details",
    "redundant": "redundant; the motion is right, single forces in that loop are not unique",
    "velocities-changed": "velocities changed at {when}, to fit the joints",
    "motor-at-limit": "its motor turns it at {speed} against its limit of {limit} at {time}: turn on Limit Force, "
    "turn its speed round in time, or take the limit away",
    "motors-at-limit": "{about}: at {time} motors without Limit Force go on against the limit of {limits}, by way "
    "of {ties}: turn on Limit Force, turn their speeds round in time, or take the limit away",
    "motors-contradict": "{about}: motors without Limit Force keep speeds at {time} that cannot be at once, tied "
    "together by {ties}: turn on Limit Force for one of them, or give them speeds that fit",
    "motor-held": "its motor keeps a speed at {time} that cannot be with {ties}: turn on Limit Force, or give it a "
    "speed that fits",
    "at-maximum": "its motor gives its maximum of {maximum} from frame {frame} on, in {count} frames, and is off its "
    "target by up to {gap} meanwhile: give it more under Limit Force, or a target that it can follow",
    "off-line": "off line: {names}{more}: up to {angle} rad and {distance} m off where their loop can move: {effect}; "
    "line them up, or make two of them Ball ({allowed} rad, and that part of the loop's size, are taken as none)",
    "mass-ratio": "the masses of {names} are as {ratio} to 1, and they are tied together: beyond {most} to 1 forces "
    "are lost in rounding; make the first lighter or the second heavier",
    "expression-jumps": "{reason}: its force jumps back and forth; make it steep instead, as tanh(vx/0.01) for "
    "sign(vx)",
    "integrator-changed": "its linkage is stiff {when}: implicit steps, which cost no more for it, have taken it there",
    "wrong-value": "{where} {what}",
    "too-many-frames": "{frames} frames of {bodies} take {asked} of memory, and this machine has {available}: "
    "choose a shorter frame range, or fewer bodies",
    "too-many-steps": "it takes {steps} steps, and {most} is the most: choose a shorter frame range, a higher frame "
    "rate, or fewer Substeps under Contact",
    "inertia-impossible": "its inertia is impossible: the moment {largest} is above the sum of the others, {smallest} "
    "and {middle}. The nearest possible one has Moments {moments} and Products {products}: type these, or switch Own "
    "Inertia off",
    "inertia-not-positive": "its inertia is impossible: a principal moment is {smallest}. The nearest possible one has "
    "Moments {moments} and Products {products}: type these, or switch Own Inertia off",
    "not-unique": "name must be unique, but {count} {plural} have it",
    "torques-by-actions": "{count} changes on the way (keys that switch something on or off, cut or let go): torques "
    "are found for what stays as it is; mute these keys",
    "torques-cam": "it pushes and never pulls, and torques are found as if it held on both sides: switch One-Sided "
    "off, or disable it",
    "torques-slack": "it may hang slack, and torques are found as if it could push: switch Slack off, or disable it",
    "torques-backlash": "its teeth have play, and torques are found as if they had none: set Backlash to 0, or "
    "disable it",
    "torques-speed-motor": "its motor keeps a speed, and is none of the Drives: choose All, or set its Drive to None",
    "torques-contact": "Contact is left out: nothing touches, and the motors bear what contacts would",
    "torques-coupling": "its joint '{joint}' is between keyed bodies, and its other one is not: make the bodies of "
    "both Keyed, or disable it",
    "torques-floats": "hangs on nothing, and its motion takes up to {force} N and {moment} N m from outside, most at "
    "{time}: Inspect plots them as Unmet Force and Unmet Moment",
}
"""Sentences of the solver (`solver.mechanism.messages`) that a person who looks at Blender's panels needs otherwise."""

FACTS = ("redundant", "lined-up", "soft-contact", "keys-end", "integrator-changed", "torques-shared", "comes-to-rest")
"""What is as it should be, and good to know."""
DURATIONS = ("too-stiff",)
"""Whose `time` is how long something takes; that of others is when, which Blender counts in frames."""

TURN_CONTACT_ON, HOLD = "ves.turn_contact_on", "ves.hold"
"""Operators that cure what a finding says, pressed beside it; one about an object takes its name as `body`."""


class Finding(NamedTuple):
    """One sentence about one object (None: about the whole mechanism).

    `is_fact`: good to know, and nothing to do about. `cure`: the operator that puts it right, if one can.
    """

    object: bpy.types.Object | None
    text: str
    is_fact: bool = False
    cure: str = ""

    def __str__(self) -> str:
        if self.object is None or f"'{self.object.name}'" in self.text:
            return self.text
        return f"{self.object.name}: {self.text}"


class SceneError(Exception):
    """The scene can't be simulated as it is. `findings` names every object that is in the way, `warnings` the rest."""

    def __init__(self, findings: list[Finding], warnings: list[Finding] | None = None) -> None:
        self.findings, self.warnings = list(findings), list(warnings or [])
        super().__init__("\n".join(map(str, self.findings)))


def refuse(culprit: bpy.types.Object | None, text: str) -> NoReturn:
    """Raises SceneError with a single finding."""
    raise SceneError([Finding(culprit, text)])


def refuse_all(findings: list[Finding], warnings: list[Finding] | None = None) -> None:
    """Raises SceneError with these findings, if there are any."""
    if findings:
        raise SceneError(findings, warnings)


def need_scipy() -> None:
    """Raises SceneError if scipy, which comes with the extension, is not there."""
    if importlib.util.find_spec("scipy") is None:
        refuse(None, "scipy is missing: install the extension's zip for this platform and version of Blender")


def pass_on(error: MechanismError | RunError, scene: bpy.types.Scene, first_frame: int = 0) -> NoReturn:
    """Raises SceneError with the solver's refusal; first_frame as for `of_solver`."""
    raise SceneError(of_error(error, scene, first_frame)) from error


def of_error(error: MechanismError | RunError, scene: bpy.types.Scene, first_frame: int = 0) -> list[Finding]:
    """The solver's refusal as findings; first_frame as for `of_solver`."""
    return [of_solver(problem, scene, first_frame) for problem in error.problems]


def of_solver(problem: str, scene: bpy.types.Scene, first_frame: int = 0) -> Finding:
    """A sentence of the solver on a mechanism, as a finding about the first object that it is about.

    first_frame: of the simulation; the solver's first frame is 0.
    """
    if not isinstance(problem, Message):
        return Finding(None, problem)
    values = dict(problem.values)
    if "frame" in values:
        values["frame"] += first_frame
    objects = {part.name_full: part for part in scene.objects if part.ves.role != "NONE"}
    culprit = next((objects[name] for _, name in problem.parts if name in objects), None)
    rate = scene.render.fps / scene.render.fps_base

    def frame(seconds: str) -> str:
        """A time, in seconds since the first frame, as a frame of the scene."""
        return f"frame {round(first_frame + float(seconds) * rate, 1):.10g}"

    if "when" in values:
        values["when"] = re.sub(r"(\d[-+.\de]*) s\b", lambda found: frame(found[1]), str(values["when"]))
    words, timed = WORDS.get(problem.code, TEXTS[problem.code]), in_seconds if problem.code in DURATIONS else frame
    is_about_one = culprit is not None and len(problem.parts) == 1
    text = worded(words, problem.parts, values, heads=not is_about_one, timed=timed)
    return Finding(culprit, text, is_fact=problem.code in FACTS)
