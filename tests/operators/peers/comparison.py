# SPDX-License-Identifier: BSD-3-Clause
"""Cases of operators, and what their results are compared with."""
import dataclasses

import cv2
import numpy as np

# A number that is rounded to float32 is off by at most this share of it.
UNIT = 2.0**-24

# The borders of operators, as scipy.ndimage, numpy.pad and OpenCV call them.
BORDERS = {
    "clamp": ("nearest", "edge", cv2.BORDER_REPLICATE),
    "mirror": ("reflect", "symmetric", cv2.BORDER_REFLECT),
    "mirror_interior": ("mirror", "reflect", cv2.BORDER_REFLECT_101),
    "constant": ("constant", "constant", cv2.BORDER_CONSTANT),
    "periodic": ("wrap", "wrap", cv2.BORDER_WRAP),
}


@dataclasses.dataclass
class Images:
    """Three images of one type and size, which steps read as 'input', 'second' and 'third'."""
    name: str
    first: np.ndarray
    second: np.ndarray
    third: np.ndarray
    # Whether the images are so large that only a few cases of each operator are computed.
    is_large: bool = False

    @property
    def dtype(self):
        return self.first.dtype

    @property
    def is_integer(self):
        return np.issubdtype(self.dtype, np.integer)

    @property
    def white(self):
        return np.iinfo(self.dtype).max if self.is_integer else 1.0

    @property
    def magnitude(self):
        return float(max(np.max(np.abs(a.astype("f8"))) for a in (self.first, self.second, self.third)))

    @property
    def exact(self):
        """The first image as float64."""
        return self.first.astype("f8")

    def some(self, values):
        """All of the values, or the first two if the images are large."""
        return list(values)[:2] if self.is_large else list(values)


def planes(function, image):
    """Applies a function of (rows, columns) to each channel."""
    return np.stack([function(np.ascontiguousarray(p)) for p in image]) if image.ndim == 3 else function(image)


def flat(function, *images):
    """Applies a function of points that takes no images of many channels."""
    return np.reshape(function(*(a.reshape(1, -1) for a in images)), images[0].shape)


@dataclasses.dataclass
class Expected:
    """How a result compares: the same bits, or numbers that are off by at most `error` before they are rounded."""
    value: np.ndarray
    dtype: np.dtype
    error: object = None
    # Where rounding may decide between two results, the other one of them, and NaN at all other points.
    other: np.ndarray = None
    # The least share of the points at which the result is beyond doubt.
    least_share: float = 0
    # Whether the mean of the differences has to be near 0, as it is unless results are rounded to one side.
    is_even: bool = False
    # Whether a library computed the value, and not a formula of these tests.
    is_of_library: bool = True

    def complaint(self, found):
        """The difference of a result, or an empty text."""
        value = np.asarray(self.value)
        if found.dtype != self.dtype or found.shape != value.shape:
            return f"{found.dtype} of {found.shape} instead of {self.dtype} of {value.shape}"
        sure = np.isfinite(np.zeros_like(value) if self.error is None else self.error + np.zeros_like(value))
        if self.other is not None:
            sure &= np.isnan(self.other)
        if np.mean(sure) < self.least_share:
            return f"only {np.mean(sure):.2f} of the points are compared, which are to be {self.least_share}"
        good = self.is_good(found, value)
        if not np.all(good):
            at = tuple(int(i) for i in np.argwhere(~good)[0])
            return (f"{np.count_nonzero(~good)} of {good.size} points differ, first at {at}: "
                    f"{found[at]!r} instead of {value[at]!r}")
        bias = np.mean(found - self.limited(value)) if self.is_even else 0
        # Differences are at most 0.5, and those of many points tend to cancel each other.
        return "" if np.abs(bias) <= 0.01 + 1.5 / np.sqrt(value.size) else f"the mean difference is {bias}"

    def is_good(self, found, value):
        with np.errstate(invalid="ignore"):
            good = (found == value) | ((found != found) & (value != value))
            if self.error is not None:
                good |= np.abs(found - self.limited(value)) <= self.rounding() + self.error
            if self.other is not None:
                good |= np.abs(found - self.other) <= self.rounding() + (self.error or 0)
        return good

    def limited(self, value):
        if not np.issubdtype(self.dtype, np.integer):
            return value
        limits = np.iinfo(self.dtype)
        return np.clip(value, limits.min, limits.max)

    def rounding(self):
        return 0.5 if np.issubdtype(self.dtype, np.integer) else 0.0


@dataclasses.dataclass
class Case:
    """An operator with parameters, and what its result is by each of its peers."""
    operator: str
    parameters: dict
    expected: list
    reads: tuple = ("input",)

    def step(self):
        reads = self.reads[0] if len(self.reads) == 1 else list(self.reads)
        return {**({self.operator: reads} if reads else {}), **self.parameters}

    @property
    def is_of_library(self):
        """Whether a library computed what the result is compared with."""
        return any(expected.is_of_library for expected in self.expected)


def same(value, dtype=None):
    """The result has these bits."""
    return Expected(np.asarray(value, dtype), np.asarray(value, dtype).dtype)


def near(value, dtype, error, **further):
    """The result is off by at most `error` before it is rounded."""
    return Expected(np.asarray(value, "f8"), np.dtype(dtype), error, **further)


def by_definition(expected):
    """The same, but computed by a formula of these tests, and not by a library."""
    return dataclasses.replace(expected, is_of_library=False)


def rounded(value, dtype):
    """The result is the exact value, rounded to the nearest integer, of two such ones to the greater. It is that value
    as float32, if the type is that."""
    if not np.issubdtype(dtype, np.integer):
        return same(value, dtype)
    limits = np.iinfo(dtype)
    return same(np.clip(np.floor(np.asarray(value, "f8") + 0.5), limits.min, limits.max), dtype)


def sum_error(terms, magnitude):
    """The greatest error of a sum of float32 with that number of terms, whose absolute sum is `magnitude`."""
    return (terms + 4) * UNIT * magnitude
