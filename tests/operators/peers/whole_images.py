# SPDX-License-Identifier: BSD-3-Clause
"""Operators on whole images, beside OpenCV, scikit-image and numpy."""
import cv2
import numpy as np
import skimage.filters
import skimage.metrics

from comparison import UNIT, Case, by_definition, flat, near, same

PAIR = ("input", "second")


def numbers(images):
    a, b = images.exact, images.second.astype("f8")
    # The exact sum of float32 is rounded to float32.
    error = 1e-13 * images.magnitude if images.is_integer else UNIT * abs(np.mean(a))
    yield Case("mean", {}, [near(np.mean(a), "f8", error)])
    least, greatest, _, _ = cv2.minMaxLoc(a.reshape(1, -1))
    yield Case("least", {}, [near(least, "f8", 0)])
    yield Case("greatest", {}, [near(greatest, "f8", 0)])
    square = skimage.metrics.mean_squared_error(a, b)
    ratio = skimage.metrics.peak_signal_noise_ratio(a, b, data_range=images.white)
    peers = {"mean_absolute": cv2.norm(a.ravel(), b.ravel(), cv2.NORM_L1) / a.size, "mean_square": square,
             "root": np.sqrt(square), "greatest": cv2.norm(a.ravel(), b.ravel(), cv2.NORM_INF), "psnr": ratio}
    for metric, value in peers.items():
        yield Case("distance", {"metric": metric}, [near(value, "f8", 1e-12 * abs(value))], PAIR)


def equalised(image, white):
    """The definition: the share of the points that are not brighter, without the darkest value."""
    counts = np.bincount(image.ravel(), minlength=white + 1)
    so_far = np.cumsum(counts)
    darkest = counts[np.flatnonzero(counts)[0]]
    if darkest == image.size:
        return image
    return ((so_far - darkest) * float(white) / (image.size - darkest))[image]


def of_integers(images):
    a, white, dtype = images.first, int(images.white), images.dtype
    yield Case("histogram", {}, [same(np.bincount(a.ravel(), minlength=white + 1), "u8")])
    peers = [by_definition(near(equalised(a, white), dtype, 1e-9))]
    if dtype == np.uint8:
        # OpenCV rounds halves to even numbers, and a factor to float32.
        peers.append(near(flat(cv2.equalizeHist, a).astype("f8"), dtype, 0.5 + 1e-3))
    yield Case("equalise", {}, peers)
    above = a > skimage.filters.threshold_otsu(a)
    peers = [same(np.where(above, white, 0), dtype)]
    if dtype == np.uint8:
        peers.append(same(flat(lambda p: cv2.threshold(p, 0, 255, cv2.THRESH_OTSU)[1], a)))
    yield Case("otsu", {}, peers)


def cases(images):
    yield from numbers(images)
    if images.is_integer:
        yield from of_integers(images)
    stretched = flat(lambda p: cv2.normalize(p, None, 0, images.white, cv2.NORM_MINMAX), images.exact)
    yield Case("stretch", {}, [near(stretched, images.dtype, 8 * UNIT * images.white)])
