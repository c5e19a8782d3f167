#!/usr/bin/env bash
# Runs tests/blender in each of the given Blender versions and sums up; a version whose Python is missing is skipped, loudly.
# The word window stands for tests/gui, in the Blender with a window that $VES_CHROOT holds (tools/make_chroot.sh).
#   usage: tools/test_blenders.sh "4.5.15 5.2.3 window" [pytest argument...]
set -uo pipefail

versions=${1:?usage: tools/test_blenders.sh "VERSION..." [pytest argument...]}
shift
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1

summary=()
status=0
ran=0
for version in $versions; do
  echo "== Blender $version"
  tests=tests/blender environment=bpy-$version
  [ "$version" = window ] && tests=tests/gui environment=solver
  python=$(tools/make_environment.sh "$environment")
  case $? in
    0) ;;
    3) summary+=("SKIPPED Blender $version: NOT TESTED, its Python is not on this machine"); continue ;;
    *) summary+=("FAILED  Blender $version: its environment could not be made"); status=1; continue ;;
  esac
  log=$(mktemp)
  "$python" -m pytest "$tests" "$@" 2>&1 | tee "$log"
  verdict=${PIPESTATUS[0]}
  line=$(grep -E '^(=+ )?([0-9]+ (passed|failed|error|skipped)|no tests ran).* in [0-9.]+s' "$log" | tail -1 | sed 's/^=* *//; s/ *=*$//')
  rm -f "$log"
  [ "$verdict" = 0 ] && word="passed " || { word="FAILED "; status=1; }
  summary+=("$word Blender $version: ${line:-ended with status $verdict and no summary}")
  ran=$((ran + 1))
done
echo
printf '%s\n' "${summary[@]}"
if [ "$ran" = 0 ]; then
  echo "FAILED  no Blender version could be tested" >&2
  exit 1
fi
exit "$status"
