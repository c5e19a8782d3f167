# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: python -m solver simulate | evaluate | assemble | check FILE ...

Exit status 0; 1 for a file that is wrong, with one line per problem; 2 for wrong usage; 3 for a simulation that could
not go on, with the frames up to there written, or an assembly that stays open, written as far as it came.
"""

import argparse
import sys

from .assembly import Assembly
from .mechanism import Mechanism, MechanismError
from .simulation import (
    INTEGRATORS,
    LATER_INTEGRATORS,
    LATER_METHODS,
    METHODS,
    Simulation,
    SimulationFailed,
    evaluate,
    what_is_not_supported,
)

WRONG_FILE, WRONG_USAGE, FAILED = 1, 2, 3


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except MechanismError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return WRONG_FILE
    except OSError as error:
        print(f"{error.filename or options.output}: {error.strerror or error}", file=sys.stderr)
        return WRONG_FILE
    except ValueError as error:
        print(f"python -m solver: error: {error}", file=sys.stderr)
        return WRONG_USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m solver", description="Runs a mechanism file without Blender.")
    commands = parser.add_subparsers(required=True, metavar="simulate | evaluate | assemble | check")
    simulate_command = commands.add_parser("simulate", help="write the motion as an npz file")
    simulate_command.set_defaults(run=_simulate)
    simulate_command.add_argument("file", metavar="FILE")
    simulate_command.add_argument("-o", "--output", metavar="OUT.npz", required=True)
    simulate_command.add_argument("--duration", type=float, required=True, metavar="S")
    simulate_command.add_argument("--frame-rate", type=float, default=24.0)
    simulate_command.add_argument("--method", default="auto", choices=[*METHODS, *LATER_METHODS])
    simulate_command.add_argument("--integrator", default="auto", choices=[*INTEGRATORS, *LATER_INTEGRATORS])
    simulate_command.add_argument("--relative", type=float, default=1e-6)
    simulate_command.add_argument("--absolute", type=float, help="a tenth of --relative if left out")
    simulate_command.add_argument("--substeps", type=int, metavar="N")
    evaluate_command = commands.add_parser("evaluate", help="write accelerations and forces at the start")
    evaluate_command.set_defaults(run=_evaluate)
    evaluate_command.add_argument("file", metavar="FILE")
    evaluate_command.add_argument("-o", "--output", metavar="OUT.npz", required=True)
    evaluate_command.add_argument("--method", default="auto", choices=[*METHODS, *LATER_METHODS])
    assemble_command = commands.add_parser("assemble", help="close loops and constraints, and write the mechanism")
    assemble_command.set_defaults(run=_assemble)
    assemble_command.add_argument("file", metavar="FILE")
    assemble_command.add_argument("-o", "--output", metavar="FILE2", required=True)
    check_command = commands.add_parser("check", help="say what is wrong with a file, or that nothing is")
    check_command.set_defaults(run=_check, output=None)
    check_command.add_argument("file", metavar="FILE")
    return parser


def _simulate(options: argparse.Namespace) -> int:
    simulation = Simulation(
        Mechanism.load(options.file),
        duration=options.duration,
        frame_rate=options.frame_rate,
        relative=options.relative,
        absolute=options.absolute,
        method=options.method,
        integrator=options.integrator,
        substeps=options.substeps,
    )
    try:
        for _ in simulation.run():
            pass
    except SimulationFailed as failure:
        failure.recording.save(options.output)
        print(failure, file=sys.stderr)
        return FAILED
    simulation.recording.save(options.output)
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    evaluate(Mechanism.load(options.file), options.method).save(options.output)
    return 0


def _assemble(options: argparse.Namespace) -> int:
    assembly = Assembly(Mechanism.load(options.file))
    for _ in assembly.run():
        pass
    assembly.mechanism.save(options.output)
    for tie in assembly.open:
        print(tie, file=sys.stderr)
    return FAILED if assembly.open else 0


def _check(options: argparse.Namespace) -> int:
    mechanism = Mechanism.load(options.file)
    print(f"{options.file}: nothing is wrong")
    for line in what_is_not_supported(mechanism):
        print(f"{options.file}: cannot be simulated yet: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
