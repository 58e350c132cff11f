# SPDX-License-Identifier: BSD-3-Clause
"""Morphology, ranks, variances and the bilateral filter, beside scipy.ndimage, OpenCV and numpy."""
import cv2
import numpy as np
import scipy.ndimage as ndimage

from comparison import BORDERS, UNIT, Case, by_definition, near, planes, same

# The operators, with their names in scipy.ndimage and in OpenCV.
MORPHOLOGY = {
    "erode": (ndimage.grey_erosion, cv2.MORPH_ERODE),
    "dilate": (ndimage.grey_dilation, cv2.MORPH_DILATE),
    "open": (ndimage.grey_opening, cv2.MORPH_OPEN),
    "close": (ndimage.grey_closing, cv2.MORPH_CLOSE),
    "morphological_gradient": (ndimage.morphological_gradient, cv2.MORPH_GRADIENT),
    "top_hat": (ndimage.white_tophat, cv2.MORPH_TOPHAT),
    "black_hat": (ndimage.black_tophat, cv2.MORPH_BLACKHAT),
}


SHAPES = {"rectangle": cv2.MORPH_RECT, "ellipse": cv2.MORPH_ELLIPSE, "cross": cv2.MORPH_CROSS}


def morphology(images, border):
    mode = BORDERS[border][0]
    dtype = images.dtype
    # Differences of integers would wrap around where a border of 0 makes them negative. Those of float32 have
    # to be rounded as float32.
    image = images.first.astype("i8") if images.is_integer else images.first
    for shape, columns, rows in images.some([
            ("rectangle", 3, 3), ("ellipse", 7, 5), ("cross", 5, 3), ("rectangle", 5, 3), ("rectangle", 1, 7),
            ("rectangle", 31, 9), ("ellipse", 9, 9), ("ellipse", 21, 31), ("ellipse", 5, 1), ("cross", 1, 9), ("cross", 15, 7)]):
        window = cv2.getStructuringElement(SHAPES[shape], (columns, rows))
        for name, (of_scipy, code) in MORPHOLOGY.items():
            result = planes(lambda p: of_scipy(p, footprint=window, mode=mode), image)
            if images.is_integer:
                result = np.clip(result, 0, images.white)
            peers = [same(result, dtype)]
            if border != "periodic":
                of_opencv = planes(lambda p: cv2.morphologyEx(p, code, window, borderType=BORDERS[border][2], borderValue=0),
                                   images.first)
                peers.append(same(of_opencv, dtype))
            # The shape of a rectangle may be left out.
            given = {} if shape == "rectangle" and columns != 5 else {"shape": shape}
            yield Case(name, {"window": [columns, rows], **given, "border": border}, peers)


def ranks(images, border):
    mode = BORDERS[border][0]
    a = images.first
    for columns, rows in images.some([(3, 3), (5, 5), (7, 3), (1, 9), (21, 11)]):
        named = {"window": [columns, rows], "border": border}
        peers = [same(planes(lambda p: ndimage.median_filter(p, (rows, columns), mode=mode), a))]
        if border == "clamp" and columns == rows:
            peers.append(same(planes(lambda p: cv2.medianBlur(p, rows), a)))
        yield Case("median", named, peers)
        for percent in images.some((90, 10, 33.3, 0, 100)):
            result = planes(lambda p: ndimage.percentile_filter(p, percent, (rows, columns), mode=mode), a)
            yield Case("percentile", {**named, "percent": percent}, [same(result)])


def variances(images, border):
    mode = BORDERS[border][0]
    for columns, rows in images.some([(3, 3), (5, 3), (15, 21)]):
        def mean(image):
            return planes(lambda p: ndimage.uniform_filter(p, (rows, columns), mode=mode), image)

        a = images.exact
        variance = np.maximum(mean(a * a) - mean(a) ** 2, 0)
        error = 2 * UNIT * variance + 1e-13 * images.magnitude**2
        peers = [by_definition(near(variance, "f4", error))]
        # One call of a function of Python for each point takes too long for large images.
        if not images.is_large and columns == 5:
            of_scipy = planes(lambda p: ndimage.generic_filter(p, np.var, (rows, columns), mode=mode), a)
            peers.append(near(of_scipy, "f4", error))
        yield Case("variance", {"window": [columns, rows], "border": border}, peers)


def weighted_mean(image, is_in_window, sigma, contrast, mode):
    """The definition of the bilateral filter, with the points of the window as a mask."""
    rows, columns = is_in_window.shape
    reach_x, reach_y = columns // 2, rows // 2
    padded = np.pad(image, ((reach_y, reach_y), (reach_x, reach_x)), mode=mode)
    height, width = image.shape
    total, weights = np.zeros_like(image), np.zeros_like(image)
    for j, i in np.argwhere(is_in_window):
        value = padded[j:j + height, i:i + width]
        distance = ((i - reach_x) ** 2 + (j - reach_y) ** 2) / sigma**2 + ((value - image) / contrast) ** 2
        total += np.exp(-distance / 2) * value
        weights += np.exp(-distance / 2)
    return total / weights


def ellipse(columns, rows):
    """The points of a window within the ellipse that ends where the window ends."""
    reach_x, reach_y = columns // 2, rows // 2
    y, x = np.mgrid[-reach_y:reach_y + 1, -reach_x:reach_x + 1]
    return (x * reach_y) ** 2 + (y * reach_x) ** 2 <= (reach_x * reach_y) ** 2


def bilateral(images, border):
    _, mode, code = BORDERS[border]
    windows = [((5, 5), 1.5, 0.1, "ellipse"), ((5, 5), 1.5, 0.1, "rectangle"), ((3, 3), 0.3, 0.5, "rectangle"),
               ((3, 7), 3, 0.5, "rectangle"), ((7, 5), 3, 0.3, "ellipse"), ((31, 31), 6, 0.5, "ellipse")]
    for (columns, rows), sigma, share, shape in images.some(windows):
        contrast = share * images.white
        window = np.ones((rows, columns), bool) if shape == "rectangle" else ellipse(columns, rows)
        result = planes(lambda p: weighted_mean(p, window, sigma, contrast, mode), images.exact)
        peers = [by_definition(near(result, images.dtype, (2 * columns * rows + 32) * UNIT * images.magnitude))]
        # OpenCV's windows are discs: those of 3 x 3 points have no corners, whose weights are next to nothing here.
        # Its table of weights ends at the greatest difference in the image, which that to a constant border may exceed.
        is_disc = columns == rows and (shape == "ellipse" or columns == 3)
        if is_disc and border not in ("periodic", "constant"):
            of_opencv = planes(
                lambda p: cv2.bilateralFilter(p.astype("f4"), columns, contrast, sigma, borderType=code), images.first)
            peers.append(near(of_opencv, images.dtype, 2e-4 * images.magnitude))
        yield Case("bilateral", {"contrast": contrast, "sigma": sigma, "window": [columns, rows], "shape": shape,
                                 "border": border}, peers)


def cases(images):
    for border in images.some(BORDERS):
        for family in (morphology, ranks, variances, bilateral):
            yield from family(images, border)
