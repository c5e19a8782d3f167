# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of thesis 6.6, each a method of the reader that obeys a script line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..mechanism import Body
from ..mechanism.mend import mended_inertia
from ..mechanism.record import fields_of
from ..mechanism.value_rules import number as number_rule
from ..mechanism.value_rules import shown
from .answers import Question, force_command
from .forces import OPTIONS as FORCE_OPTIONS
from .forces import ForcePart
from .links import Axis, Pose
from .parts import BodyPart, Change, Link, Parts
from .words import (
    Options,
    Wrong,
    hint,
    look_up,
    new_name,
    number,
    obey,
    options,
    unit_quaternion,
    usage,
    whole_number,
)

DEFAULT_STEP = 1 / 24
MOST_STEPS = 1_000_000
MOST_PRINTED = 100_000
HOLDS = ("free", "nail", "move_to_point")
INSTANCED = [kind for kind in FORCE_OPTIONS if kind != "rubber"]

BODY: Options = {
    "-vl": "x y z",
    "-vr": "x y z",
    "-t": "x y z",
    "-E": "w x y z",
    "-in": "x y z",
    "-m": "m",
    "-if": "<type> <name>",
    "-f": "<name>",
}
LINK: Options = {
    "-s": "rx ry rz tx ty tz",
    "-q": "q",
    "-qdot": "v",
    "-pjt": "x y z",
    "-pje": "w x y z",
    "-djt": "x y z",
    "-dje": "w x y z",
}
ACCURACY: Options = {"-r": "tolerance", "-a": "tolerance"}


class Reader:
    """Obeys commands. What they built is in `parts`; the rest says how the script wants it to run."""

    def __init__(self, mends: bool = False) -> None:
        self.mends = mends
        self.parts = Parts()
        self.questions: list[Question] = []
        self.notes: list[str] = []
        self.tolerances: dict[str, float] = {}
        self.step_size: float | None = None
        self.now = 0.0  # s since the start of the run
        self.clock_at_start = self.clock_ahead = 0.0  # s, of the script's clock before `now`
        self.line = 0
        self._steps = self._printed = 0
        self._leg = (0.0, 0.0, 0)  # where the present step size began to be used (s), the size, and steps taken with it
        self._sizes: set[float] = set()

    @property
    def clock(self) -> float:
        """The script's clock (s)."""
        return self.now + self.clock_ahead

    @property
    def has_stepped(self) -> bool:
        """True if time has passed."""
        return self._steps > 0

    @property
    def frame_rate(self) -> float | None:
        """Frames per second: as many as the smallest step asks for."""
        sizes = self._sizes or ({self.step_size} if self.step_size else set())
        return 1.0 / min(sizes) if sizes else None

    def obey(self, line: int, words: list[str]) -> None:
        """One line. Raises Wrong."""
        self.line = line
        command = COMMANDS.get(words[0])
        if command is None:
            raise Wrong(f"is not a command{hint(words[0], COMMANDS)}; help lists them")
        most = len(words) if command.most is None else command.most
        if not command.least <= len(words) - 1 <= most:
            raise Wrong(f"is used as: {command.usage}")
        getattr(self, command.run.__name__)(*words[1:])

    def _before_the_first_step(self, what: str) -> None:
        if self.has_stepped:
            raise Wrong(f"{what}; say it before the first step")

    def _body(self, name: str) -> BodyPart:
        return look_up(name, self.parts.bodies, "body")

    def ib(self, name: str) -> None:
        """Instance a body: 1 kg, inertia 1 1 1, at rest at the origin."""
        self._before_the_first_step("bodies are there from the start")
        self.parts.bodies[new_name(name, "body", self.parts.bodies)] = BodyPart(name)

    def il(self, root: str, name: str) -> None:
        """Instance a body that is linked to another one, by a rotational joint about its local Z."""
        self._before_the_first_step("links are there from the start")
        parent = self._body(root)
        self.parts.bodies[new_name(name, "body", self.parts.bodies)] = BodyPart(name, Link(parent.name))

    def ilc(self, name: str, kind: str) -> None:
        """Hold a body: nail stops it, move_to_point holds its origin, or leads it. free lets it go."""
        body = self._body(name)
        if kind not in HOLDS:
            raise Wrong(f"the type must be one of {', '.join(HOLDS)}, is {shown(kind)}")
        if not self.has_stepped:
            body.hold, body.is_held = kind, kind != "free"
        elif kind != "free":
            raise Wrong(f"where {shown(name)} is by now is only known in the run; {kind} it before the first step")
        elif body.is_held:
            body.is_held = False
            self.parts.changes.append(Change(self.now, body=body))

    def sb(self, name: str, *words: str) -> None:
        """Set a body."""
        body = self._body(name)
        for option, values in options(list(words), BODY):
            match option:
                case "-if":
                    self._instance(body, *values)
                case "-f":
                    force = look_up(values[0], body.forces, f"force on {shown(name)}")
                    self.parts.switch(self.now, force, not force.is_on)
                case _:
                    self._set_body(body, option, values)

    def _set_body(self, body: BodyPart, option: str, values: tuple) -> None:
        if option == "-t" and self.has_stepped and body.hold == "move_to_point" and body.is_held:
            self._lead(body, values)
            return
        self._before_the_first_step(f"{option} sets the start, and cannot change a body that is on its way")
        if option in ("-t", "-E", "-vl", "-vr") and body.link is not None:
            raise Wrong(
                f"{option} of {shown(body.name)} follows from its parent {shown(body.link.parent)}: "
                "set the link between them with sl"
            )
        match option:
            case "-vl":
                body.linear = values
            case "-vr":
                body.angular = values
            case "-t":
                body.position = values
            case "-E":
                body.orientation = unit_quaternion(values, option)
            case "-in":
                if self.mends:
                    values, notes = mended_inertia(values, body.name)
                    self.notes += notes
                obey(fields_of(Body)["inertia"].metadata["rule"], values, option)
                body.inertia = tuple(values)
            case "-m":
                obey(fields_of(Body)["mass"].metadata["rule"], values[0], option)
                body.mass = values[0]

    def _lead(self, body: BodyPart, point: tuple) -> None:
        """Leads the origin of a body to its place of now (thesis 1.5.2: a parameter at the beginning of each frame)."""
        if body.path and body.path[-1][0] == self.now:
            body.path.pop()
        body.path.append((self.now, point))

    def _instance(self, body: BodyPart, kind: str, name: str) -> None:
        if kind not in INSTANCED:
            raise Wrong(f"the type of a force must be one of {', '.join(INSTANCED)}, is {shown(kind)}")
        if kind == "gravity" and body.has_gravity:
            raise Wrong(f"{shown(body.name)} has gravity already, and a body can have only one; change its -g with sf")
        self._add_force(ForcePart(kind, name, (body.name,), self.now))

    def _add_force(self, force: ForcePart) -> None:
        for name in force.bodies:
            new_name(force.name, f"force on {shown(name)}", self.parts.bodies[name].forces)
        for name in force.bodies:
            self.parts.bodies[name].forces[force.name] = force
        self.parts.forces.append(force)
        if self.now > 0.0:
            self.parts.switch(self.now, force, True)

    def sl(self, parent: str, child: str, *words: str) -> None:
        """Set the link between two bodies."""
        self._body(parent)
        link = self._body(child).link
        if link is None or link.parent != parent:
            by = f"; its parent is {shown(link.parent)}" if link else ""
            raise Wrong(f"{shown(child)} is not linked to {shown(parent)}{by}")
        given = options(list(words), LINK)
        self._before_the_first_step("a link is what it is from the start")
        for option, values in given:
            match option:
                case "-s":
                    link.explicit = Axis.of_spatial(values)
                    if link.explicit is None:
                        raise Wrong("-s must not be zero")
                case "-q":
                    link.q = values[0]
                case "-qdot":
                    link.qdot = values[0]
                case "-pjt":
                    link.proximal = Pose(values, link.proximal.orientation)
                case "-pje":
                    link.proximal = Pose(link.proximal.position, unit_quaternion(values, option))
                case "-djt":
                    link.distal = Pose(values, link.distal.orientation)
                case "-dje":
                    link.distal = Pose(link.distal.position, unit_quaternion(values, option))

    def ir(self, name: str, one: str, two: str, *words: str) -> None:
        """Instance a rubber string between two bodies."""
        bodies = self._body(one).name, self._body(two).name
        if one == two:
            raise Wrong(f"both ends are on {shown(one)}; a rubber string joins two bodies")
        new_name(name, "rubber string", self.parts.rubbers)
        force = ForcePart("rubber", name, bodies, self.now)
        values = force.read(options(list(words), FORCE_OPTIONS["rubber"]))
        self._add_force(force)
        self.parts.rubbers.add(name)
        self.parts.change_force(self.now, force, values)

    def sf(self, name: str, force_name: str, *words: str) -> None:
        """Set a force on a body."""
        force = look_up(force_name, self._body(name).forces, f"force on {shown(name)}")
        values = force.read(options(list(words), FORCE_OPTIONS[force.kind]))
        self.parts.change_force(self.now, force, values)

    def step(self, count: str) -> None:
        """Take steps forward in time."""
        steps = whole_number(count)
        if self._steps + steps > MOST_STEPS:
            raise Wrong(f"a script takes at most {MOST_STEPS} steps; make the steps longer by sstepsize")
        if steps == 0:
            return
        self._steps += steps
        size = self.step_size or DEFAULT_STEP
        begun, before, taken = self._leg
        if size != before:
            begun, taken = self.now, 0
        self._leg = begun, size, taken + steps
        self.now = begun + size * (taken + steps)
        if len(self._sizes) == 1 and size not in self._sizes:
            self.notes.append(f"line {self.line}: another step size; all frames are as far apart as the smallest")
        self._sizes.add(size)

    def stime(self, time: str) -> None:
        """Set the clock."""
        self.clock_ahead = number(time) - self.now
        if not self.has_stepped:
            self.clock_at_start = self.clock_ahead

    def sstepsize(self, size: str) -> None:
        """Set the time between frames."""
        value = number(size)
        obey(number_rule(above=0), value, "the step size")
        self.step_size = value

    def sacc(self, *words: str) -> None:
        """Set the accuracy."""
        given = options(list(words), ACCURACY)
        self._before_the_first_step("the accuracy holds for the whole run")
        for option, values in given:
            obey(number_rule(above=0), values[0], option)
            self.tolerances[option] = values[0]

    def draw(self, *words: str) -> None:
        """Choose who draws: nobody does here."""
        if words not in (("bolio",), ("null",)) and not (len(words) == 3 and words[0] == "corpus"):
            raise Wrong(f"is used as: {COMMANDS['draw'].usage}")

    def _ask(self, command: str, answer: list[str], bodies: tuple[str, ...] = ()) -> None:
        self._printed += 1 + len(answer) + len(bodies)
        if self._printed > MOST_PRINTED:
            raise Wrong(f"a script prints at most {MOST_PRINTED} lines")
        self.questions.append(Question(self.line, command, self.now, self.clock, answer, bodies))

    def pb(self, name: str | None = None) -> None:
        """Print bodies."""
        bodies = self.parts.bodies if name is None else [self._body(name).name]
        self._ask("pb", [], tuple(bodies))

    def pf(self, name: str | None = None, force_name: str | None = None) -> None:
        """Print forces."""
        forces = self.parts.forces
        if name is not None:
            forces = list(self._body(name).forces.values())
        if force_name is not None:
            forces = [look_up(force_name, self._body(name).forces, f"force on {shown(name)}")]
        self._ask("pf", [force_command(force) for force in forces])

    def rtime(self) -> None:
        """Print the clock."""
        self._ask("rtime", [f"stime {self.clock:.9g}"])

    def rstepsize(self) -> None:
        """Print the step size."""
        self._ask("rstepsize", [f"sstepsize {self.step_size or DEFAULT_STEP:.9g}"])

    def rlsode(self) -> None:
        """Print what the integrator did."""
        self._ask("rlsode", [])

    def help(self) -> None:
        """Print all usages."""
        self._ask("help", help_lines())


class Command(NamedTuple):
    """A command: what it does, how it is written, and how many words may follow (None: any number)."""

    run: Callable[..., None]
    least: int
    most: int | None
    usage: str


COMMANDS = {
    "ib": Command(Reader.ib, 1, 1, "ib <body>"),
    "il": Command(Reader.il, 2, 2, "il <parent> <body>"),
    "ilc": Command(Reader.ilc, 2, 2, "ilc <body> free | nail | move_to_point"),
    "sb": Command(Reader.sb, 1, None, f"sb <body> {usage(BODY)}"),
    "sl": Command(Reader.sl, 2, None, f"sl <parent> <child> {usage(LINK)}"),
    "sf": Command(Reader.sf, 2, None, "sf <body> <force> and options of the type of force"),
    "ir": Command(Reader.ir, 3, None, f"ir <name> <body> <body> {usage(FORCE_OPTIONS['rubber'])}"),
    "step": Command(Reader.step, 1, 1, "step <number of steps>"),
    "stime": Command(Reader.stime, 1, 1, "stime <s>"),
    "sstepsize": Command(Reader.sstepsize, 1, 1, "sstepsize <s>"),
    "sacc": Command(Reader.sacc, 0, None, f"sacc {usage(ACCURACY)}"),
    "pb": Command(Reader.pb, 0, 1, "pb [body]"),
    "pf": Command(Reader.pf, 0, 2, "pf [body [force]]"),
    "rtime": Command(Reader.rtime, 0, 0, "rtime"),
    "rstepsize": Command(Reader.rstepsize, 0, 0, "rstepsize"),
    "rlsode": Command(Reader.rlsode, 0, 0, "rlsode"),
    "draw": Command(Reader.draw, 1, 3, "draw bolio | corpus <file> <number> | null"),
    "help": Command(Reader.help, 0, 0, "help"),
    "?": Command(Reader.help, 0, 0, "?"),
}


def help_lines() -> list[str]:
    """The usage of every command, and the options of every type of force."""
    forces = [f"sf <body> <force> {usage(table)} ; {kind}" for kind, table in FORCE_OPTIONS.items()]
    usages = [line for name, command in COMMANDS.items() for line in (forces if name == "sf" else [command.usage])]
    return [f"; {usage}" for usage in usages]
