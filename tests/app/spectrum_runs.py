# SPDX-License-Identifier: BSD-3-Clause
"""How the tests of tessera-spectrum run it, and how numpy computes what it writes."""
import sys

import numpy as np

from program_runs import ProgramRuns

programs, decks, photograph, mpiexec, count_flag = sys.argv[1:]
ProgramRuns.launch_with(programs, mpiexec, count_flag)


def lowpass(distance, cutoff, shape, order=2):
    ratio = (distance / cutoff) ** 2
    if shape == "ideal":
        return (ratio <= 1).astype(float)
    return np.exp(-np.log(2) * ratio) if shape == "gaussian" else 1 / (1 + ratio ** order)


def frequencies(image):
    height, width = image.shape[-2:]
    return np.fft.rfftfreq(width)[None, :], np.fft.fftfreq(height)[:, None]


def good_points(points):
    """The least number of points from this one on without prime factors above 7."""
    rest = points
    for factor in (2, 3, 5, 7):
        while rest % factor == 0:
            rest //= factor
    return points if rest == 1 else good_points(points + 1)


pad_modes = {"clamp": "edge", "mirror": "symmetric", "mirror_interior": "reflect", "constant": "constant", "periodic": "wrap"}


def convolved(image, kernel, border):
    """The sums of weighted neighbours; the weight at half of the extents is that of the point itself."""
    height, width = kernel.shape
    margins = [(0, 0)] * (image.ndim - 2) + [(height - 1 - height // 2, height // 2), (width - 1 - width // 2, width // 2)]
    padded = np.pad(image, margins, pad_modes[border])
    result = np.zeros(image.shape)
    for j in range(height):
        for i in range(width):
            y, x = height - 1 - j, width - 1 - i
            result += kernel[j, i] * padded[..., y:y + image.shape[-2], x:x + image.shape[-1]]
    return result


def deconvolved(image, kernel, border, noise):
    """Wiener's filter, on the image with its values beyond the borders."""
    height, width = image.shape[-2:]
    above, left, rows, columns = 0, 0, height, width
    if border != "periodic":
        above, left = kernel.shape[0] - 1 - kernel.shape[0] // 2, kernel.shape[1] - 1 - kernel.shape[1] // 2
        rows, columns = good_points(height + kernel.shape[0] - 1), good_points(width + kernel.shape[1] - 1)
    margins = [(0, 0)] * (image.ndim - 2) + [(above, rows - height - above), (left, columns - width - left)]
    padded = np.pad(image, margins, pad_modes[border])
    weights = np.zeros((rows, columns))
    weights[:kernel.shape[0], :kernel.shape[1]] = kernel
    factor = np.fft.rfft2(np.roll(weights, (-(kernel.shape[0] // 2), -(kernel.shape[1] // 2)), (0, 1)))
    spectrum = np.fft.rfft2(padded) * np.conj(factor) / (np.abs(factor) ** 2 + noise)
    return np.fft.irfft2(spectrum, (rows, columns))[..., above:above + height, left:left + width]


def gaussian(sigma):
    radius = int(4 * sigma + 0.5)
    along = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return np.outer(along, along) / np.sum(along) ** 2


def words_of(deck="default", threads=1, image="input.file=image.h5"):
    return f"{decks}/{deck}.yaml", f"threads={threads}", image


class Runs(ProgramRuns):
    def run_program(self, ranks, *words, **keys):
        return self.output("spectrum", ranks, *words_of(**keys), *words)

    def write(self, image):
        self.store("image.h5", image)
        return image.astype(np.float64)

    def result(self, *words, ranks=2, **keys):
        self.run_program(ranks, "output.file=o.h5", *words, **keys)
        return self.stored("o.h5", "result")

    def write_weights(self, weights):
        self.store("kernel.h5", weights, "kernel")

    def write_kernel(self, kernel):
        self.write_weights(kernel)
        return kernel.astype(np.float64) / np.sum(kernel, dtype=np.float64)

    def refused(self, *words, output="output.file=o.h5", ranks=2, **keys):
        return super().refused("spectrum", ranks, *words_of(**keys), output, *words)

    def sample(self, shape, dtype, seed=1):
        random = np.random.default_rng(seed)
        if np.issubdtype(dtype, np.integer):
            return random.integers(0, np.iinfo(dtype).max, shape, dtype)
        return random.random(shape).astype(dtype)

    def expect_close(self, found, expected, dtype=np.float32, roundings=60):
        self.assertEqual(found.shape, expected.shape)
        scale = np.sqrt(np.mean(np.abs(expected) ** 2))
        self.assertLess(np.max(np.abs(found - expected)), roundings * np.finfo(dtype).eps * scale)
