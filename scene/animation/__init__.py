# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation of objects: what is animated, what is kept while baked motion plays, and keyframes of what is built."""
