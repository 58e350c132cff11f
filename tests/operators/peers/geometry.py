# SPDX-License-Identifier: BSD-3-Clause
"""Operators that move and resample points, beside OpenCV, scipy.ndimage and numpy."""
import cv2
import numpy as np
import scipy.ndimage as ndimage

from comparison import BORDERS, Case, by_definition, near, planes, rounded, same, sum_error


def moves(images):
    a = images.first
    height, width = a.shape[-2:]
    for border, (mode, _, _) in BORDERS.items():
        of_shift = "grid-" + mode if mode in ("wrap", "constant") else mode
        for x, y in images.some([(10, -5), (-3, 0), (2 * width + 3, -height), (0, 100)]):
            moved = planes(lambda p: ndimage.shift(p, (y, x), order=0, mode=of_shift), a)
            yield Case("shift", {"by": [x, y], "border": border}, [same(moved)])
    for direction, code in (("horizontal", 1), ("vertical", 0), ("both", -1)):
        yield Case("flip", {"direction": direction}, [same(planes(lambda p: cv2.flip(p, code), a))])
    for quarters, code in ((1, cv2.ROTATE_90_CLOCKWISE), (2, cv2.ROTATE_180), (3, cv2.ROTATE_90_COUNTERCLOCKWISE)):
        turned = planes(lambda p: cv2.rotate(p, code), a)
        yield Case("rotate", {"quarters": quarters}, [same(turned), same(np.rot90(a, -quarters, (-2, -1)))])
    for left, top, right, bottom in ((0, 0, 0, 0), (width // 3, height // 4, 0, 0), (0, 0, width // 2, height // 3)):
        size = [width - left - right, height - top - bottom]
        kept = a[..., top:height - bottom, left:width - right]
        yield Case("crop", {"offset": [left, top], "size": size}, [by_definition(same(kept))])


def pads(images):
    a = images.first
    for border, (_, mode, code) in BORDERS.items():
        for left, right, top, bottom in images.some([(8, 3, 2, 5), (0, 70, 50, 0)]):
            value = {"constant": 77 if images.is_integer else 0.3}.get(border, 0)
            padded = planes(lambda p: cv2.copyMakeBorder(p, top, bottom, left, right, code, value=value), a)
            extent = [(0, 0)] * (a.ndim - 2) + [(top, bottom), (left, right)]
            options = {"constant_values": value} if border == "constant" else {}
            yield Case("pad", {"columns": [left, right], "rows": [top, bottom], "border": border, "value": value},
                       [same(padded), same(np.pad(a, extent, mode, **options))])


def cubic(t):
    a, t = -0.75, np.abs(t)
    near_part = ((a + 2) * t - (a + 3)) * t * t + 1
    return np.where(t < 1, near_part, np.where(t < 2, ((a * t - 5 * a) * t + 8 * a) * t - 4 * a, 0))


def resampling(method, source, result):
    """Returns the matrix that makes `result` points of `source` points."""
    matrix = np.zeros((result, source))
    step = source / result
    for x in range(result):
        position = (x + 0.5) * step - 0.5
        if method == "nearest":
            matrix[x, (2 * x + 1) * source // (2 * result)] = 1
        elif method == "area":
            for i in range(source):
                matrix[x, i] = max(0, min(i + 1, (x + 1) * step) - max(i, x * step)) / step
        else:
            reach, weight = (1, lambda t: max(0, 1 - abs(t))) if method == "linear" else (2, cubic)
            for i in range(int(np.floor(position)) - reach + 1, int(np.floor(position)) + reach + 1):
                matrix[x, min(max(i, 0), source - 1)] += weight(position - i)
    return matrix


def resized(images):
    a = images.exact
    height, width = a.shape[-2:]
    codes = {"nearest": cv2.INTER_NEAREST_EXACT, "linear": cv2.INTER_LINEAR, "cubic": cv2.INTER_CUBIC,
             "area": cv2.INTER_AREA}
    smaller = (max(1, width // 2 - 1), max(1, height // 3))
    for size in images.some([smaller, (100, 80), (width, 2 * height), (1, 1), (3 * width + 1, max(1, height // 5))]):
        for method, code in codes.items():
            columns, rows = resampling(method, width, size[0]), resampling(method, height, size[1])
            sums = rows @ a @ columns.T
            taps = np.max(np.sum(columns != 0, axis=1)) + np.max(np.sum(rows != 0, axis=1))
            error = 0 if method == "nearest" else sum_error(4 * taps, 2 * images.magnitude)
            # The weights of images of twice the rows are quarters, with which sums are exact.
            is_exact = images.is_integer and size == (width, 2 * height) and method in ("linear", "area")
            peers = [by_definition(rounded(sums, images.dtype) if is_exact else near(sums, images.dtype, error))]
            # OpenCV has its weights as float32. Its method 'area' is another one where images become larger.
            if method != "area" or (size[0] <= width and size[1] <= height):
                of_opencv = planes(lambda p: cv2.resize(p, size, interpolation=code),
                                   images.first if method == "nearest" else a)
                peers.append(near(of_opencv, images.dtype, 0 if method == "nearest" else 2e-5 * images.magnitude))
            yield Case("resize", {"size": list(size), "method": method}, peers)


def pyramids(images):
    a, dtype = images.exact, images.dtype
    error = sum_error(24, 4 * images.magnitude)
    binomial = np.array([1, 4, 6, 4, 1])

    def stored(sums, total):
        return rounded(sums / total, dtype) if images.is_integer else near(sums / total, dtype, error)

    for border, (mode, pad_mode, _) in BORDERS.items():
        smooth = planes(lambda p: ndimage.convolve1d(ndimage.convolve1d(p, binomial, 1, mode=mode), binomial, 0,
                                                     mode=mode), a)
        peers = [stored(smooth[..., ::2, ::2], 256)]
        if border == "mirror_interior":
            of_opencv = planes(cv2.pyrDown, images.first)
            peers.append(same(of_opencv) if images.is_integer else near(of_opencv, dtype, error))
        yield Case("pyramid_down", {"border": border}, peers)
        # The definition puts zeros between the points, and filters them.
        wide = np.pad(a, [(0, 0)] * (a.ndim - 2) + [(2, 2), (2, 2)], pad_mode)
        zeros = np.zeros((*wide.shape[:-2], 2 * wide.shape[-2], 2 * wide.shape[-1]))
        zeros[..., ::2, ::2] = wide
        filled = planes(lambda p: ndimage.convolve(p, np.outer(binomial, binomial)), zeros)[..., 4:-4, 4:-4]
        peers = [by_definition(stored(filled, 64))]
        if min(a.shape[-2:]) > 2:
            # OpenCV has other values beyond the borders.
            errors = np.full(filled.shape, np.inf)
            errors[..., 2:-2, 2:-2] = 0 if images.is_integer else error
            peers.append(near(planes(cv2.pyrUp, images.first), dtype, errors, least_share=0.8))
        yield Case("pyramid_up", {"border": border}, peers)


def cases(images):
    for family in (moves, pads, resized, pyramids):
        yield from family(images)
