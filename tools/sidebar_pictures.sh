#!/usr/bin/env bash
# Takes the manual's pictures of the sidebar anew: photographs of tests/gui/test_sidebar_window.py, cut out.
#   usage: VES_CHROOT=DIR tools/sidebar_pictures.sh        DIR is what tools/make_chroot.sh made; root needed
set -euo pipefail

cd "$(dirname "$0")/.."
python=$(tools/make_environment.sh solver)
"$python" -m pytest tests/gui/test_sidebar_window.py -q -k in_sight
photographs=$PWD/artefacts/gui
mkdir -p "$photographs/cut"
SHARED=$photographs tools/in_chroot.sh "$VES_CHROOT" bash -euo pipefail -c '
  cd "$1"
  sidebar=326x900+1250+78 # of a window of 1920 x 1080
  convert sidebar_body.png -crop 1100x900+476+78 +repage -quality 88 cut/sidebar.jpg
  convert sidebar_joint.png -crop 270x268+1284+325 +repage -quality 88 cut/joint.jpg
  montage sidebar_{empty,meshes,joint,out_of_date}.png -crop $sidebar +repage -tile 4x1 \
    -geometry 245x676+3+3 -quality 88 cut/sidebar_states.jpg' cut "$photographs"
cp "$photographs"/cut/*.jpg docs/pictures/
