# SPDX-License-Identifier: BSD-3-Clause
"""Operators on channels, beside OpenCV, scikit-image and numpy."""
import cv2
import numpy as np
import skimage.color

from comparison import UNIT, Case, near, same, sum_error

# The shares of red, green and blue in the luma of JPEG files (ITU-R BT.601).
LUMA = np.array([0.299, 0.587, 0.114])


def interleaved(image):
    return np.ascontiguousarray(np.moveaxis(image, 0, -1))


def matrices(images):
    a = interleaved(images.exact)
    identity = np.eye(3).tolist()
    offset = 0.125 * images.white
    for matrix in images.some([[[0.2, 0.7, 0.1]], [[1, -0.5, 0.25, offset], [0.1, 0.2, 0.3, 0], [0, 0, 1, 0]],
                               identity, [[0.5, 0.5, 0], [0, 0.5, 0.5]], [[1, 1, 1]] * 4]):
        weights = np.array(matrix)
        result = np.moveaxis(np.atleast_3d(cv2.transform(a, weights)), -1, 0)
        error = sum_error(4, images.magnitude * np.max(np.sum(np.abs(weights[:, :3]), axis=1)) + offset)
        yield Case("colour_matrix", {"matrix": matrix},
                   [near(result[0] if len(matrix) == 1 else result, images.dtype, error)])


def luma_and_chroma(images):
    a, dtype = images.exact, images.dtype
    middle = (images.white + 1) / 2 if images.is_integer else 0.5
    red, green, blue = a
    luma = np.tensordot(LUMA, a, 1)
    error = sum_error(6, 4 * images.magnitude)
    # OpenCV rounds its weights of bytes and of 16 bits, and those of chroma to three digits.
    loose = 0.5 + 1e-3 * images.magnitude if images.is_integer else 2e-3 * images.magnitude

    def of_opencv(image, code):
        return np.moveaxis(cv2.cvtColor(interleaved(image), code), -1, 0).astype("f8")

    grey = cv2.cvtColor(interleaved(images.first), cv2.COLOR_RGB2GRAY)
    yield Case("grey", {}, [near(luma, dtype, error), near(grey, dtype, loose)])
    ycbcr = np.stack([luma, (blue - luma) / (2 * (1 - LUMA[2])) + middle, (red - luma) / (2 * (1 - LUMA[0])) + middle])
    swapped = of_opencv(images.first, cv2.COLOR_RGB2YCrCb)[[0, 2, 1]]
    yield Case("ycbcr", {}, [near(ycbcr, dtype, error), near(swapped, dtype, loose)])
    y, cb, cr = a
    from_red, from_blue = y + 2 * (1 - LUMA[0]) * (cr - middle), y + 2 * (1 - LUMA[2]) * (cb - middle)
    from_green = (y - LUMA[0] * from_red - LUMA[2] * from_blue) / LUMA[1]
    colour = of_opencv(images.first[[0, 2, 1]], cv2.COLOR_YCrCb2RGB)
    yield Case("from_ycbcr", {}, [near(np.stack([from_red, from_green, from_blue]), dtype, error),
                                  near(colour, dtype, loose)])


def cases(images):
    a = images.first
    if a.ndim == 2:
        yield Case("channel", {}, [same(a)])
        yield Case("merge", {}, [same(np.moveaxis(cv2.merge([images.first, images.second, images.third]), -1, 0))],
                   ("input", "second", "third"))
        yield Case("colour_matrix", {"matrix": [[0.5, 3]]}, [near(images.exact * 0.5 + 3, images.dtype,
                                                                 4 * UNIT * (images.magnitude + 3))])
        return
    for index in range(len(a)):
        yield Case("channel", {"index": index}, [same(a[index])])
    if len(a) != 3:
        return
    yield from matrices(images)
    yield from luma_and_chroma(images)
    # scikit-image has its weights with six digits. The root of small values multiplies that by some thousands.
    lab = np.moveaxis(skimage.color.rgb2lab(interleaved(images.exact / images.white)), -1, 0)
    yield Case("lab", {}, [near(lab, "f4", 0.02)])
