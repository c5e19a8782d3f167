# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth surfaces that ride on each other: their points and curvatures, how they roll and slide, and where they meet.

Source: D. K. Pai, U. M. Ascher, P. G. Kry, Forward Dynamics Algorithms for Multibody Chains and Contact, ICRA 2000,
section 6; D. J. Montana, The Kinematics of Contact and Grasp, Int. J. Robotics Research 7 (1988).
"""
