#!/usr/bin/env bash
# Makes a Debian sid root with a real Blender in it (with a window, unlike the bpy wheels), for the tests in tests/gui.
#   usage: tools/make_chroot.sh DIR        (root needed; about 2.5 GB; reused if it is there already)
# Exit status 3: this machine cannot have one (not root, no mounts, Debian's archive out of reach).
set -euo pipefail

directory=${1:?usage: tools/make_chroot.sh DIR}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
packages=(blender python3-numba python3-scipy python3-requests xvfb libgl1-mesa-dri xdotool imagemagick)
# What Blender's own add-ons import and Debian does not pull in: without them its start-up prints errors.
wheels=(attrs cattrs typing_extensions)
here=$(cd "$(dirname "$0")" && pwd)
contact=$(grep '^mujoco-core==' "$here/shipped_wheels.txt") # not in Debian

cannot() { echo "make_chroot: $*" >&2; exit 3; }

mkdir -p "$(dirname "$directory")"
exec 9> "$directory.lock" && flock 9 # one maker at a time
stamp="$directory/ready-for-virtual-erector-set"
recipe="${packages[*]} ${wheels[*]} $contact"
if [ "$(cat "$stamp" 2>/dev/null)" = "$recipe" ]; then
  echo "make_chroot: reusing $directory with $(head -1 "$directory/version")"
  exit 0
fi
[ "$(id -u)" = 0 ] || cannot "only root can make a chroot"
unshare --mount --pid --fork true 2>/dev/null || cannot "this machine does not allow mounts of its own (unshare)"
if ! command -v debootstrap >/dev/null; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends debootstrap; } ||
    cannot "debootstrap is not there and cannot be installed"
fi

if [ ! -x "$directory/usr/bin/apt-get" ] || [ -d "$directory/debootstrap" ]; then
  rm -rf "$directory"
  mkdir -p "$directory"
  debootstrap --variant=minbase sid "$directory" "$mirror" || cannot "debootstrap of sid from $mirror failed"
fi
cp /etc/resolv.conf "$directory/etc/resolv.conf" 2>/dev/null || true
# The index of sid is dated for a week; a mirror that lags behind is good enough for a test.
echo 'Acquire::Check-Valid-Until "false";' > "$directory/etc/apt/apt.conf.d/lagging-mirror"
"$here/in_chroot.sh" "$directory" env DEBIAN_FRONTEND=noninteractive sh -c '
  apt-get update -q && apt-get install -y -q --no-install-recommends "$@" && apt-get clean' install "${packages[@]}" ||
  cannot "Debian's packages cannot be installed in $directory (sid is being rebuilt, or out of reach)"

downloads=$(mktemp -d)
trap 'rm -rf "$downloads"' EXIT
python=$("$here/make_environment.sh" solver) || cannot "no Python with pip to fetch ${wheels[*]} with"
"$python" -m pip download -q --no-deps --only-binary=:all: -d "$downloads" "${wheels[@]}" ||
  cannot "the wheels ${wheels[*]} cannot be downloaded"
abi=$("$here/in_chroot.sh" "$directory" python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
"$python" -m pip download -q --no-deps --only-binary=:all: --implementation=cp --python-version="${abi#cp}" --abi="$abi" \
  --platform="manylinux_2_28_$(uname -m)" --platform="manylinux_2_27_$(uname -m)" -d "$downloads" "$contact" ||
  cannot "the wheel $contact cannot be downloaded for the Python of its Blender, $abi"
for wheel in "$downloads"/*.whl; do
  "$python" -m zipfile -e "$wheel" "$directory/usr/lib/python3/dist-packages"
done
ln -sf /proc/mounts "$directory/etc/mtab"
"$here/in_chroot.sh" "$directory" blender --version > "$directory/version" || cannot "its Blender does not start"
head -1 "$directory/version"
echo "$recipe" > "$stamp"
