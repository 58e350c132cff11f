# SPDX-License-Identifier: BSD-3-Clause
"""Pyramid Horn-Schunck by numpy, and pairs of images whose flow is known.

The method is that of E. Meinhardt-Llopis, J. Sánchez and D. Kondermann, Horn-Schunck Optical Flow with a Multi-Scale
Strategy, Image Processing On Line 3, 2013, written anew from its description. Everything is computed by whole arrays in the
type of the images.
"""
import dataclasses

import numpy as np


@dataclasses.dataclass
class Settings:
    alpha: float = 15.0
    levels: int = 5
    zoom: float = 0.5
    warps: int = 10
    inner: int = 150
    tolerance: float = 1e-4
    presmoothing: float = 0.8
    solver: str = "sor"
    relaxation: float = 1.9


def smoothed(image, sigma):
    """A normalised Gaussian of 5 deviations, on both axes. The image goes on beyond its border with the values there."""
    if sigma == 0:
        return image
    radius = int(5 * sigma) + 1
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    weights = (weights / weights.sum()).astype(image.dtype)
    for axis in (1, 0):
        margins = [(radius, radius) if a == axis else (0, 0) for a in (0, 1)]
        padded = np.pad(image, margins, "edge")
        windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * radius + 1, axis)
        image = windows @ weights
    return image


def cubic(p, t):
    """The cubic through p[1] and p[2] whose slopes there are the central differences."""
    return p[1] + t / 2 * (p[2] - p[0] + t * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] + t * (3 * (p[1] - p[2]) + p[3] - p[0])))


def sampled(image, x, y):
    """The image at the positions x and y, by cubic interpolation. It goes on beyond its border with the values there."""
    height, width = image.shape
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    dx, dy = (x - left).astype(image.dtype), (y - top).astype(image.dtype)
    columns = [np.clip(left + i, 0, width - 1) for i in range(-1, 3)]
    rows = [np.clip(top + j, 0, height - 1) for j in range(-1, 3)]
    return cubic([cubic([image[row, column] for row in rows], dy) for column in columns], dx)


def positions(shape, dtype):
    return np.meshgrid(np.arange(shape[1], dtype=dtype), np.arange(shape[0], dtype=dtype))


def coarser(image, zoom):
    height, width = (int(points * zoom + 0.5) for points in image.shape)
    x, y = positions((height, width), image.dtype)
    return sampled(smoothed(image, 0.6 * np.sqrt(zoom ** -2 - 1)), x / zoom, y / zoom)


def finer(flow, shape, zoom):
    x, y = positions(shape, flow.dtype)
    return sampled(flow, x * (flow.shape[1] / shape[1]), y * (flow.shape[0] / shape[0])) / zoom


def neighbours(field, rows, columns):
    """The values of the neighbours that are so many rows and columns away, which are those of the border beyond it."""
    height, width = field.shape
    return field[np.clip(np.arange(height) + rows, 0, height - 1)[:, None], np.clip(np.arange(width) + columns, 0, width - 1)]


def gradient(image):
    return [(neighbours(image, j, i) - neighbours(image, -j, -i)) / 2 for j, i in ((0, 1), (1, 0))]


def mean_around(field):
    straight = sum(neighbours(field, j, i) for j, i in ((-1, 0), (0, -1), (0, 1), (1, 0)))
    diagonal = sum(neighbours(field, j, i) for j, i in ((-1, -1), (-1, 1), (1, -1), (1, 1)))
    return straight / 6 + diagonal / 12


class System:
    """The linear system of a warp, whose unknowns are u and v."""

    def __init__(self, first, second, u, v, weight):
        height, width = first.shape
        x, y = positions(first.shape, first.dtype)
        x, y = x + u, y + v
        inside = (x >= 0) & (y >= 0) & (x <= width - 1) & (y <= height - 1)
        warped, dx, dy = (np.where(inside, sampled(image, x, y), 0) for image in (second, *gradient(second)))
        difference = first - warped + dx * u + dy * v
        self.weight = weight
        self.right_u, self.right_v = difference * dx, difference * dy
        self.diagonal_u, self.diagonal_v, self.mixed = dx * dx + weight, dy * dy + weight, dx * dy

    def relaxed(self, u, v, means, by):
        """A step of over-relaxation at every point: first u, then v with the new u."""
        new_u = (1 - by) * u + by * (self.right_u - self.mixed * v + self.weight * means[0]) / self.diagonal_u
        return new_u, (1 - by) * v + by * (self.right_v - self.mixed * new_u + self.weight * means[1]) / self.diagonal_v


def red_black(system, u, v, relaxation):
    height, width = u.shape
    is_red = (np.arange(height)[:, None] + np.arange(width)) % 2 == 0
    for now in (is_red, ~is_red):
        new_u, new_v = system.relaxed(u, v, (mean_around(u), mean_around(v)), relaxation)
        u, v = np.where(now, new_u, u), np.where(now, new_v, v)
    return u, v


def solved(system, u, v, settings):
    """Turns until the root of the mean squared change is at most the tolerance, and their number."""
    turns, change = 0, np.inf
    while turns < settings.inner and change > settings.tolerance:
        new_u, new_v = red_black(system, u, v, settings.relaxation)
        change = np.sqrt(np.mean((new_u - u) ** 2 + (new_v - v) ** 2, dtype=np.float64))
        u, v, turns = new_u, new_v, turns + 1
    return u, v, turns


def flow(first, second, settings):
    """Returns u, v and the numbers of inner turns, level after level from the coarsest one."""
    pyramids = [[smoothed(image, settings.presmoothing)] for image in (first, second)]
    for pyramid in pyramids:
        for _ in range(1, settings.levels):
            pyramid.append(coarser(pyramid[-1], settings.zoom))
    u = v = np.zeros_like(pyramids[0][-1])
    turns = []
    for level in reversed(range(settings.levels)):
        one, two = pyramids[0][level], pyramids[1][level]
        if one.shape != u.shape:
            u, v = (finer(field, one.shape, settings.zoom) for field in (u, v))
        for _ in range(settings.warps):
            u, v, count = solved(System(one, two, u, v, settings.alpha ** 2), u, v, settings)
            turns.append(count)
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
    """Two images of a texture, of which the second one is the first one moved: second(p + flow(p)) = first(p)."""
    x, y = positions((height, width), np.float64)
    x, y = x - (width - 1) / 2, y - (height - 1) / 2
    cosine, sine = np.cos(motion.angle) / motion.zoom, np.sin(motion.angle) / motion.zoom
    from_x, from_y = x - motion.x, y - motion.y
    moved = texture(cosine * from_x + sine * from_y, -sine * from_x + cosine * from_y, **keys)
    return texture(x, y, **keys).astype(np.float32), moved.astype(np.float32)


def end_point_errors(u, v, truth):
    return np.hypot(u - truth[0], v - truth[1])
