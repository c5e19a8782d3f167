# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage's arrays from its description, and what a linkage may not be.

`numbering` gives its bodies their numbers, `tree_arrays` and `closing_arrays` fill the arrays, and `compilation` puts
them together to a model by one of the methods.
"""
