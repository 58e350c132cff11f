# SPDX-License-Identifier: BSD-3-Clause
"""Convolutions, gradients and edges, beside scipy.ndimage, OpenCV and scikit-image, all in float64."""
import cv2
import numpy as np
import scipy.ndimage as ndimage
import skimage.filters
import skimage.morphology

from comparison import BORDERS, UNIT, Case, by_definition, near, planes, rounded, same, sum_error


def smooth(a, sigma, truncate, mode):
    return planes(lambda p: ndimage.gaussian_filter(p, sigma, truncate=truncate, mode=mode), a)


def convolutions(images, border):
    mode, _, code = BORDERS[border]
    random = np.random.default_rng(9)
    kernels = [np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]), random.integers(-4, 5, (3, 5)),
               np.outer([1, 4, 6, 4, 1], [1, 2, 1]), random.uniform(-1, 1, (5, 7)).round(3), np.array([[1, 2, 4]])]
    for kernel in images.some(kernels):
        sums = planes(lambda p: ndimage.convolve(p, kernel.astype("f8"), mode=mode), images.exact)
        error = sum_error(2 * kernel.size, np.sum(np.abs(kernel)) * images.magnitude)
        as_float = [near(sums, "f4", error)]
        if border != "periodic":
            turned = np.ascontiguousarray(kernel[::-1, ::-1], "f8")
            correlated = planes(lambda p: cv2.filter2D(p, cv2.CV_64F, turned, borderType=code), images.exact)
            as_float.append(near(correlated, "f4", error))
        named = {"kernel": kernel.tolist(), "border": border}
        yield Case("convolution", {**named, "float_result": True}, as_float)
        scaled = {"scale": 0.3, "offset": 0.25 * images.white}
        result = sums * 0.3 + scaled["offset"]
        yield Case("convolution", {**named, **scaled}, [near(result, images.dtype, error)])
        # Sums of integers are exact, as are their shares of a power of two.
        is_exact = images.is_integer and np.issubdtype(kernel.dtype, np.integer)
        halves = rounded(sums / 2, images.dtype) if is_exact else near(sums / 2, images.dtype, error)
        yield Case("convolution", {**named, "scale": 0.5}, [halves])
        if (total := np.sum(kernel)) != 0:
            is_exact &= np.log2(np.abs(total)) % 1 == 0
            yield Case("convolution", {**named, "normalise": True},
                       [rounded(sums / total, images.dtype) if is_exact else
                        near(sums / total, images.dtype, 2 * error / abs(total))])


def means(images, border):
    mode, _, code = BORDERS[border]
    for sigma, truncate in images.some([(1, 4), (2.3, 3), (0.4, 4), (9, 4)]):
        radius = int(truncate * sigma + 0.5)
        # Bytes are smoothed in fixed-point arithmetic.
        fixed = images.dtype == np.uint8 and radius <= 32
        error = 0.05 if fixed else sum_error(4 * radius, 2 * images.magnitude)
        peers = [near(smooth(images.exact, sigma, truncate, mode), images.dtype, error, is_even=images.is_integer)]
        if border != "periodic":
            size = (2 * radius + 1, 2 * radius + 1)
            peers.append(near(planes(lambda p: cv2.GaussianBlur(p, size, sigma, borderType=code), images.exact),
                              images.dtype, error))
        yield Case("gaussian", {"sigma": sigma, "truncate": truncate, "border": border}, peers)
    for columns, rows in images.some([(3, 3), (5, 1), (9, 7), (1, 31)]):
        mean = planes(lambda p: ndimage.uniform_filter(p, (rows, columns), mode=mode), images.exact)
        error = sum_error(columns + rows, 2 * images.magnitude)
        peers = [near(mean, images.dtype, error)]
        if border != "periodic":
            peers.append(near(planes(lambda p: cv2.blur(p, (columns, rows), borderType=code), images.exact),
                              images.dtype, error))
        yield Case("box", {"window": [columns, rows], "border": border}, peers)


def derivatives(image, mode, weights):
    along = np.asarray(weights, "f8")
    across = np.asarray((-1, 0, 1), "f8")
    return [planes(lambda p: ndimage.correlate(p, kernel, mode=mode), image)
            for kernel in (np.outer(along, across), np.outer(across, along))]


def gradients(images, border):
    mode, _, code = BORDERS[border]
    for name, weights in (("sobel", (1, 2, 1)), ("scharr", (3, 10, 3)), ("prewitt", (1, 1, 1))):
        dx, dy = derivatives(images.exact, mode, weights)
        error = 0 if images.is_integer else sum_error(8, 2 * sum(weights) * images.magnitude)
        peers = {"x": [near(dx, "f4", error)], "y": [near(dy, "f4", error)],
                 "sum": [near(np.abs(dx) + np.abs(dy), images.dtype, 2 * error)],
                 "root": [near(np.hypot(dx, dy), images.dtype, 2 * error + 4 * UNIT * np.hypot(dx, dy))]}
        if name == "prewitt":
            for part, axis in (("x", -1), ("y", -2)):
                of_scipy = planes(lambda p: ndimage.prewitt(p, axis, mode=mode), images.exact)
                peers[part].append(near(of_scipy, "f4", error))
        elif border != "periodic":
            of_opencv = {"sobel": lambda p, x, y: cv2.Sobel(p, cv2.CV_64F, x, y, borderType=code),
                         "scharr": lambda p, x, y: cv2.Scharr(p, cv2.CV_64F, x, y, borderType=code)}[name]
            peers["x"].append(near(planes(lambda p: of_opencv(p, 1, 0), images.exact), "f4", error))
            peers["y"].append(near(planes(lambda p: of_opencv(p, 0, 1), images.exact), "f4", error))
        for part, expected in peers.items():
            yield Case(name, {"part": part, "border": border}, expected)
    error = 0 if images.is_integer else sum_error(9, 16 * images.magnitude)
    for diagonals in (False, True):
        kernel = np.array([[1, 1, 1], [1, -8, 1], [1, 1, 1]] if diagonals else [[0, 1, 0], [1, -4, 1], [0, 1, 0]])
        peers = [near(planes(lambda p: ndimage.correlate(p, kernel.astype("f8"), mode=mode), images.exact), "f4",
                      error)]
        if not diagonals:
            peers.append(near(planes(lambda p: ndimage.laplace(p, mode=mode), images.exact), "f4", error))
        yield Case("laplacian", {"diagonals": diagonals, "border": border}, peers)


def sharpened(images, border):
    mode = BORDERS[border][0]
    for sigma, amount in images.some([(1, 1), (1.5, 0.8), (3, -0.5)]):
        image = images.exact
        result = image + amount * (image - smooth(image, sigma, 4, mode))
        error = sum_error(4 * int(4 * sigma + 0.5), (1 + 2 * abs(amount)) * images.magnitude)
        peers = [near(result, images.dtype, error)]
        if border == "mirror":
            of_skimage = planes(lambda p: skimage.filters.unsharp_mask(p, sigma, amount, preserve_range=True), image)
            peers.append(near(of_skimage, images.dtype, error))
        yield Case("unsharp", {"sigma": sigma, "amount": amount, "border": border}, peers)


def neighbours(size):
    """Returns the sizes of the gradient on both sides of each point, in the four directions."""
    padded = np.pad(size, [(0, 0)] * (size.ndim - 2) + [(1, 1), (1, 1)])
    height, width = size.shape[-2:]

    def at(i, j):
        return padded[..., 1 + j:1 + j + height, 1 + i:1 + i + width]

    return [(at(-i, -j), at(i, j)) for i, j in ((1, 0), (0, 1), (1, 1), (-1, 1))]


def thinned(dx, dy, size):
    """Returns the gradient where it is the greatest along its direction, and where that is beyond doubt."""
    tangent = np.sqrt(2) - 1
    flat_x, flat_y = np.abs(dx) * tangent - np.abs(dy), np.abs(dy) * tangent - np.abs(dx)
    direction = np.select([flat_x >= 0, flat_y >= 0, dx * dy > 0], [0, 1, 2], 3)
    before, after = (np.choose(direction, sides) for sides in zip(*neighbours(size)))
    slack = 1e-5 * np.max(size)
    is_sure = np.min([np.abs(v) for v in (flat_x, flat_y, size - before, size - after)], axis=0) > slack
    return np.where((size > before) & (size >= after), size, 0), is_sure


def thin_edges(images, border):
    mode = BORDERS[border][0]
    for sigma, low in images.some([(1, 0), (1.4, 0.1 * images.white)]):
        dx, dy = derivatives(smooth(images.exact, sigma, 4, mode), mode, (1, 2, 1))
        size = np.hypot(dx, dy)
        edges, is_sure = thinned(dx, dy, size)
        error = sum_error(8 * int(4 * sigma + 0.5), 16 * images.magnitude)
        is_sure &= np.abs(size - low) > error
        # Where rounding may decide whether a point stays, either result is right.
        value = np.where(edges >= low, edges, 0)
        expected = near(value, "f4", error, other=np.where(is_sure, np.nan, np.where(value > 0, 0, size)),
                        least_share=0.9 if min(dx.shape[-2:]) > 1 else 0)
        yield Case("thin_edges", {"sigma": sigma, "low": low, "border": border}, [by_definition(expected)])
    if images.dtype != np.uint8:
        return
    # Such a narrow Gaussian leaves the image as it is, so that all decisions are exact.
    dx, dy = derivatives(images.exact, mode, (1, 2, 1))
    size = np.sqrt((dx * dx + dy * dy).astype("f4"))
    edges, _ = thinned(dx, dy, size)
    yield Case("thin_edges", {"sigma": 0.1, "border": border}, [by_definition(same(edges, "f4")), opencv_edges(dx, dy, size)])


def opencv_canny(dx, dy, low, high):
    def canny(planes_of_dx, planes_of_dy):
        return cv2.Canny(planes_of_dx.astype("i2"), planes_of_dy.astype("i2"), low, high, L2gradient=True) > 0

    return np.stack([canny(p, q) for p, q in zip(dx, dy)]) if dx.ndim == 3 else canny(dx, dy)


def free_in_opencv(dx, dy, size):
    """Returns where OpenCV may have another edge. It drops both of two equal points that follow each other along a
    diagonal, but the operator keeps one of them, and its tangent is rounded to 15 bits."""
    ties = np.any([size == side for sides in neighbours(size)[2:] for side in sides], axis=0)
    steep = np.abs(dx) * (np.sqrt(2) - 1) - np.abs(dy), np.abs(dy) * (np.sqrt(2) - 1) - np.abs(dx)
    return ties | (np.min(np.abs(steep), axis=0) < 1e-3 * np.abs(dx))


def opencv_edges(dx, dy, size):
    kept, is_free = opencv_canny(dx, dy, 0, 0), free_in_opencv(dx, dy, size)
    return near(np.where(kept, size, 0), "f4", 0, other=np.where(is_free, np.where(kept, 0, size), np.nan))


def hysteresis(images, low, high):
    """Returns what Canny's edges of images of uint8 are, by scikit-image's reconstruction of the edges of the operator, and
    by OpenCV, whose edges may be other ones where they are connected with a point that may be another one."""
    dx, dy = derivatives(images.exact, "nearest", (1, 2, 1))
    size = np.sqrt((dx * dx + dy * dy).astype("f4"))
    edges, _ = thinned(dx, dy, size)
    weak, window = edges >= low, np.ones((3, 3))
    seeds = (edges >= high).astype("u1")
    grown = [skimage.morphology.reconstruction(s, w, footprint=window) for s, w in
             zip(seeds.reshape(-1, *size.shape[-2:]), weak.astype("u1").reshape(-1, *size.shape[-2:]))]
    of_opencv = opencv_canny(dx, dy, low, high)
    is_free = free_in_opencv(dx, dy, size) & (size >= low)

    def connected_with_free(points, free):
        parts, _ = ndimage.label(points | free, window)
        return np.isin(parts, np.unique(parts[free]))

    doubtful = [connected_with_free(p, f) for p, f in
                zip((weak | of_opencv).reshape(-1, *size.shape[-2:]), is_free.reshape(-1, *size.shape[-2:]))]
    is_sure = ~np.reshape(doubtful, size.shape)
    return np.reshape(grown, size.shape) > 0, of_opencv, is_sure


def cases(images):
    for border in images.some(BORDERS):
        for family in (convolutions, means, gradients, sharpened, thin_edges):
            yield from family(images, border)
