# SPDX-License-Identifier: BSD-3-Clause
"""The frames of a series that tests of tessera-flow compute the flows of, and the words of short runs."""
import numpy as np

METHOD = ("scales=2", "warps=2", "turns=10", "threads=1")


def frame(number, height, width, acceleration):
    """The grey values of a frame, of which each moves farther than the one before."""
    y, x = np.mgrid[:height, :width].astype("f8")
    x, y = x - acceleration * number * number, y + 0.2 * number
    return np.rint(120 + 60 * np.sin(0.31 * x + 0.1 * y) + 50 * np.cos(0.27 * y - 0.1 * x)).astype("u1")
