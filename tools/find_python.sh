#!/usr/bin/env bash
# Prints the path of a working Python of the wanted version, wherever this machine keeps it; exit status 1 if there is none.
#   usage: tools/find_python.sh 3.11
set -uo pipefail

version=${1:?usage: tools/find_python.sh VERSION}

# An interpreter counts if it runs (pyenv's shims exist without a version behind them) and can make environments.
works() { "$1" -c "import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" 2>/dev/null; }

for python in "python$version" python3 python \
  "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version"*/bin/python /usr/local/bin/"python$version" /usr/bin/"python$version"; do
  path=$(command -v "$python" 2>/dev/null) || continue
  if works "$path"; then
    echo "$path"
    exit 0
  fi
done
if command -v uv >/dev/null; then
  path=$(uv python find "$version" 2>/dev/null) || path=""
  # uv may fetch an interpreter that this machine lacks
  if [ -z "$path" ] && uv python install -q "$version" 2>/dev/null; then path=$(uv python find "$version" 2>/dev/null); fi
  [ -n "$path" ] && echo "$path" && exit 0
fi
exit 1
