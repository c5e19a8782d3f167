#!/usr/bin/env bash
# Runs one command in a chroot, with /proc, /dev and, if given, one folder of this machine under its own path.
#   usage: tools/in_chroot.sh DIR COMMAND [ARGUMENT...]        SHARED=/some/folder is visible inside as /some/folder
# Mounts and processes live in namespaces of their own: both are gone when the command ends, however it ends.
set -euo pipefail

directory=${1:?usage: tools/in_chroot.sh DIR COMMAND...}
shift
export CHROOT_DIRECTORY=$directory
unset VES_KERNELS # a folder of this machine
exec unshare --mount --propagation private --pid --fork --kill-child bash -euo pipefail -c '
  mount -t proc proc "$CHROOT_DIRECTORY/proc"
  mount --rbind /dev "$CHROOT_DIRECTORY/dev"
  if [ -n "${SHARED:-}" ]; then
    mkdir -p "$CHROOT_DIRECTORY$SHARED"
    mount --bind "$SHARED" "$CHROOT_DIRECTORY$SHARED"
  fi
  exec chroot "$CHROOT_DIRECTORY" "$@"' in_chroot "$@"
