# SPDX-License-Identifier: BSD-3-Clause
"""Operators on channels, beside OpenCV, scikit-image and numpy."""
import cv2
import numpy as np
import skimage.color

from comparison import UNIT, Case, by_definition, near, rounded, same, sum_error

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
        result = result[0] if len(matrix) == 1 else result
        is_exact = images.is_integer and np.all(weights * 2 % 1 == 0)
        yield Case("colour_matrix", {"matrix": matrix},
                   [rounded(result, images.dtype) if is_exact else near(result, images.dtype, error)])


def luma_and_chroma(images):
    a, dtype = images.exact, images.dtype
    middle = (images.white + 1) / 2 if images.is_integer else 0.5
    red, green, blue = a
    luma = np.tensordot(LUMA, a, 1)
    error = sum_error(6, 4 * images.magnitude)
    # OpenCV computes float32 with its weights as they are published: those of chroma have three digits.
    tight = 2e-6 * images.magnitude

    def of_opencv(planes_of_image, code):
        floats = interleaved(np.stack(planes_of_image) / images.white).astype("f4")
        return np.moveaxis(np.atleast_3d(cv2.cvtColor(floats, code)), -1, 0).astype("f8") * images.white

    [grey] = of_opencv(a, cv2.COLOR_RGB2GRAY)
    yield Case("grey", {}, [by_definition(near(luma, dtype, error)), near(grey, dtype, tight)])
    of_blue, of_red = 1 / (2 * (1 - LUMA[2])), 1 / (2 * (1 - LUMA[0]))
    ycbcr = np.stack([luma, (blue - luma) * of_blue + middle, (red - luma) * of_red + middle])
    y, cr, cb = of_opencv(a, cv2.COLOR_RGB2YCrCb)
    half = images.white / 2
    swapped = np.stack([y, (cb - half) / 0.564 * of_blue + middle, (cr - half) / 0.713 * of_red + middle])
    yield Case("ycbcr", {}, [by_definition(near(ycbcr, dtype, error)), near(swapped, dtype, tight)])
    y, cb, cr = a
    from_red, from_blue = y + 2 * (1 - LUMA[0]) * (cr - middle), y + 2 * (1 - LUMA[2]) * (cb - middle)
    from_green = (y - LUMA[0] * from_red - LUMA[2] * from_blue) / LUMA[1]
    # The contribution of each chroma is found by an image without the other one.
    to_rgb, none = cv2.COLOR_YCrCb2RGB, np.full_like(y, half)
    red_added = of_opencv((y, cr - middle + half, none), to_rgb) - y
    blue_added = of_opencv((y, none, cb - middle + half), to_rgb) - y
    green = y + red_added[1] * LUMA[0] / LUMA[1] / of_red / 0.714 + blue_added[1] * LUMA[2] / LUMA[1] / of_blue / 0.344
    colour = np.stack([y + red_added[0] / of_red / 1.403, green, y + blue_added[2] / of_blue / 1.773])
    yield Case("from_ycbcr", {}, [by_definition(near(np.stack([from_red, from_green, from_blue]), dtype, error)),
                                  near(colour, dtype, 2 * tight)])


def cases(images):
    a = images.first
    if a.ndim == 2:
        yield Case("channel", {}, [by_definition(same(a))])
        yield Case("merge", {}, [same(np.moveaxis(cv2.merge([images.first, images.second, images.third]), -1, 0))],
                   ("input", "second", "third"))
        halves, error = images.exact * 0.5 + 3, 4 * UNIT * (images.magnitude + 3)
        yield Case("colour_matrix", {"matrix": [[0.5, 3]]},
                   [by_definition(rounded(halves, images.dtype) if images.is_integer else
                                  near(halves, images.dtype, error))])
        return
    for index in range(len(a)):
        yield Case("channel", {"index": index}, [by_definition(same(a[index]))])
    if len(a) != 3:
        return
    yield from matrices(images)
    yield from luma_and_chroma(images)
    # scikit-image has its weights with six digits. The root of small values multiplies that by some thousands.
    lab = np.moveaxis(skimage.color.rgb2lab(interleaved(images.exact / images.white)), -1, 0)
    # Values beyond 0 and 1 enlarge that.
    yield Case("lab", {}, [near(lab, "f4", 0.008 if images.magnitude > images.white else 0.006)])
