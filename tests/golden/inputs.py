# SPDX-License-Identifier: BSD-3-Clause
"""The small inputs of the golden runs. They are made of integers alone, so that they are the same everywhere."""
import os

import cv2
import h5py
import numpy as np

HEIGHT, WIDTH = 131, 203


def noise(*coordinates, seed=0):
    """Numbers of 32 bits that look random: hashes of coordinates."""
    state = np.uint64(seed * 2654435761 + 12345)
    with np.errstate(over="ignore"):
        for coordinate in coordinates:
            state = (state ^ np.asarray(coordinate).astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            state = state ^ (state >> np.uint64(29))
        return ((state * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(32)).astype(np.int64)


def octave(y, x, cell, seed):
    """Hashes at the corners of squares, interpolated between them."""
    row, column, down, right = y // cell, x // cell, y % cell, x % cell
    corner = lambda j, i: noise(row + j, column + i, seed=seed) >> 16
    upper = (cell - right) * corner(0, 0) + right * corner(0, 1)
    lower = (cell - right) * corner(1, 0) + right * corner(1, 1)
    return ((cell - down) * upper + down * lower) // (cell * cell)


def texture(height=HEIGHT, width=WIDTH, seed=1, top=0, left=0):
    """A part of an endless picture of 16 bits, with details of several sizes."""
    y, x = np.mgrid[top:top + height, left:left + width].astype(np.int64)
    return (8 * octave(y, x, 32, seed) + 5 * octave(y, x, 11, seed + 1) + 2 * octave(y, x, 4, seed + 2)
            + octave(y, x, 1, seed + 3)) // 16


def planes(count, kind=np.uint16, height=HEIGHT, width=WIDTH):
    return np.stack([texture(height, width, seed) for seed in range(1, 4 * count, 4)]).astype(kind)


def fractions(image):
    """Floats from 0 to 1 with all of their 24 digits, so that sums of them are rounded."""
    fine = image.astype(np.int64) * 256 + noise(*np.indices(image.shape), seed=2) % 256
    return (fine * 2.0**-24).astype(np.float32)


def transparent():
    """Colours, and an alpha that is 1 at every fourth point and else 0."""
    alpha = noise(*np.indices((1, HEIGHT, WIDTH)), seed=7) % 4 == 0
    return np.concatenate([fractions(planes(3)), alpha.astype(np.float32)])


def spoilt(image):
    """An image with salt and pepper at three of ten points."""
    chance = noise(*np.indices(image.shape), seed=9) % 20
    return np.where(chance < 3, 0, np.where(chance < 6, 255, image)).astype(np.uint8)


def points(count=1200, dimensions=5):
    """Points around six centres."""
    group = noise(np.arange(count), seed=3) % 6
    centres = noise(group[:, None], np.arange(dimensions), seed=4) % 2048
    spread = noise(np.arange(count)[:, None], np.arange(dimensions), seed=5) % 512
    fine = noise(np.arange(count)[:, None], np.arange(dimensions), seed=6)
    return (centres + spread + fine * 2.0**-32) / 128


def matrix(rows, columns, seed, divisor=1):
    return (noise(*np.indices((rows, columns)), seed=seed) % 201).astype(np.float64) / divisor - 100 / divisor


def write_hdf5(path, image, name="image"):
    with h5py.File(path, "w") as file:
        file[name] = image


def write_png(path, image):
    """Grey or (3 or 4, rows, columns), of 8 or 16 bits."""
    if image.ndim == 3:
        image = image[[2, 1, 0, 3][:len(image)]].transpose(1, 2, 0)
    cv2.imwrite(path, np.ascontiguousarray(image))


def write_fits(path, image):
    cards = [f"SIMPLE  = {'T':>20}", f"BITPIX  = {16:>20}", f"NAXIS   = {2:>20}", f"NAXIS1  = {image.shape[1]:>20}",
             f"NAXIS2  = {image.shape[0]:>20}", "END"]
    with open(path, "wb") as file:
        for part, filling in (("".join(f"{card:<80}" for card in cards).encode(), b" "), (image.astype(">i2").tobytes(), b"\0")):
            file.write(part + filling * (-len(part) % 2880))


def write_video(path, frames):
    """Grey frames of 8 bits as Y4M."""
    height, width = frames[0].shape
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F12:1 Ip A1:1 Cmono\n".encode())
        for frame in frames:
            file.write(b"FRAME\n" + frame.astype(np.uint8).tobytes())


def write_links(path, vertices=300, links=2000):
    """A graph with weights, in which some vertices have no links and few have most."""
    number = np.arange(links)
    begin, end = noise(number, seed=11) % (vertices - 40), noise(number, seed=12) % vertices
    end = end * end // vertices
    weight = noise(number, seed=13) % 9 + 1
    with open(path, "w", encoding="ascii") as file:
        file.write(f"%%MatrixMarket matrix coordinate integer general\n{vertices} {vertices} {links}\n")
        file.writelines(f"{a + 1} {b + 1} {w}\n" for a, b, w in zip(begin, end, weight))


def write_stereo(path):
    """Three views of what is the nearer the lower it lies."""
    wide = texture(HEIGHT, WIDTH + 64) >> 8
    near = 2 + np.arange(HEIGHT) // 16
    for number in range(3):
        rows = [wide[y, 32 + number * near[y]:][:WIDTH] for y in range(HEIGHT)]
        write_png(path(f"view{number}.png"), np.stack(rows).astype(np.uint8))


def write_tiles(path, rows=3, columns=3, height=90, width=120):
    """Overlapping tiles of a plate with noise, which do not lie quite where the stage should have put them."""
    for row in range(rows):
        for column in range(columns):
            moved = (noise(row, column, seed=14) % 7, noise(row, column, seed=15) % 7)
            top, left = (4 * side * step // 5 + int(by) for side, step, by in zip((height, width), (row, column), moved))
            grain = noise(*np.indices((height, width)), seed=100 + columns * row + column) % 512
            write_png(path(f"t{row}_{column}.png"), (texture(height, width, 21, top, left) + grain).astype(np.uint16))


def write_all(folder):
    path = lambda name: os.path.join(folder, name)
    grey = texture()
    for kind, image in (("u8", (grey >> 8).astype(np.uint8)), ("u16", grey.astype(np.uint16)),
                        ("f32", fractions(grey))):
        write_hdf5(path(f"{kind}.h5"), image)
    write_hdf5(path("spoilt.h5"), spoilt(grey >> 8))
    write_hdf5(path("rgb8.h5"), (planes(3) >> 8).astype(np.uint8))
    write_hdf5(path("rgb16.h5"), planes(3))
    write_hdf5(path("rgba.h5"), transparent())
    write_png(path("rgba8.png"), (transparent() * 255).astype(np.uint8))
    write_hdf5(path("raw.h5"), texture(120, 160).astype(np.uint16) >> 6)
    write_hdf5(path("soup.h5"), (noise(*np.mgrid[:HEIGHT, :WIDTH], seed=8) % 3 == 0).astype(np.uint8))
    write_hdf5(path("points.h5"), points().astype(np.float32), "points")
    write_hdf5(path("points64.h5"), points(), "points")
    write_hdf5(path("centres.h5"), points()[::200].copy(), "centres")
    write_hdf5(path("kernel.h5"), (1 + noise(*np.mgrid[:5, :7], seed=6) % 16).astype(np.float32), "kernel")
    for divisor, name in ((1, "whole"), (7, "real")):
        write_hdf5(path(f"{name}_a.h5"), matrix(90, 150, 16, divisor), "a")
        write_hdf5(path(f"{name}_b.h5"), matrix(150, 70, 17, divisor), "b")
    write_hdf5(path("whole_c.h5"), matrix(90, 70, 18), "c")
    write_png(path("u8.png"), (grey >> 8).astype(np.uint8))
    write_png(path("rgb8.png"), (planes(3) >> 8).astype(np.uint8))
    clean = (1 + texture(60, 80) * 253 // 65536).astype(np.uint8)
    write_hdf5(path("clean.h5"), clean)
    write_hdf5(path("noisy.h5"), spoilt(clean))
    write_video(path("noisy.y4m"), [spoilt(np.roll(clean, 5 * step, 1)) for step in range(4)])
    for number in range(4):
        frame = texture(60, 80, 31, top=number, left=2 * number)
        write_png(path(f"frame{number}.png"), (frame >> 8).astype(np.uint8))
    write_hdf5(path("truth.h5"), np.stack([np.full((60, 80), -2), np.full((60, 80), -1)]).astype(np.float32))
    grey.astype("<u2").tofile(path("u16.raw"))
    write_fits(path("i16.fits"), grey - 32768)
    write_links(path("links.mtx"))
    write_stereo(path)
    write_tiles(path)
