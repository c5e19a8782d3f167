#!/usr/bin/env bash
# Takes the manual's pictures of the sidebar, of Play, sizes and Bake Part anew: photographs of tests/gui, cut out.
#   usage: VES_CHROOT=DIR tools/sidebar_pictures.sh        DIR is what tools/make_chroot.sh made; root needed
set -euo pipefail

cd "$(dirname "$0")/.."
python=$(tools/make_environment.sh solver)
"$python" -m pytest tests/gui/test_sidebar_window.py tests/gui/test_play_window.py \
  tests/gui/test_sizes_window.py tests/gui/test_part_window.py -q \
  -k "in_sight or while_it_plays or a_drag_are_kept or gets_thicker or of_a_part"
photographs=$PWD/artefacts/gui
mkdir -p "$photographs/cut"
SHARED=$photographs tools/in_chroot.sh "$VES_CHROOT" bash -euo pipefail -c '
  cd "$1"
  sidebar=326x900+1250+78 # of a window of 1920 x 1080
  convert sidebar_body.png -crop 1100x900+476+78 +repage -quality 88 cut/sidebar.jpg
  convert sidebar_generic.png -crop 826x640+750+78 +repage -quality 88 cut/generic_joint.jpg
  convert sidebar_joint.png -crop 270x268+1284+325 +repage -quality 88 cut/joint.jpg
  montage sidebar_{empty,meshes,joint,out_of_date,playing}.png -crop $sidebar +repage -tile 5x1 \
    -geometry 245x676+3+3 -quality 88 cut/sidebar_states.jpg
  convert sizes_dragged.png -crop 800x690+748+288 +repage -quality 88 cut/size_handles.jpg
  montage part_{ghost,compared}.png -crop 560x700+520+150 +repage -tile 2x1 -geometry +3+3 -quality 88 cut/part.jpg
  convert play_drag.png -crop 840x1050+480+46 +repage -quality 88 cut/play.jpg # of one of 1600 x 1800' cut "$photographs"
cp "$photographs"/cut/*.jpg docs/pictures/
