#!/usr/bin/env bash
# Makes one Python environment of the project in .venv/NAME, or keeps the one that is there if its recipe is unchanged.
#   usage: tools/make_environment.sh NAME
#   NAME: solver, kernels, bench, bullet, or bpy-VERSION with VERSION one of 4.5.15 5.0.1 (Python 3.11) 5.1.2 5.2.3 (Python 3.13)
# Prints the path of the environment's Python. Exit status 3: the Python that it needs is not on this machine.
set -euo pipefail

name=${1:?usage: tools/make_environment.sh NAME}
root=$(cd "$(dirname "$0")/.." && pwd)
# What Blender brings itself, to the release: 4.5 and 5.0 have numpy 1.26.4, 5.1 and 5.2 have 2.3.4.
numpy311="numpy==1.26.4"
numpy313="numpy==2.3.4"
shipped=$(grep -v '^#' "$root/tools/shipped_wheels.txt" | tr '\n' ' ')
testing="pytest>=8 hypothesis"

case $name in
  solver) pythons="3.11 3.13"; packages="$shipped $testing ruff==0.17.5" ;;
  # a compiler that links for other platforms too, with the source of musl's sine and cosine (later ones lack it)
  kernels) pythons="3.13 3.11"; packages="$shipped ziglang==0.14.1" ;;
  bench) pythons="3.13 3.11"; packages="$shipped pin mujoco py-slvs pylinkage pyondsel BPY" ;;
  # Bullet for Python comes ready made up to 3.11 only
  bullet) pythons="3.11"; packages="$shipped pybullet" ;;
  bpy-4.5.* | bpy-5.0.*) pythons="3.11"; packages="bpy==${name#bpy-} $shipped $testing pillow" ;;
  bpy-5.1.* | bpy-5.2.*) pythons="3.13"; packages="bpy==${name#bpy-} $shipped $testing pillow" ;;
  *) echo "make_environment: no environment is called $name" >&2; exit 2 ;;
esac

python=""
for version in $pythons; do
  python=$("$root/tools/find_python.sh" "$version") && break
done
if [ -z "$python" ]; then
  echo "make_environment: $name needs Python ${pythons/ / or }, which is not on this machine" >&2
  exit 3
fi
case $version in
  3.11) packages="${packages/BPY/bpy==4.5.15} $numpy311" ;;
  3.13) packages="${packages/BPY/bpy==5.2.3} $numpy313" ;;
esac

environment="$root/.venv/$name"
recipe="$version $packages"
if [ "$(cat "$environment/recipe" 2>/dev/null)" != "$recipe" ] || ! "$environment/bin/python" -c "" 2>/dev/null; then
  echo "making .venv/$name with Python $version: $packages" >&2
  rm -rf "$environment"
  mkdir -p "$root/.venv"
  "$python" -m venv "$environment" >&2
  # uv is quicker; pip may know package sources that uv is not told of
  # shellcheck disable=SC2086  # a list of words
  { command -v uv >/dev/null && uv pip install -q --python "$environment/bin/python" $packages >&2; } ||
    "$environment/bin/python" -m pip install -q --disable-pip-version-check $packages >&2
  case $packages in
    *bpy==*)
      if ! "$environment/bin/python" -c "import bpy" >&2; then
        echo "make_environment: Blender's libraries are incomplete on this machine. On Debian and Ubuntu:" >&2
        echo "  apt-get install libegl1 libgl1 libice6 libsm6 libx11-6 libxfixes3 libxi6 libxkbcommon0 libxrender1 libxxf86vm1" >&2
        exit 1
      fi ;;
  esac
  echo "$recipe" > "$environment/recipe"
fi
echo "$environment/bin/python"
