# SPDX-License-Identifier: BSD-3-Clause
"""Operators on points, beside OpenCV, scikit-image and numpy."""
import cv2
import numpy as np
import skimage.exposure
import skimage.util

from comparison import UNIT, Case, by_definition, flat, near, rounded, same

PAIR = ("input", "second")


def sums_and_bits(images):
    a, b, dtype = images.first, images.second, images.dtype
    wide = a.astype("i8") if images.is_integer else a
    peers = {"add": (cv2.add, lambda v: wide + v), "subtract": (cv2.subtract, lambda v: wide - v),
             "difference": (cv2.absdiff, lambda v: np.abs(wide - v)),
             "minimum": (cv2.min, lambda v: np.minimum(wide, v)),
             "maximum": (cv2.max, lambda v: np.maximum(wide, v))}
    for name, (of_two, of_constant) in peers.items():
        yield Case(name, {}, [same(flat(of_two, a, b), dtype)], PAIR)
        for value in images.some((2.5, -40, 1000) if images.is_integer else (0.3, -1.5, 0)):
            constant = int(np.floor(value + 0.5)) if images.is_integer else np.float32(value)
            result = of_constant(constant)
            if images.is_integer:
                result = np.clip(result, 0, images.white)
            yield Case(name, {"value": value}, [same(result, dtype)])
    if not images.is_integer:
        return
    for name, of_two in (("bit_and", cv2.bitwise_and), ("bit_or", cv2.bitwise_or), ("bit_xor", cv2.bitwise_xor)):
        yield Case(name, {}, [same(flat(of_two, a, b))], PAIR)
        for value in (0xA5, images.white):
            yield Case(name, {"value": value}, [same(flat(of_two, a, np.full_like(a, value)))])


def tones(images):
    a, white, dtype = images.first, images.white, images.dtype
    yield Case("abs", {}, [same(np.abs(a))])
    yield Case("invert", {}, [same(skimage.util.invert(a), dtype)])
    shares = images.exact / white
    # uint8 is computed in float64, and the others in float32 with its exponential function.
    error = 1e-9 if dtype == np.uint8 else 4 * UNIT * white
    power_error = 1e-9 if dtype == np.uint8 else 64 * UNIT * white
    for black, top, low, high in images.some([(0, 1, 0, 1), (0.1, 0.8, 0, 1), (0.2, 0.7, 0.9, 0.25)]):
        line = skimage.exposure.rescale_intensity(shares, (black, top), (low, high))
        levels = {"black": black, "white": top, "low": low, "high": high}
        yield Case("levels", levels, [near(line * white, dtype, error)])
        share = skimage.exposure.rescale_intensity(shares, (black, top), (0, 1))
        for exponent in (0.45, 3):
            curve = low + (high - low) * skimage.exposure.adjust_gamma(share, exponent)
            yield Case("levels", {**levels, "exponent": exponent}, [near(curve * white, dtype, power_error)])
    for exponent in images.some((0.4545, 1, 2.2)):
        curve = skimage.exposure.adjust_gamma(np.clip(shares, 0, 1), exponent)
        yield Case("gamma", {"exponent": exponent}, [near(curve * white, dtype, power_error)])
    if dtype == np.uint8:
        table = np.random.default_rng(5).integers(0, 256, 256).astype("u1")
        yield Case("lookup", {"table": table.tolist()}, [same(cv2.LUT(a, table), "u1")])


def casts(images):
    a, exact, white = images.first, images.exact, images.white
    as_type = {"uint8": skimage.util.img_as_ubyte, "uint16": skimage.util.img_as_uint,
               "float32": skimage.util.img_as_float32}
    for to, function in as_type.items():
        top = 1.0 if to == "float32" else np.iinfo(to).max
        if to == "float32" and images.is_integer:
            yield Case("cast", {"to": to}, [same(exact, to)])
        else:
            yield Case("cast", {"to": to}, [near(exact, to, 0)])
        stretched = by_definition(near(exact * (top / white), to, 4 * UNIT * top))
        yield Case("cast", {"to": to, "full_range": True}, [stretched, *of_skimage(images, to, function)])
        for scale, offset in ((0.5, 0), (0.5, 3.25), (-2, 100)):
            error = 4 * UNIT * (abs(scale) * images.magnitude + abs(offset))
            result = exact * scale + offset
            yield Case("cast", {"to": to, "scale": scale, "offset": offset},
                       [by_definition(rounded(result, to) if images.is_integer else near(result, to, error))])


def of_skimage(images, to, function):
    """The image in the full range of another type by scikit-image."""
    a, dtype = images.first, np.dtype(to)
    if (a.dtype, to) == (np.uint16, "uint8"):
        return []  # scikit-image does not round these.
    if dtype == a.dtype or (images.is_integer and to != "float32"):
        return [same(function(a) if images.is_integer else a)]
    if to == "float32":
        return [near(function(a), to, 2 * UNIT)]
    # Values beyond 0 and 1 are limited by the operator only. Next to halves either integer is right.
    whole = function(np.clip(a, 0, 1)).astype("f8")
    exact = np.clip(images.exact, 0, 1) * np.iinfo(to).max
    is_half = np.abs(exact % 1 - 0.5) < 8 * UNIT * np.iinfo(to).max
    return [near(whole, to, 0, other=np.where(is_half, np.where(whole > exact, whole - 1, whole + 1), np.nan),
                 least_share=0.8)]


def thresholds(images):
    a, dtype = images.first, images.dtype
    for low, high in images.some([(16, 235), (0, 40.4)] if images.is_integer else [(0.25, 0.5), (-1, 1)]):
        ends = [np.floor(v + 0.5) if images.is_integer else v for v in (low, high)]
        yield Case("limit", {"low": low, "high": high}, [same(np.clip(a, *np.asarray(ends, dtype)), dtype)])
    modes = {"binary": cv2.THRESH_BINARY, "inverse": cv2.THRESH_BINARY_INV, "truncate": cv2.THRESH_TRUNC,
             "keep_above": cv2.THRESH_TOZERO, "keep_below": cv2.THRESH_TOZERO_INV}
    for value in images.some((100, 127.6, 0) if images.is_integer else (0.5, 0.123, -0.25)):
        for mode, code in modes.items():
            result = flat(lambda b: cv2.threshold(b, value, images.white, code)[1], a)
            yield Case("threshold", {"value": value, "mode": mode}, [same(result, dtype)])
        above = a > np.floor(value) if images.is_integer else a > np.float32(value)
        for mode, chosen in (("binary", (50, 3)), ("inverse", (3, 50))):
            yield Case("threshold", {"value": value, "mode": mode, "low": 3, "high": 50},
                       [by_definition(same(np.where(above, *chosen), dtype))])


def products(images):
    a, b, dtype = images.exact, images.second.astype("f8"), images.dtype
    for scale in images.some((1, 0.013)):
        product = flat(lambda p, q: cv2.multiply(p, q, scale=scale), a, b)
        is_exact = images.is_integer and scale == 1
        products_of_two = rounded(product, dtype) if is_exact else near(product, dtype, 4 * UNIT * np.abs(product))
        yield Case("multiply", {"scale": scale}, [products_of_two], PAIR)
        quotient = flat(lambda p, q: cv2.divide(p, q, scale=scale), a, b)
        if images.is_integer:
            quotient = np.where(b == 0, 0, quotient)
        with np.errstate(invalid="ignore"):
            yield Case("divide", {"scale": scale}, [near(quotient, dtype, 4 * UNIT * np.abs(quotient))], PAIR)
    for value, scale in ((1.5, 1), (0.3, 2), (-2, 1), (2, 1)):
        product, quotient = a * value * scale, a / value * scale
        error = 1e-9 if dtype == np.uint8 else 4 * UNIT * images.magnitude * 10
        is_exact = images.is_integer and scale == 1
        yield Case("multiply", {"value": value, "scale": scale},
                   [by_definition(rounded(product, dtype) if is_exact else near(product, dtype, error))])
        is_exact &= value in (-2, 2)
        yield Case("divide", {"value": value, "scale": scale},
                   [by_definition(rounded(quotient, dtype) if is_exact else near(quotient, dtype, error))])
    share = images.third.astype("f8") / images.white
    blend = a * share + b * (1 - share)
    error = 8 * UNIT * images.magnitude * max(1, np.max(np.abs(share)))
    yield Case("blend", {}, [by_definition(near(blend, dtype, error))], (*PAIR, "third"))
    squares = flat(cv2.accumulateSquare, a - b, np.zeros_like(a))
    squares = flat(cv2.accumulateSquare, a - images.third, squares)
    yield Case("squared_differences", {}, [near(squares, "f4", 4 * UNIT * squares)], (*PAIR, "third"))


def expressions(images):
    a, b = images.exact, images.second.astype("f8")
    y, x = np.mgrid[:a.shape[-2], :a.shape[-1]]
    magnitude = images.magnitude
    number = np.minimum(np.abs(a - 2 * b), 0.75 * magnitude) + np.sqrt(np.abs(a)) * np.where(b > 0.3, 1, -1)
    yield Case("expression", {"expression": "min(abs(input - 2 * second), %r) + sqrt(abs(input)) * "
                              "select(second > 0.3, 1, -1)" % (0.75 * magnitude)},
               [by_definition(near(number, "f4", 16 * UNIT * magnitude))], ())
    ramp = np.clip(x + 3 * y - a, 0, 200)
    yield Case("expression", {"expression": "clamp(x + 3 * y - input, 0, 200)", "type": "uint8"},
               [by_definition(near(ramp, "u1", 8 * UNIT * 2000))], ())
    if images.is_integer:
        yield Case("expression", {"expression": "input / 2 + 0", "type": images.dtype.name},
                   [by_definition(rounded(a / 2, images.dtype))], ())


def cases(images):
    for family in (sums_and_bits, tones, casts, thresholds, products, expressions):
        yield from family(images)
