# SPDX-License-Identifier: BSD-3-Clause
"""Each operator of tessera-chain, beside OpenCV, scipy.ndimage, scikit-image and numpy.

A run of the program computes all cases of a family of operators for some images: they are steps of one chain. Integers,
selections and moves are compared bit by bit; of other results the error is bounded before they are rounded. A second
run computes some of the cases on more ranks, by another schedule, and has to give the same bits.

usage: operators_test.py FOLDER_OF_PROGRAMS MANUAL_OF_OPERATORS PHOTOGRAPH MPIEXEC COUNT_FLAG
"""
import json
import os
import re
import sys
import unittest

import cv2
import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))
# pylint: disable=wrong-import-position
import colours
import convolutions
import geometry
import neighbourhoods
import points
import whole_images
from comparison import Images, near, rounded
from program_runs import ProgramRuns

programs, manual, photograph, mpiexec, count_flag = sys.argv[1:]
ProgramRuns.launch_with(programs, mpiexec, count_flag)
families = {"convolutions": [convolutions], "neighbourhoods": [neighbourhoods],
            "others": [points, geometry, colours, whole_images]}

# The ways take turns, so that each family meets all of them. Each is a number of ranks, what the schedule says of each
# step, and further keys.
WAYS = [
    (2, {"compute": "tile", "tile": [16, 8]}, ["threads=1"]),
    (3, {"compute": "rank"}, ["threads=1"]),
    (4, {"compute": "distributed"}, ["threads=1", "grid=[2, 2]"]),
    (1, {"compute": "window"}, ["threads=2", "bands=3"]),
    (3, {"compute": "replicated"}, ["threads=1", "grid=[3, 1]", "slices=balanced"]),
]


def random_images(dtype, shape):
    """Random images. Images of float also have numbers beyond 0 and 1."""
    random = np.random.default_rng([np.dtype(dtype).itemsize, *shape])

    def one():
        if np.issubdtype(dtype, np.integer):
            return random.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
        return (2 * random.random(shape) - 0.5).astype(dtype)

    extents = "x".join(str(n) for n in reversed(shape))
    return Images(f"{np.dtype(dtype).name}_{extents}", one(), one(), one())


def photographs():
    """Images of a photograph: three parts of it as the channels of a picture in colour, one of them negative; their luma
    with 16 bits; and another part in colour as float32."""
    grey = cv2.imread(photograph, cv2.IMREAD_GRAYSCALE)
    colour = np.stack([grey[:, :400], grey[::-1, 100:500], 255 - grey[:, 200:]])
    luma = np.tensordot([76, 150, 29], colour.astype("u2"), 1).astype("u2")
    for image in (colour[:, 100:200, 220:363], luma[50:251, 80:380], (colour[:, 200:300, 220:363] / 255).astype("f4")):
        others = [np.ascontiguousarray(np.flip(image, axis)) for axis in (-1, -2)]
        yield Images(f"photograph_{image.dtype.name}", np.ascontiguousarray(image), *others, is_large=True)


class Operators(ProgramRuns):
    def run_program(self, ranks, *words):
        return self.output("chain", ranks, *words, timeout=300)

    def write(self, images):
        for name, image in zip(("input", "second", "third"), (images.first, images.second, images.third)):
            self.store(f"{name}.h5", image)

    def results(self, steps, stages, ranks, *words, schedule):
        """The results of some steps by their names, and the numbers that no step reads."""
        deck = {"input": {"file": "input.h5"}, "steps": steps, "schedule": schedule,
                "inputs": {name: {"file": f"{name}.h5"} for name in ("second", "third")},
                "output": {"step": stages[0], "file": "o.h5"}}
        if len(stages) > 1:
            deck["output"]["stages"] = stages[1:]
        with open(self.path("deck.yaml"), "w", encoding="utf-8") as file:
            json.dump(deck, file)
        self.run_program(ranks, "deck.yaml", "--report", "r.json", "--quiet", *words)
        with open(self.path("r.json"), encoding="utf-8") as report:
            found = {name: np.float64(value) for name, value in json.load(report).get("numbers", {}).items()}
        return {**found, **{name: self.stored("o.h5", name) for name in stages}}

    def check(self, images, cases, turn):
        self.write(images)
        steps = {f"s{i}": case.step() for i, case in enumerate(cases)}
        dimensions = {f"s{i}": np.ndim(case.expected[0].value) for i, case in enumerate(cases)}
        stages = sorted((name for name, count in dimensions.items() if count > 0), key=dimensions.get, reverse=True)
        found = self.results(steps, stages, 1, "threads=1", schedule={})
        for name, case in zip(steps, cases):
            for number, expected in enumerate(case.expected):
                with self.subTest(**{case.operator: case.parameters, "peer": number}):
                    self.assertEqual(expected.complaint(found[name]), "")
        if not images.is_large:
            of_two_dimensions = [name for name in stages if dimensions[name] > 1]
            stride = 1 + len(of_two_dimensions) // 80
            self.check_schedule({name: steps[name] for name in of_two_dimensions[turn % stride::stride]}, found, turn)

    def check_schedule(self, steps, found, turn):
        ranks, way, words = WAYS[turn % len(WAYS)]
        # The results of the run are copies of the steps, because steps that are results cannot have any schedule.
        copies = {"c" + name: {"crop": name, "size": [int(n) for n in found[name].shape[:-3:-1]]} for name in steps}
        again = self.results({**steps, **copies}, list(copies), ranks, *words, schedule=dict.fromkeys(steps, way))
        for name in steps:
            with self.subTest(ranks=ranks, way=way, step=steps[name]):
                self.assertEqual(again["c" + name].tobytes(), found[name].tobytes())

    def test_photographs_are_in_colour(self):
        for images in photographs():
            if images.first.ndim == 3:
                red, green, blue = images.exact / images.white
                for one, other in ((red, green), (green, blue), (blue, red)):
                    self.assertGreater(np.mean(np.abs(one - other) > 0.05), 0.5, images.name)

    def test_other_roundings_are_refused(self):
        exact = np.random.default_rng(4).uniform(0, 255, (40, 50))
        expected = near(exact, "u1", 0.05, is_even=True)
        self.assertEqual(expected.complaint(np.floor(exact + 0.5).astype("u1")), "")
        for part in (0, 0.45, 0.55):
            self.assertNotEqual(expected.complaint(np.floor(exact + part).astype("u1")), "", part)
        halves = np.arange(100) / 2
        self.assertEqual(rounded(halves, "u1").complaint(np.floor(halves + 0.5).astype("u1")), "")
        self.assertNotEqual(rounded(halves, "u1").complaint(np.rint(halves).astype("u1")), "")

    def test_the_deck_of_canny_gives_the_edges_of_opencv_and_scikit_image(self):
        deck = os.path.join(os.path.dirname(manual), "..", "inputs", "chain", "canny.yaml")
        low, high = 20.5, 60.5
        for images in [random_images(np.uint8, (47, 61)), *photographs()]:
            if images.dtype != np.uint8:
                continue
            grown, of_opencv, is_sure = convolutions.hysteresis(images, low, high)
            self.write(images)
            for ranks, words in [(1, []), (3, ["loops.edges.turns_per_exchange=4"]), (4, ["schedule.around.compute=tile"])]:
                # Such a narrow Gaussian leaves the image as it is, so that all decisions are exact.
                self.run_program(ranks, deck, "input.file=input.h5", "output.file=o.h5", "threads=1", "steps.thin.sigma=0.1",
                                 f"steps.thin.low={low}", f"steps.strong.expression='thin >= {high}'", *words)
                found = self.stored("o.h5", "marked") > 0
                self.assertTrue(np.array_equal(found, grown), (images.name, words))
                self.assertTrue(np.array_equal(found & is_sure, of_opencv & is_sure), (images.name, words))
            self.assertGreater(np.mean(is_sure), 0.8)
            self.assertGreater(np.count_nonzero(found & is_sure), 100)
            # Hysteresis adds edges of photographs, but not all weak ones.
            strong, weak = (convolutions.hysteresis(images, least, least)[0] for least in (high, low))
            if images.is_large:
                self.assertGreater(np.count_nonzero(found & ~strong), 100)
                self.assertGreater(np.count_nonzero(weak & ~found), 100)

    def test_every_operator_and_type_has_a_peer(self):
        listed = re.findall(r"^  (\w+) ", self.run_program(1, "--operators"), re.MULTILINE)
        self.assertGreater(len(listed), 60)
        with open(manual, encoding="utf-8") as page:
            rules = dict(re.findall(r"^\* \*\*(\w+)\*\* .* Types: (.*?)\. `", page.read(), re.MULTILINE))
        rules["expression"] = "uint8, uint16, float32 stay"
        for operator in listed:
            # The types that the operator takes are named before the word 'becomes'.
            taken = " ".join(rule.split(" becomes ")[0] for rule in rules[operator].split("; "))
            types = set(re.findall("uint8|uint16|float32", taken))
            self.assertEqual(types - {case_type for case_type, _ in covered.get(operator, [])}, set(), operator)
            self.assertTrue(types, operator)

    def test_operators_without_a_library_are_known(self):
        without = {operator for operator, cases in covered.items() if not any(case.is_of_library for _, case in cases)}
        self.assertEqual(without, defined_here)

    def test_every_parameter_and_choice_is_compared(self):
        with open(manual, encoding="utf-8") as page:
            operators = re.split(r"^\* \*\*(\w+)\*\* ", page.read(), flags=re.MULTILINE)[1:]
        for operator, text in zip(operators[::2], operators[1::2]):
            parameters = [case.parameters for _, case in covered[operator]]
            for name, kind, default in re.findall(r"^  \* `(\w+)` \((.*?); ([^;]*?)\):", text, re.MULTILINE):
                with self.subTest(operator=operator, parameter=name):
                    self.assertTrue(any(name in given for given in parameters))
                    choices = re.fullmatch(r"\w+(, \w+)+", kind)
                    for choice in choices[0].split(", ") if choices else ():
                        self.assertTrue(any(given.get(name, default) == choice for given in parameters), choice)


def add_tests():
    shapes = [(47, 61), (1, 53), (3, 29, 37)]
    all_images = [random_images(dtype, shape) for dtype in (np.uint8, np.uint16, np.float32) for shape in shapes]
    turn = 0
    for images in [*all_images, *photographs()]:
        for name, modules in families.items():
            cases = [case for module in modules for case in module.cases(images)]
            for case in cases:
                covered.setdefault(case.operator, []).append((images.dtype.name, case))
            setattr(Operators, f"test_{name}_{images.name}",
                    lambda self, i=images, c=cases, t=turn: self.check(i, c, t))
            turn += 1


# The cases of each operator with the types of their images.
covered = {}
# The operators that no library has, or that only select points.
defined_here = {"blend", "channel", "crop", "expression"}
add_tests()
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
