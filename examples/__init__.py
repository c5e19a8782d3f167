# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes built through the same operators that a person uses. `python -m examples.render SCENE` bakes and renders one.

A scene is a module with `build(frames)`, which fills an empty file; everything else here helps to draw, measure and
render it.
"""
