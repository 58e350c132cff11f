# SPDX-License-Identifier: BSD-3-Clause
"""Pyramid Horn-Schunck by numpy, and pairs of images whose flow is known.

The method is that of E. Meinhardt-Llopis, J. Sánchez and D. Kondermann, Horn-Schunck Optical Flow with a Multi-Scale
Strategy, Image Processing On Line 3, 2013, written anew from its description, but that over-relaxation goes by colours.
Everything is computed by whole arrays of 64-bit floats.
"""
import dataclasses

import numpy as np


@dataclasses.dataclass
class Settings:
    """The settings of the method, by the names of the keys of the program."""
    alpha: float = 7.0
    scales: int = 5
    zoom: float = 0.5
    warps: int = 10
    warp_tolerance: float = 1e-4
    turns: int = 150
    tolerance: float = 1e-4
    presmoothing: float = 0.8
    solver: str = "red_black"
    relaxation: float = 1.9

    def words(self):
        return [f"{key}={value}" for key, value in dataclasses.asdict(self).items()]


def scaled(first, second):
    """Both images with the grey values that take those of both together to [0, 255]."""
    least, greatest = min(first.min(), second.min()), max(first.max(), second.max())
    return [(image.astype(np.float64) - least) * (255 / (greatest - least)) for image in (first, second)]


def mirrored(places, points):
    """Places in an image that are mirrored at its edges: at the lower edge on the first point, at the upper one behind the
    last point, as in the article's program."""
    places = np.abs(places)
    return np.where(places < points, places, 2 * points - 1 - places)


def clamped(places, points):
    return np.clip(places, 0, points - 1)


def smoothed(image, sigma):
    """A normalised Gaussian of 5 deviations, on both axes."""
    if sigma == 0:
        return image
    reach = int(5 * sigma)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    for axis in (1, 0):
        points = image.shape[axis]
        image = sum(weight * np.take(image, mirrored(np.arange(points) + k, points), axis)
                    for k, weight in zip(range(-reach, reach + 1), weights))
    return image


def cubic(p, t):
    """The cubic through p[1] and p[2] whose slopes there are the central differences."""
    return p[1] + t / 2 * (p[2] - p[0] + t * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] + t * (3 * (p[1] - p[2]) + p[3] - p[0])))


def sampled(image, x, y, beyond=clamped):
    """The image at the positions x and y, by cubic interpolation. `beyond` says which points stand for those outside."""
    height, width = image.shape
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    dx, dy = (x - left).astype(image.dtype), (y - top).astype(image.dtype)
    columns = [beyond(left + i, width) for i in range(-1, 3)]
    rows = [beyond(top + j, height) for j in range(-1, 3)]
    return cubic([cubic([image[row, column] for row in rows], dy) for column in columns], dx)


def positions(shape, dtype):
    return np.meshgrid(np.arange(shape[1], dtype=dtype), np.arange(shape[0], dtype=dtype))


def coarser(image, zoom):
    height, width = (int(points * zoom + 0.5) for points in image.shape)
    x, y = positions((height, width), image.dtype)
    return sampled(smoothed(image, 0.6 * np.sqrt(zoom ** -2 - 1)), x / zoom, y / zoom, mirrored)


def finer(flow, shape, zoom):
    x, y = positions(shape, flow.dtype)
    return sampled(flow, x * (flow.shape[1] / shape[1]), y * (flow.shape[0] / shape[0])) / zoom


def neighbours(field, offsets):
    """The sum of the values of the neighbours at these rows and columns from each pixel. The edge goes on beyond itself."""
    height, width = field.shape
    around = np.pad(field, 1, "edge")
    return sum(around[1 + j:1 + j + height, 1 + i:1 + i + width] for j, i in offsets)


def gradient(image):
    return [(neighbours(image, [(j, i)]) - neighbours(image, [(-j, -i)])) / 2 for j, i in ((0, 1), (1, 0))]


def mean_around(field):
    return (neighbours(field, ((-1, 0), (0, -1), (0, 1), (1, 0))) / 6 +
            neighbours(field, ((-1, -1), (-1, 1), (1, -1), (1, 1))) / 12)


class System:
    """The linear equations of a warp: at each pixel two equations for u and v, given the means of their neighbours."""

    def __init__(self, first, second, u, v, weight):
        height, width = first.shape
        x, y = positions(first.shape, first.dtype)
        x, y = x + u, y + v
        left, top = np.floor(x), np.floor(y)
        # Each warped pixel needs 4 x 4 pixels; where the image lacks some of them, nothing is known of the flow.
        inside = (left >= 1) & (top >= 1) & (left <= width - 3) & (top <= height - 3)
        warped, dx, dy = (np.where(inside, sampled(image, x, y), 0) for image in (second, *gradient(second)))
        difference = np.where(inside, first - warped, first)
        target = difference + dx * u + dy * v
        self.weight = weight
        self.matrix = np.stack([dx * dx + weight, dx * dy, dy * dy + weight])
        self.right = np.stack([target * dx, target * dy])

    def solution(self, u, v):
        """The flow that solves the equations of each pixel."""
        (a, b, c), (p, q) = self.matrix, self.right
        p, q = p + self.weight * mean_around(u), q + self.weight * mean_around(v)
        determinant = a * c - b * b
        return (c * p - b * q) / determinant, (a * q - b * p) / determinant


class Jacobi:
    def __init__(self, system, settings):
        self.system = system

    def __call__(self, u, v):
        return self.system.solution(u, v)


class RedBlack:
    """Over-relaxation of u, and then of v, at the pixels of one colour after the other. Neighbours on diagonals count, so that
    there are four colours."""

    def __init__(self, system, settings):
        self.system, self.by = system, settings.relaxation

    def __call__(self, u, v):
        (a, b, c), (p, q) = self.system.matrix, self.system.right
        for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
            mine = (slice(row, None, 2), slice(column, None, 2))
            u, v = u.copy(), v.copy()
            to_u = (p + self.system.weight * mean_around(u) - b * v) / a
            u[mine] += self.by * (to_u - u)[mine]
            to_v = (q + self.system.weight * mean_around(v) - b * u) / c
            v[mine] += self.by * (to_v - v)[mine]
        return u, v


class Chebyshev:
    """Jacobi's method with the acceleration of Golub and Varga, for eigenvalues from -1/3 to the given greatest one."""

    def __init__(self, system, settings):
        least, greatest = -1 / 3, np.sqrt(1 - (2 / settings.relaxation - 1) ** 2)
        self.system, self.weight, self.before = system, None, None
        self.step, self.radius = 2 / (2 - greatest - least), (greatest - least) / (2 - greatest - least)

    def __call__(self, u, v):
        if self.weight is None:
            self.weight, self.before = 1.0, (u, v)
        elif self.weight == 1:
            self.weight = 1 / (1 - self.radius ** 2 / 2)
        else:
            self.weight = 1 / (1 - self.radius ** 2 * self.weight / 4)
        result = tuple(old + self.weight * (now + self.step * (to - now) - old)
                       for old, now, to in zip(self.before, (u, v), self.system.solution(u, v)))
        self.before = (u, v)
        return result


SOLVERS = {"jacobi": Jacobi, "red_black": RedBlack, "chebyshev": Chebyshev}


def root_mean_change(u, v, before):
    return np.sqrt(np.mean((u - before[0]) ** 2 + (v - before[1]) ** 2))


def solved(system, u, v, settings):
    """Turns until the root of the mean squared change is at most the tolerance, and their number."""
    turn = SOLVERS[settings.solver](system, settings)
    for turns in range(1, settings.turns + 1):
        before = u, v
        u, v = turn(u, v)
        if root_mean_change(u, v, before) <= settings.tolerance:
            break
    return u, v, turns


def flow(first, second, settings):
    """Returns u, v and the numbers of inner turns, level after level from the coarsest one."""
    first, second = scaled(first, second)
    pyramids = [[smoothed(image, settings.presmoothing)] for image in (first, second)]
    for pyramid in pyramids:
        for _ in range(1, settings.scales):
            pyramid.append(coarser(pyramid[-1], settings.zoom))
    u = v = np.zeros_like(pyramids[0][-1])
    turns = []
    for level in reversed(range(settings.scales)):
        one, two = pyramids[0][level], pyramids[1][level]
        if one.shape != u.shape:
            u, v = (finer(field, one.shape, settings.zoom) for field in (u, v))
        for _ in range(settings.warps):
            before = u, v
            u, v, count = solved(System(one, two, u, v, settings.alpha ** 2), u, v, settings)
            turns.append(count)
            if root_mean_change(u, v, before) <= settings.warp_tolerance:
                break
    return u, v, turns


@dataclasses.dataclass
class Motion:
    """A turn by an angle and a zoom about the middle of the image, and a translation."""
    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0
    zoom: float = 1.0

    def flow(self, width, height):
        """The exact flow of each pixel."""
        x, y = positions((height, width), np.float64)
        x, y = x - (width - 1) / 2, y - (height - 1) / 2
        cosine, sine = self.zoom * np.cos(self.angle), self.zoom * np.sin(self.angle)
        return (cosine - 1) * x - sine * y + self.x, sine * x + (cosine - 1) * y + self.y


def texture(x, y, waves=40, shortest=12.0, longest=80.0, seed=1):
    """A sum of sines from 0 to 255, which can be evaluated between the pixels, too."""
    random = np.random.default_rng(seed)
    lengths = np.exp(random.uniform(np.log(shortest), np.log(longest), waves))
    angles, phases = random.uniform(0, 2 * np.pi, (2, waves))
    value = np.zeros(np.shape(x))
    for length, angle, phase in zip(lengths, angles, phases):
        value += np.sin(2 * np.pi / length * (np.cos(angle) * x + np.sin(angle) * y) + phase)
    return np.clip(127.5 + value * (127.5 / 3.5 / np.sqrt(waves / 2)), 0, 255)


def pair(width, height, motion, **keys):
    """Two images of a texture. The second one is the first one, moved: second(p + flow(p)) = first(p)."""
    x, y = positions((height, width), np.float64)
    x, y = x - (width - 1) / 2, y - (height - 1) / 2
    cosine, sine = np.cos(motion.angle) / motion.zoom, np.sin(motion.angle) / motion.zoom
    from_x, from_y = x - motion.x, y - motion.y
    moved = texture(cosine * from_x + sine * from_y, -sine * from_x + cosine * from_y, **keys)
    return texture(x, y, **keys).astype(np.float32), moved.astype(np.float32)


def end_point_errors(u, v, truth):
    return np.hypot(u - truth[0], v - truth[1])
