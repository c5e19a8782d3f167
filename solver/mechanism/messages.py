# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences on a mechanism as data: a code, the parts that it is about, and values; worded here for files.

All that is refused, warned of or noted of a mechanism is such a sentence. Who words it otherwise, as Blender's panels
do, takes the code and the values, and never the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Part = tuple[str, str]  # kind and name: ("joint", "Hinge")
TEXTS = {
    # of the description: `item` is a part by its name, or another place in the file; `where` is a key in it
    "wrong-value": "{item}: {where} {what}",
    "wrong-entry": "{item}: {where} {what}",
    "wrong-part": "{item} {what}",
    "inertia-impossible": "{item}: inertia is impossible: its moment {largest} is above the sum of the others, "
    "{smallest} and {middle}; the nearest possible inertia is {nearest}",
    "inertia-not-positive": "{item}: inertia must be positive definite, but a principal moment is {smallest}; the "
    "nearest possible inertia is {nearest}",
    "inertia-ball": "inertia {given} is none; that of a ball of its mass, as dense as water, is taken, {taken}",
    "inertia-mended": "inertia {given} was impossible; the nearest possible one is taken, {taken}",
    "not-unique": "{item}: name must be unique, but {count} {plural} have it",
    # of files: `what` says what is wrong with one ("is empty"), or quotes a problem in it
    "wrong-file": "file {file} {what}",
    "wrong-include": "include {file}: {what}",
    "wrong-command": "{file}:{line}: {command}: {what}",
    "long-line": "{file}:{line}: is longer than {most} letters",
    "wrong-script": "{file}: {what}",
    # of what hangs together
    "joint-moves-nothing": "neither {parent} nor {child} is dynamic, so there is nothing to move; make one of them "
    "dynamic or remove the joint",
    "constraint-holds-nothing": "{which} dynamic, so there is nothing to hold; make it dynamic or remove the "
    "constraint",
    "balance-of-still": "'{body}' is {motion}, so it cannot keep its balance; make it dynamic",
    "foot-apart": "no joints lead from '{body}' to the foot '{foot}'; connect them by joints, or take the foot out of "
    "feet",
    "hand-apart": "no joints lead from '{body}' to a body that keeps its balance; connect it, and give the figure a "
    "balance",
    "hand-on-leg": "'{body}' is on a leg of '{balance}'; take a hand on an arm, or lift the foot by the balance",
    "hand-held": "'{body}' is what '{balance}' holds, so it cannot reach too; take a hand on an arm",
    "no-length": "its points are at the same place at {time}, so that it has no length; give it a distance",
    "massless": "has next to no inertia where its joint leaves it free, {own} beside {beside}, so that its motion "
    "there would be rounding; give it {least} or more, or make it one body with a neighbour",
    # of shapes
    "hull-too-far": "the points of its hull are too far apart to make one; bring them together, or take several shapes",
    "hull-on-a-line": "the points of its hull lie on a line; give it a capsule or more points",
    "mesh-without-area": "no triangle of its mesh has an area; give it another shape",
    # of the start
    "open-at-start": "its sides are {gap} at {when}; use assemble to close it",
    "open-later": "its sides are {gap} at {when}; enable it when they are together",
    "rope-length": "its sides are {gap} at {when}: it is {length} m long, and the way along it {way} m; make it as "
    "long, or use assemble",
    "cam-inside": "its follower is {depth} m inside the profile at the start, or on the side that does not push; move "
    "it out, or take the other side",
    "cam-undercut": "its roller of radius {radius} m does not fit into a hollow of the profile, near {place}, which it "
    "bridges; take a smaller one, or round the hollow more",
    "cam-not-met": "the cam never touches its follower in the whole motion; let them come nearer to each other",
    "turned-over": "its ends are turned {gap} at {when}, from where no way leads back; enable it when they are nearer",
    "taken-out": "it was taken out on the way, for good; put in another",
    "catch-screw": "its thread does not fit, by {gap}, at {when}, and no turn of it is the right one; enable it when "
    "it does",
    "surfaces-apart": "its surfaces {how} at the start; use assemble to bring them together",
    "surfaces-apart-later": "its surfaces {how} at {time}; enable it when they touch",
    "surfaces-turned-away": "found no point near its position where the surfaces face each other; move the bodies "
    "together there",
    "surfaces-too-close": "its surfaces would touch in more than one point, since one bends as much as the other is "
    "hollow; make the inner one rounder",
    "no-slack": "{about}{more} lie stretched and leave no slack, so that nothing of them can move; bring their ends "
    "nearer together by about {slack} m",
    "cannot-follow": "cannot follow what is keyed from about {time} on; {how}",
    "velocities-changed": "velocities changed at {when}, to fit the joints: {names}{more}",
    # of what a method or an integrator cannot do
    "ride-by-divide": "method divide cannot follow where surfaces touch; use auto",
    "loop-by-divide": "it closes a loop, and method divide takes trees only; use auto",
    "constraint-by-divide": "it holds what the trees' joints do not, and method divide takes trees only; use auto",
    "keyed-by-divide": "its motor leads it as keyed, by a condition, and method divide takes trees only; use auto",
    "sticks-by-force": "{what} holds it where it stands, which integrator {integrator} does not do exactly; take "
    "integrator impulse or auto, or leave it out",
    "ride-by-variational": "integrator variational cannot follow where surfaces touch; "
    "use adams, runge-kutta, impulse or auto",
    "catch-by-steps": "its ends are to be drawn together, which integrator {integrator} cannot do; use auto, or "
    "enable it when they are together",
    "one-sided-by-steps": "it holds on one side only, and lets go on the other, which integrator {integrator} cannot "
    "do; use auto",
    "rope-rubs": "it rubs on its wheels, which integrator {integrator} cannot do; set its friction to 0, or use auto",
    "one-sided-chatters": "it closes and lets go without end at {time} s; let it hold on both sides, or part what "
    "meets there",
    "contact-by-variational": "contact: integrator variational lets bodies with shapes pass through each other; "
    "use impulse or auto, or set enabled of contact to false",
    "rows-by-implicit": "integrator {integrator} takes rows of loops, and of springs between moving bodies, all "
    "together: {most} at most, and this linkage has {rows}; use adams or auto",
    "by-quasi-static": "integrator quasi-static cannot do {what}; {remedy}, or use auto",
    "by-adaptive": "integrator adaptive cannot do {what}; {remedy}, or use auto",
    "contact-by-adaptive": "contact: integrator adaptive lets bodies with shapes pass through each other; "
    "use impulse or auto, or set enabled of contact to false",
    "adaptive-method": "integrator adaptive goes by the recursive method; leave method out",
    "simulated-joints": "{mean} of {count} joints were simulated on average, at most {most}, at {time}; "
    "accelerations that were left out came to {left} at most",
    "comes-to-rest": "at rest from {time} on",
    "goes-on": "not at rest at the end: {name} still moves at {speed}",
    "beyond-terrain": "is beyond the edge of terrain {terrain} at {time}; there the ground goes on level across it",
    "hand-short": "its target is out of reach {when}, by up to {gap} m: the hand goes as near as it can",
    "no-rest": "found no equilibrium at {time}, and goes on from where it has come to",
    "contact-by-quasi-static": "contact: integrator quasi-static lets bodies with shapes pass through each other; "
    "use impulse or auto, or set enabled of contact to false",
    "no-derivatives": "accelerations have no derivatives here, because of {reasons}; evaluate it without them",
    "too-many-derivatives": "accelerations along {count} axes have too many derivatives; at most {most} can be written",
    "jumps-by-variational": "integrator variational cannot do {what}, which jumps; {remedy}, or use auto",
    "balance-needs-impulse": "integrator {integrator} cannot keep balance, which is decided step by step; "
    "use impulse or auto",
    "rough-pair": "contact: integrator {integrator} cannot follow how {shapes} touch: their points jump; "
    "use impulse or auto, other shapes, or put the pair into ignore",
    "mass-ratio": "the masses of {names} are as {ratio} to 1, and they are tied together: beyond {most} to 1 forces "
    "are lost in rounding, in loops and by methods lagrange and divide; make the first lighter or the second heavier",
    "not-finite": "its motion or forces are no finite numbers; masses, forces or speeds are too large or too far apart",
    "no-detection": "contact: {names} cannot touch each other: {reason}; install it, or leave only the ground and put "
    "the pairs of bodies into ignore",
    "ride-while-posing": "posing cannot follow where surfaces touch; disable it, or tie its bodies by another joint",
    "push-on-loop": "loops or constraints hold it, and posing pushes trees only; pull it instead",
    "drive-beyond-limit": "its drive asks for more than its limit of {limit}; drive it less far, or widen the limit",
    "led-to-limit": "its limit stops what the drives lead; drive less far, or widen it",
    "led-to-dead-centre": "{about}{more}: a dead centre, from where the drives lead no farther; drive less far, or "
    "drive another joint of the loop",
    "led-against": "{about}{more}: cannot be closed where the drives lead; drive less far, or take one of them away",
    "structure": "{about}{more}: a structure, of which nothing can move; free {count} more of the directions that its "
    "joints hold",
    "drives-missing": "{about}{more}: {count} more to drive, as its drives do not decide how {bodies} move; until then "
    "they turn as little as they can",
    "drives-too-many": "{about}{more}: {count} of these drives can only be where the others lead; take so many away",
    "rows-too-many": "{about}{more}: {count} of their conditions follow from the others; that is no fault where hinges "
    "are parallel",
    # of torques that are looked for
    "torques-by-actions": "{count} actions change the mechanism on the way, and torques are found for one that stays "
    "as it is; take the actions out",
    "torques-balance": "it decides on its motors step by step, and torques are found for a given motion; disable it",
    "torques-slack": "it may hang slack, and torques are found as if it could push; set slack to false or disable it",
    "torques-cam": "it pushes and never pulls, and torques are found as if it held on both sides; disable it, or set "
    "one_sided to null",
    "torques-backlash": "its teeth have play, and torques are found as if they had none; set backlash to 0 or "
    "disable it",
    "torques-ride": "torques cannot be found where surfaces touch; disable it, or tie its bodies by another joint",
    "torques-speed-motor": "its motor keeps a speed, and no torque of it is looked for; count it among the drives, or "
    "take it away",
    "torques-no-joint": "there is no joint {joint} that can move; name joints that can",
    "torques-coupling": "its joint '{joint}' is between bodies with keys, and its other one is not; let the bodies of "
    "both have keys, or disable it",
    "torques-rows": "its loops have {rows} rows, and torques are found for {most} at most; take fewer loops together",
    "torques-elsewhere": "floats, and is drawn elsewhere than its keys begin; put it there before motors are set",
    "torques-contact": "contact is left out: nothing touches, and motors bear what contacts would",
    "torques-unmet": "its {axis} has no drive, and the motion takes up to {load} along it, most at {time}; drive it, "
    "or change the animation",
    "torques-floats": "floats, and its motion takes up to {force} N and {moment} N m from outside, most at {time}: "
    "what carries it must give that",
    "torques-shared": "{about}{more}: {count} of these drives more than the motion needs; they share it by the least "
    "sum of squares",
    "torques-off": "its keys are up to {gap} m off where its joints let it be; torques are those of the joints' way",
    # of a run
    "stopped": "{what}",
    "no-cache": "machine code is compiled anew, which takes a minute, since it cannot be kept in {folder}; name a "
    "folder that can be written by NUMBA_CACHE_DIR",
    "no-duration": "--duration is missing, and the file does not say it by a step; give it in seconds",
    "run-number": "{option} must be a positive number, from {least} to {most}, is {value}",
    "run-substeps": "substeps must be a whole number from 1 to {most}, is {value}",
    "unknown-word": "{option} {value} is unknown; use one of {known}",
    "too-many-frames": "{frames} frames of {bodies} take {asked} of memory, and this machine has {available}; "
    "take a shorter duration, a lower frame rate or fewer bodies",
    "too-many-steps": "the run takes {steps} steps of one length, and {most} is the most; take a shorter duration or "
    "fewer substeps",
    # of motors that keep speeds which cannot be
    "motor-at-limit": "its motor, which has no maximum, turns it at {speed} against its limit of {limit} at {time}; "
    "give the motor a max_force, turn its target round in time, or take the limit away",
    "motors-at-limit": "{about}: at {time} motors without a maximum go on against the limit of {limits}, by "
    "way of {ties}; give them a max_force, turn their targets round in time, or take the limit away",
    "motors-contradict": "{about}: motors without a maximum keep speeds at {time} that cannot be at once, tied "
    "together by {ties}; give one of them a max_force, or targets that fit",
    "motor-held": "its motor, which has no maximum, keeps a speed at {time} that cannot be with {ties}; give it a "
    "max_force, or a target that fits",
    # of forces by expressions
    "no-value": "its force along {axis} is no finite number at {time}, where {values}; write it so that it has a value "
    "there, as with max(.., 0.01) for what is divided by",
    "expression-jumps": "{reason}: its force jumps back and forth; make it steep instead, as tanh(vx/0.01) for "
    "sign(vx), or take integrator impulse",
    # notes on a motion
    "integrator": "integrator: {taken}",
    "integrator-changed": "integrator implicit {when}, where stiff springs or dampers bounded the steps of adams",
    "soft-contact": "contact: soft (Hunt and Crossley)",
    "gear-without-carrier": "no body carries both of its wheels: '{joint_a}' and '{joint_b}' have none in common, so "
    "angles against different carriers are geared; hinge both wheels to one body, a sun to its planets' carrier",
    "all-locked": "all six of its axes are locked, so that nothing is left to move: use a fixed joint, or free an axis",
    "path-corner": "at {time} it turns by {angle} degrees in one point, and as a smooth path goes wide by {gap} m "
    "there; put points close before and behind the corner",
    "follow-past-limit": "the animation that it follows goes past the limit of joint '{joint}' by up to {gap}, most "
    "at {time}, where it stays behind; widen the limit, or change the animation",
    "follow-off-joint": "the animation that it follows goes where joint '{joint}' cannot, by up to {gap}, most at "
    "{time}, where it stays behind; use a joint that has that way, spherical or generic say, or change the animation",
    "keys-end": "keys from {first} to {last} s; it stands still outside",
    "ride-ends": "ends at {time}: {how}",
    "caught-by-force": "its ends, {gap}, are drawn together from {start} s on, by {force} N (turns by as many N m) at "
    "most; the catch gives way to what is stronger",
    "caught-open": "its ends, drawn together by {force} N at most, are still {gap} at the end",
    "caught-met": "its ends have met at {time}, and are held by any force from then on",
    "caught": "its ends, {gap}, are drawn together from {start} s on, and closed at {end} s",
    "led": "its motor leads it as keyed from {start} s on; it is {gap} then, and drawn there until {end} s",
    "redundant": "redundant: {about}{more}: {count} of their conditions already follow from the others; the motion is "
    "determined, single forces in that loop are not and are given with the least norm",
    "lined-up": "lined up: {about}{more}: drawn up to {angle} rad and {distance} m off where their loop can move, and "
    "taken as if they were not",
    "off-line": "off line: {about}{more}: up to {angle} rad and {distance} m off where their loop can move: {effect}; "
    "line them up, or make two of them spherical ({allowed} rad, and that part of the loop's size, are taken as none)",
    "past-limit": "goes past its limit by up to {gap}, from frame {frame} on: what leads it is stronger; widen its "
    "limits, or lead less far",
    "limit-moved": "is past its limit by up to {gap}, from frame {frame} on: a limit that moves over a joint does not "
    "push it; lead it by a motor",
    "at-maximum": "its motor gives its maximum of {maximum} from frame {frame} on, in {count} frames, and is off its "
    "target by up to {gap} meanwhile; give it a larger max_force, or a target that it can follow",
    "not-met": "could not be met from frame {frame} on; largest gap {gap}",
    "coarser": "from frame {frame} on the motion is computed to relative {tolerance}: near a singular pose of its "
    "loops rounding does not allow the accuracy that was asked for",
    "rope-out": "its free rope has run out where '{body}' is at its wheel, and the rope cannot draw it through; end "
    "the motion before, hold '{body}' off by a support or a joint's limit, or disable the rope there by an action",
    "impacts-ended": "impacts: from {time} on, in {count} steps, blows ran to and fro too often; they were ended "
    "without a bounce, which took {energy} J: take more substeps",
    "starts-inside": "contact: {one} and {other} overlap by {depth} m at the start, {percent} % of the thinner one, "
    "and are pushed apart: move one of them, or put the pair into ignore",
    "overlap": "contact: {one} and {other} overlap by up to {depth} m, {percent} % of the thinner one, at {time}: "
    "take more substeps, unless what drives them leaves no room between them",
    "gain": "contact: {names} and what it touches have gained {energy} J, {percent} % of their energy, in the step to "
    "{time}, and could not give it back: take more substeps",
    "fold-energy": "its loop folds, and steps of one length have changed the energy there, most at {time}, in all by "
    "up to {energy} J, {percent} % of the most kinetic energy: take integrator adams or auto",
    "half-turn": "its spring or motor goes by the rotation vector, which jumps to the other side at a half turn: by "
    "{time} it has passed one, {count} in all, with energy from nothing or lost; keep it below by its rest position, "
    "damping or stiffness, or take hinges instead",
    "too-stiff": "its spring or damper acts within {time}, which took {evaluations} evaluations; make it softer, or "
    "give the body more inertia about that axis",
}
_NAMED = 5  # parts of many that a sentence names
# Fields by which words name their parts themselves; others are headed by them.
_NAMES_ITS_PARTS = ("{about}", "{names}", "{item}", "{one}", "{shapes}")


class Message(str):
    """A sentence by its code: the text for files, with `code`, `parts` and `values`."""

    code: str
    parts: tuple[Part, ...]
    values: dict[str, Any]

    def __new__(cls, code: str, *parts: Part, **values: Any) -> Message:
        """The sentence of a code in TEXTS about these parts."""
        return cls._made(worded(TEXTS[code], parts, values), code, parts, values)

    @classmethod
    def about_many(cls, code: str, parts: Sequence[Part], **values: Any) -> Message:
        """The sentence about many parts: names the first five, and says with `{more}` how many others there are."""
        more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
        return cls(code, *parts[:_NAMED], more=more, **values)

    @classmethod
    def _made(cls, text: str, code: str, parts: tuple[Part, ...], values: dict[str, Any]) -> Message:
        made = super().__new__(cls, text)
        made.code, made.parts, made.values = code, parts, values
        return made

    def __reduce__(self) -> tuple:
        """Copies are the same sentence in the same letters."""
        return Message._made, (str(self), self.code, self.parts, self.values)

    def as_text(self, text: str) -> Message:
        """The same sentence in other letters, as where it is cut to fit a line."""
        return self._made(text, self.code, self.parts, self.values)


def in_seconds(time: str) -> str:
    """A time, a number of seconds, in words."""
    return f"{time} s"


def worded(
    words: str,
    parts: tuple[Part, ...],
    values: dict[str, Any],
    heads: bool = True,
    timed: Callable[[str], str] = in_seconds,
) -> str:
    """Words with their values; with the parts in front where that `heads`, unless the words name them.

    `timed` puts the value `time` in words.
    """
    if "time" in values:
        values = values | {"time": timed(values["time"])}
    text = words.format(about=named(parts), names=quoted(parts), **values)
    if not (heads and parts) or any(field in words for field in _NAMES_ITS_PARTS):
        return text
    return f"{named(parts)}{values.get('more', '')}: {text}"


def named(parts: tuple[Part, ...]) -> str:
    """`joint 'A', constraint 'B'`."""
    return ", ".join(f"{kind} '{name}'" for kind, name in parts)


def quoted(parts: tuple[Part, ...]) -> str:
    """`'A', 'B'`."""
    return ", ".join(f"'{name}'" for _, name in parts)
