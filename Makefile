# Every target makes what it needs by itself, in .venv and .cache, from a machine with Python 3.11 or 3.13 (or both).
#   make test          solver tests, Blender tests on $(BLENDERS), slow solver tests, some without a compiler
#   make test-numba    the solver as numba compiles it while it runs, where no library is there or one is being made
#   make test-window   the installed extension, in the Blender with a window that $VES_CHROOT holds
#   make demo          builds, bakes and renders an example scene: make demo SCENE=trailing_cans
#   make demo SCENE=   ... hanging_chain, settling_chain, four_bar, scissor_lift, robot_arm, police_car, tensegrity,
#   make demo SCENE=   ... manipulator_arm, pendulum_wave, half_pipe, skate_bowl, differential_shoulder, drawer
#   make demo SCENE=   ... cam_automaton, worn_gears, derrick, bollard, car_on_hills, free_bicycle
#   make demo SCENE=   ... with contact: crane, marble_run, dominoes, card_house, bowling, ragdoll, speed_bumps,
#   make demo SCENE=   ... passenger, shove, reaching, bicycle, courier, stuntman, crowd, drummer, dog,
#   make demo SCENE=   ... strandbeest_on_ground
#   make demo SCENE=   ... posed by hand: bicycle_chain, millipede, molecule; live: strandbeest
#   make bench         timings side by side with other engines, one table
#   make kernels       the solver's kernels compiled ahead of time, for this platform: a library in .cache/kernels and a
#                      wheel in dist/; make kernels PLATFORMS="linux-x64 windows-x64 macos-arm64" for these
#   make test-kernels  ... and their tests: every entry is there, motions are those of numba to the last bit
#   make test-elsewhere  are the bits of Linux arm64 and Windows the same: by qemu and wine, where these are there
#   make extension     the zips for Blender in dist/, for this platform or for PLATFORMS, with their kernels
#   make lint          ruff: rules and format
#   make clean         removes everything that these made

SHELL := bash
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help test test-solver test-blender test-slow test-fallback test-numba test-window test-kernels test-elsewhere \
  demo bench kernels extension lint clean

BLENDERS ?= 4.5.15 5.2.3
SOLVER ?= tests
SCENE ?= trailing_cans
PYTEST ?=

help:
	@sed -n 's/^#   make/  make/p' Makefile

# With -j2 the two that take longest begin, and whichever ends first goes on with the next.
test: test-solver test-blender test-slow test-fallback

test-solver:
	@python=$$(tools/make_environment.sh solver) && \
	"$$python" -m pytest $(SOLVER) -m "not slow" --ignore tests/blender --ignore tests/gui $(PYTEST)

test-slow:
	@python=$$(tools/make_environment.sh solver) && \
	"$$python" -m pytest tests -m slow --ignore tests/blender --ignore tests/gui $(PYTEST)

# Without a compiler the same source runs as plain Python; the marked tests are quick enough for that.
test-fallback:
	@python=$$(tools/make_environment.sh solver) && \
	VES_KERNELS=none NUMBA_DISABLE_JIT=1 "$$python" -m pytest tests -m fallback --ignore tests/blender --ignore tests/gui $(PYTEST)

test-numba:
	@python=$$(tools/make_environment.sh solver) && \
	VES_KERNELS=none "$$python" -m pytest tests/solver/test_kernel.py tests/solver/test_command_line.py \
		tests/solver/simulation/test_reference.py tests/test_contact_truths.py -m "not slow" $(PYTEST)

test-blender:
	@tools/test_blenders.sh "$(BLENDERS)" $(PYTEST)

test-window:
	@tools/test_blenders.sh window $(PYTEST)

demo:
	@python=$$(tools/make_environment.sh bpy-5.2.3 || tools/make_environment.sh bpy-4.5.15) && \
	"$$python" -m examples.render $(SCENE)

bench:
	@python=$$(tools/make_environment.sh bench) && \
	"$$python" -m benchmarks

kernels:
	@python=$$(tools/make_environment.sh kernels) && \
	"$$python" -m tools.kernels $(if $(PLATFORMS),--platforms $(PLATFORMS))

test-kernels: kernels
	@python=$$(tools/make_environment.sh solver) && \
	VES_KERNELS=.cache/kernels/$$("$$python" -m solver.library) "$$python" -m pytest tests/solver/library $(PYTEST)

test-elsewhere:
	@python=$$(tools/make_environment.sh kernels) && here=$$("$$python" -m solver.library) && \
	"$$python" -m tools.kernels --platforms $$here linux-arm64 windows-x64 && \
	VES_KERNELS=.cache/kernels/$$here "$$python" -m tools.kernels.replay

extension: kernels
	@python=$$(tools/make_environment.sh bpy-5.2.3 || tools/make_environment.sh bpy-4.5.15) && \
	"$$python" tools/build_extension.py $(if $(PLATFORMS),--platforms $(PLATFORMS))

lint:
	@python=$$(tools/make_environment.sh solver) && \
	"$$python" -m ruff check . && \
	"$$python" -m ruff format --check .

clean:
	rm -rf .venv .cache .pytest_cache .ruff_cache .hypothesis dist artefacts
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
