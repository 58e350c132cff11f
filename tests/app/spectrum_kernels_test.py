# SPDX-License-Identifier: BSD-3-Clause
"""The convolutions and deconvolutions of tessera-spectrum, computed anew by numpy.

usage: spectrum_kernels_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS PHOTOGRAPH MPIEXEC COUNT_FLAG
"""
import os
import re
import sys
import unittest

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from spectrum_runs import Runs, convolved, deconvolved, gaussian, pad_modes, photograph


class Kernels(Runs):
    def test_deconvolution_undoes_the_blur_of_a_photograph(self):
        self.output("convert", 1, f"input.file={photograph}", "output.file=photo.h5", "type=float32", "threads=1")
        photo = self.stored("photo.h5").astype(np.float64)
        kernel = np.random.default_rng(2).random((5, 7))
        kernel[2, 3] = 20  # so that no frequency is lost
        kernel = self.write_kernel(kernel)
        self.write(convolved(photo, kernel, "periodic").astype(np.float32))
        found = self.result("result=deconvolved", "kernel.file=kernel.h5", "border=periodic", "noise=1e-12", ranks=3)
        self.assertEqual(found.dtype, np.float32)
        self.assertGreater(np.max(np.abs(self.image() - photo)), 5)
        self.assertLess(np.max(np.abs(found - photo)), 2e-3)

    def image(self):
        return self.stored("image.h5")

    def test_deconvolution_as_numpy_computes_it(self):
        for number, (dtype, shape, kernel_type, kernel_shape, border, noise) in enumerate([
                (np.float32, (45, 64), np.float32, (5, 7), "periodic", 0.01),
                (np.uint8, (40, 51), np.uint8, (4, 6), "mirror", 0.001),
                (np.uint16, (3, 33, 40), np.uint16, (1, 9), "clamp", 0.1),
                (np.float64, (30, 31), np.float64, (30, 31), "constant", 1e-5),
                (np.float32, (20, 20), np.float64, (7, 2), "mirror_interior", 1)]):
            image = self.write(self.sample(shape, dtype, number))
            kernel = self.write_kernel(self.sample(kernel_shape, kernel_type, number + 10))
            found = self.result("result=deconvolved", "kernel.file=kernel.h5", f"border={border}", f"noise={noise}",
                                ranks=1 + number % 4)
            part = np.float64 if dtype == np.float64 else np.float32
            self.assertEqual(found.dtype, part)
            self.expect_close(found, deconvolved(image, kernel, border, noise), part, 60 / np.sqrt(min(noise, 1)))

    def test_both_methods_convolve_as_numpy_does(self):
        for number, (dtype, shape, kernel_shape) in enumerate([
                (np.float32, (45, 64), (5, 7)), (np.uint8, (40, 51), (8, 2)), (np.uint16, (3, 33, 40), (1, 9)),
                (np.float64, (30, 37), (30, 37)), (np.float32, (5, 5), (3, 3)), (np.float64, (1, 70), (1, 16))]):
            image = self.write(self.sample(shape, dtype, number))
            kernel = self.write_kernel(self.sample(kernel_shape, np.float32, number + 10))
            part = np.float64 if dtype == np.float64 else np.float32
            for border in (list(pad_modes) * 2)[number % 5:number % 5 + 2]:
                expected = convolved(image, kernel, border)
                for method in ("direct", "transform"):
                    found = self.result("result=convolved", "kernel.file=kernel.h5", f"border={border}", f"method={method}",
                                        ranks=1 + number % 4)
                    self.assertEqual(found.dtype, part)
                    self.expect_close(found, expected, part, 30)

    def test_gaussians(self):
        image = self.write(self.sample((45, 64), np.float32))
        for method in ("direct", "transform"):
            found = self.result("result=convolved", "kernel.sigma=2.3", f"method={method}", "border=clamp")
            self.expect_close(found, convolved(image, gaussian(2.3), "clamp"), np.float32, 30)
        found = self.result("result=deconvolved", "kernel.sigma=1.2", "noise=0.05")
        self.expect_close(found, deconvolved(image, gaussian(1.2), "mirror", 0.05))

    def test_weights_that_are_not_divided_by_their_sum(self):
        image = self.write(self.sample((25, 34), np.float32))
        for kernel, words in [(np.array([[1.0, 2.0], [3.0, 5.0]]), ("kernel.normalise=false",)),
                              (np.array([[1.0, 0.0, -1.0]]), ())]:  # a sum of 0
            self.write_kernel(np.abs(kernel))
            self.write_weights(kernel)
            for method in ("direct", "transform"):
                found = self.result("result=convolved", "kernel.file=kernel.h5", f"method={method}", *words)
                self.expect_close(found, convolved(image, kernel, "mirror"), np.float32, 60)

    def test_a_sum_that_is_0_but_for_roundings(self):
        y, x = np.mgrid[-6:7, -6:7] / 2.0
        laplacian = (x ** 2 + y ** 2 - 2) * np.exp(-(x ** 2 + y ** 2) / 2)
        laplacian -= np.mean(laplacian)
        self.assertNotEqual(np.sum([0.1, 0.2, -0.3]), 0)
        for number, (kernel_type, image_type) in enumerate(
                [(a, b) for a in (np.float32, np.float64) for b in (np.float32, np.float64)]):
            # Where the sum is 0, an offset vanishes, and its roundings remain.
            image = self.write(100 + self.sample((25, 34), image_type))
            for kernel, method in zip((np.array([[0.1, 0.2, -0.3]]), laplacian),
                                      (("direct", "transform") * 2)[number % 2:number % 2 + 2]):
                self.write_weights(kernel.astype(kernel_type))
                expected = convolved(image, kernel.astype(kernel_type).astype(np.float64), "mirror")
                scale = 100 * np.sum(np.abs(kernel))
                found = self.result("result=convolved", "kernel.file=kernel.h5", f"method={method}")
                self.assertLess(np.max(np.abs(found - expected)), 30 * np.finfo(image_type).eps * scale)

    def test_a_small_sum_that_is_no_rounding_divides(self):
        image = self.write(self.sample((25, 34), np.float64))
        kernel = np.array([[1, 2.0 ** -20, -1]])
        self.write_weights(kernel)
        for method in ("direct", "transform"):
            found = self.result("result=convolved", "kernel.file=kernel.h5", f"method={method}")
            self.expect_close(found / 1e6, convolved(image, kernel / np.sum(kernel), "mirror") / 1e6, np.float64)

    def test_weights_beyond_the_numbers_of_the_image(self):
        image = self.write(self.sample((25, 34), np.float32))
        for weight, method in [(1e-50, "direct"), (1e39, "direct"), (1e-50, "transform"), (1e39, "transform")]:
            self.write_weights(np.full((3, 5), weight))
            found = self.result("result=convolved", "kernel.file=kernel.h5", f"method={method}")
            self.expect_close(found, convolved(image, np.full((3, 5), 1 / 15), "mirror"))

    def test_kernels_of_no_use_are_refused(self):
        self.write(self.sample((25, 34), np.float32))
        nan, infinite = np.ones((5, 3), np.float32), np.ones((5, 3))
        nan[3, 2], infinite[4, 0] = np.nan, -np.inf
        for kernel, words, message in [
                (nan, ("result=convolved",), "kernel.file': the weight (2, 3) is nan"),
                (infinite, ("result=convolved", "kernel.normalise=false"), "kernel.file': the weight (0, 4) is -inf"),
                (np.full((5, 3), 1e308), ("result=convolved",), "the sum of the weights is too large"),
                (np.zeros((5, 3), np.uint8), ("result=convolved",), "all weights are 0"),
                (np.zeros((5, 3)), ("result=deconvolved",), "all weights are 0")]:
            self.write_weights(kernel)
            self.expect_message(self.refused("kernel.file=kernel.h5", *words), message)

    def test_direct_convolutions_keep_numbers_that_are_not_finite_in_the_window(self):
        image = self.sample((25, 34), np.float32)
        image[10, 12] = np.nan
        self.write(image)
        for method, found_at in [("direct", {(y, x) for y in (9, 10, 11) for x in range(10, 15)}), ("transform", None)]:
            self.write_weights(np.ones((3, 5)))
            found = self.result("result=convolved", "kernel.file=kernel.h5", f"method={method}")
            if found_at is None:
                self.assertTrue(np.all(np.isnan(found)))
            else:
                self.assertEqual(set(zip(*map(list, np.where(np.isnan(found))))), found_at)

    def test_errors_are_relative_to_the_image_and_not_to_the_result(self):
        image = self.write((1e4 + self.sample((64, 70), np.float32)).astype(np.float32))
        kernel = np.random.default_rng(7).random((9, 9))
        kernel -= np.mean(kernel)
        self.write_weights(kernel)
        expected = convolved(image, kernel, "mirror")
        bound = 30 * np.finfo(np.float32).eps * np.sqrt(np.mean(image ** 2)) * np.sum(np.abs(kernel))
        for method in ("direct", "transform"):
            found = self.result("result=convolved", "kernel.file=kernel.h5", f"method={method}")
            self.assertLess(np.max(np.abs(found - expected)), bound)
        self.write(image)
        found = self.result("result=convolved", "kernel.file=kernel.h5", "method=transform")
        self.assertLess(np.max(np.abs(found - expected)), bound * np.finfo(np.float64).eps / np.finfo(np.float32).eps)

    def test_series_say_once_which_method_is_chosen(self):
        for number in range(5):
            self.write(self.sample((64, 64) if number < 3 else (48, 64), np.float32))
            os.rename(self.path("image.h5"), self.path(f"f{number}.h5"))
        line = re.compile(r"convolution by sums \(direct\), which is cheaper: estimated cost \S+ direct, \S+ by transform")
        for ranks in 1, 2:
            words = ("output.files=o{name}.h5", "result=convolved", "kernel.sigma=1")
            printed = self.run_program(ranks, *words, "--report", "report.json", image="input.files=f*.h5", threads=2)
            said = line.findall(printed)
            self.assertEqual((len(said), len(set(said))), (2, 2), printed)
            with open(self.path("report.json")) as file:
                self.assertEqual(line.findall(file.read()), said)

    def test_all_images_of_a_series_are_convolved_with_the_kernel_of_a_file(self):
        self.write_weights(self.sample((5, 7), np.uint16, 9))
        names = []
        for number, (shape, dtype) in enumerate([((40, 51), np.uint8), ((3, 30, 44), np.uint16), ((61, 37), np.float64),
                                                 ((40, 51), np.uint8), ((12, 13), np.float32), ((40, 51), np.uint8)]):
            self.write(self.sample(shape, dtype, number))
            names.append(f"f{number}")
            os.rename(self.path("image.h5"), self.path(f"f{number}.h5"))
        for method, result in [("direct", "convolved"), ("transform", "convolved"), (None, "deconvolved")]:
            words = ["kernel.file=kernel.h5", f"result={result}", *([f"method={method}"] if method else [])]
            expected = [self.result(*words, image=f"input.file={name}.h5", ranks=1) for name in names]
            for ranks, further in [(1, ["graph.spectrum.on=kernels"]), (1, []), (3, ["graph.window=2"])]:
                self.run_program(ranks, *words, "output.files=o/{name}.h5", *further, image="input.files=f*.h5", threads=2)
                for name, one in zip(names, expected):
                    np.testing.assert_array_equal(self.stored(f"o/{name}.h5", "result"), one)
        for way, said in [("--check", "6 images can be read"), ("--explain", "spectrum")]:
            self.assertIn(said, self.run_program(2, *words, "output.files=o/{name}.h5", way, image="input.files=f*.h5"))

    def test_kernels_of_series_are_checked_before_the_first_image(self):
        self.write(self.sample((25, 34), np.float32))
        self.write_weights(np.zeros((5, 3), np.uint8))
        words = ("result=convolved", "kernel.file=kernel.h5")

        def refused(output, *further):
            return self.refused(*words, *further, image="input.files=[image.h5]", output=output)

        self.expect_message(refused("output.files=o.h5"), "'kernel.file':", "all weights are 0")
        self.write_weights(np.ones((31, 3)))
        self.expect_message(refused("output.files=o.h5"), "'kernel.file':", "3 x 31 points", "34 x 25")
        self.expect_message(refused("output.files=kernel.h5"), "'output.files':", "kernel.h5 is the file of 'kernel.file'")
        self.expect_message(refused("output.files=o.h5", "kernel.sigma=2"), "either 'kernel.file' or 'kernel.sigma'")

    def test_the_cheaper_method_is_chosen(self):
        self.write(self.sample((256, 256), np.float32))
        for extent, method in [(3, "direct"), (101, "transform")]:
            self.write_kernel(self.sample((extent, extent), np.float32))
            for asked, chosen, why in [("auto", method, "which is cheaper"), ("direct", "direct", "as 'method' asks"),
                                       ("transform", "transform", "as 'method' asks")]:
                line = re.compile(rf"convolution by .* \({chosen}\), {why}: estimated cost \S+ direct, \S+ by transform")
                words = ("result=convolved", "kernel.file=kernel.h5", f"method={asked}", "output.file=o.h5")
                printed = self.run_program(2, *words, "--explain")
                self.assertRegex(printed, line)
                self.assertEqual("stage spectrum:" in printed, chosen == "transform")
        self.assertRegex(self.run_program(1, *words, "--report", "report.json"), line)
        with open(self.path("report.json")) as file:
            self.assertRegex(file.read(), line)

    def test_the_same_bits_on_every_grid(self):
        self.write(self.sample((45, 61), np.float32))
        self.write_kernel(self.sample((7, 9), np.float32))
        for words in [("result=convolved", "method=direct", "border=periodic"), ("result=convolved", "method=direct"),
                      ("result=convolved", "method=transform"), ("result=deconvolved", "border=periodic"),
                      ("result=deconvolved", "border=clamp")]:
            words += ("kernel.file=kernel.h5",)
            expected = self.result(*words, ranks=1).tobytes()
            for ranks, threads, grid, more in [
                    (1, 3, "[1, auto]", ("schedule.result.tile=[5, 2]",)), (2, 2, "[1, auto]", ()),
                    (3, 1, "[auto, 1]", ("schedule.result.tile=[5, 2]",)), (4, 1, "[auto, auto]", ()), (4, 1, "[auto, 1]", ())]:
                found = self.result(*words, f"grid={grid}", *more, ranks=ranks, threads=threads)
                self.assertEqual(found.tobytes(), expected, f"{words} {ranks} {threads} {grid} {more}")
            if "method=direct" in words and "border=periodic" not in words:
                self.assertEqual(self.result(*words, "memory=24K", ranks=2).tobytes(), expected)

    def test_decks(self):
        image = self.write(self.sample((60, 70), np.uint8))
        kernel = self.write_kernel(self.sample((9, 9), np.float32))
        found = self.result("kernel.file=kernel.h5", deck="deconvolve")
        self.expect_close(found, deconvolved(image, kernel, "mirror", 0.001), np.float32, 2000)
        found = self.result("kernel.file=kernel.h5", deck="convolve")
        self.expect_close(found, convolved(image, kernel, "mirror"))

    def test_bad_input(self):
        self.write(self.sample((20, 30), np.uint8))
        self.write_kernel(self.sample((21, 5), np.float32))
        file = "kernel.file=kernel.h5"
        for words, message in [
                (("result=convolved",), "an image or a Gaussian"),
                (("result=convolved", file, "kernel.sigma=1"), "either 'kernel.file' or 'kernel.sigma'"),
                (("result=power", file), "the result 'power' has no kernel"),
                (("result=image", "kernel.sigma=1"), "the result 'image' has no kernel"),
                (("result=convolved", file), "5 x 21 points, but the image has"),
                (("result=deconvolved", "kernel.sigma=9"), "73 x 73 points, but the image has"),
                (("result=convolved", "kernel.sigma=1", "filter.highest=0.1"), "'convolved' has no filter"),
                (("result=deconvolved", "kernel.sigma=1", "method=direct"), "computed by transforms only"),
                (("result=deconvolved", "kernel.file=none.h5"), "none.h5"),
                (("kernel.dataset=kernel",), "'kernel.file' is not given"),
                (("result=deconvolved", "kernel.sigma=1", "noise=0"), "noise"),
                (("result=convolved", "kernel.sigma=1", "noise=0.1"), "'noise': the result 'convolved'")]:
            self.expect_message(self.refused(*words), message)
        for kernel, message in [(np.ones((3, 4, 5), np.float32), "give one without channels"),
                                (np.ones((3, 4), np.int32), "the kernel is of int32")]:
            self.write_weights(kernel)
            self.expect_message(self.refused("result=convolved", "kernel.file=kernel.h5"), message)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
