# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Torques: which torques make the motion that is animated; and motors that give them."""
