# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision detection: from shapes and poses to contact points with normal and gap.

`collision` asks MuJoCo's engine, `ground` knows level ground in closed form; the others correct or complete what the
engine answers, shape by shape.
"""
