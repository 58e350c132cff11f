# SPDX-License-Identifier: BSD-3-Clause
"""The spectra and filtered images of tessera-spectrum, computed anew by numpy.

usage: spectrum_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS PHOTOGRAPH MPIEXEC COUNT_FLAG
"""
import re
import sys
import unittest

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from spectrum_runs import Runs, frequencies, lowpass


class Spectra(Runs):
    def test_power_of_every_type_and_odd_and_even_extents(self):
        for number, (dtype, shape) in enumerate(
                [(np.uint8, (30, 41)), (np.uint16, (31, 40)), (np.float32, (1, 17)), (np.float64, (24, 1)),
                 (np.float32, (1, 1)), (np.uint8, (3, 20, 29))]):
            image = self.write(self.sample(shape, dtype))
            part = np.float64 if dtype == np.float64 else np.float32
            amplitude = np.abs(np.fft.fftshift(np.fft.fft2(image), axes=(-2, -1))) / np.sqrt(shape[-1] * shape[-2])
            found = self.result(ranks=1 + number % 4)
            self.assertEqual(found.dtype, part)
            self.expect_close(np.sqrt(found.astype(np.float64)), amplitude, part)
            self.expect_close(self.result("result=amplitude"), amplitude, part)

    def test_the_complex_half_spectrum(self):
        for dtype, complex_type in [(np.float32, np.complex64), (np.float64, np.complex128)]:
            image = self.write(self.sample((37, 54), dtype))
            found = self.result("result=complex", ranks=3)
            self.assertEqual(found.dtype, complex_type)
            self.expect_close(found, np.fft.rfft2(image), dtype)

    def test_filters(self):
        image = self.write(self.sample((45, 64), np.float32))
        u, v = frequencies(image)
        radius = np.hypot(u, v)
        # Frequencies that differ by 1 per point are the same.
        notch = [np.min([np.hypot(u - s * 0.25 + i, v + s * 0.125 + j) for i in (-1, 0, 1) for j in (-1, 0, 1)], axis=0)
                 for s in (1, -1)]
        for words, passed in [
                (("filter.highest=0.1", "filter.shape=gaussian"), lowpass(radius, 0.1, "gaussian")),
                (("filter.highest=0.07", "filter.shape=ideal"), lowpass(radius, 0.07, "ideal")),
                (("filter.lowest=0.1", "filter.order=3"), 1 - lowpass(radius, 0.1, "butterworth", 3)),
                (("filter.lowest=0.05", "filter.highest=0.2"),
                 lowpass(radius, 0.2, "butterworth") * (1 - lowpass(radius, 0.05, "butterworth"))),
                (("filter.notch.x=0.25", "filter.notch.y=-0.125", "filter.notch.width=0.03"),
                 (1 - lowpass(notch[0], 0.03, "butterworth")) * (1 - lowpass(notch[1], 0.03, "butterworth")))]:
            spectrum = np.fft.rfft2(image) * passed
            self.expect_close(self.result(*words, "result=image"), np.fft.irfft2(spectrum, image.shape))
            self.expect_close(self.result(*words, "result=complex"), spectrum)

    def test_a_pattern_is_taken_out(self):
        x, y = np.meshgrid(np.arange(96), np.arange(80))
        clean = 100 + 20 * np.sin(2 * np.pi * x / 96)
        self.write((clean + 30 * np.cos(2 * np.pi * (x / 4 + y / 8))).astype(np.float32))
        found = self.result("result=image", "filter.notch.x=0.25", "filter.notch.y=0.125")
        self.assertLess(np.max(np.abs(found - clean)), 0.2)

    def test_a_pattern_of_the_highest_frequency_is_taken_out(self):
        x, y = np.meshgrid(np.arange(96), np.arange(80))
        self.write((100 + 30 * np.cos(2 * np.pi * (x / 4 + y / 2))).astype(np.float32))
        for sign in ("", "-"):
            found = self.result("result=image", "filter.notch.x=0.25", f"filter.notch.y={sign}0.5", "filter.notch.width=0.01")
            self.assertLess(np.max(np.abs(found - 100)), 0.2)

    def test_without_a_filter_the_image_comes_back(self):
        image = self.write(self.sample((3, 33, 35), np.uint16))
        self.expect_close(self.result("result=image", ranks=4), image)

    def test_the_low_pass_deck(self):
        image = self.write(self.sample((50, 60), np.uint8))
        passed = lowpass(np.hypot(*frequencies(image)), 0.05, "butterworth")
        expected = np.fft.irfft2(np.fft.rfft2(image) * passed, image.shape)
        self.expect_close(self.result(deck="low_pass"), expected)

    def test_the_same_bits_on_every_grid(self):
        self.write(self.sample((45, 61), np.float32))
        for words in [("result=power",), ("result=image", "filter.highest=0.1")]:
            expected = self.result(*words, ranks=1).tobytes()
            for ranks, threads, grids in ((1, 3, ("[1, auto]",)), (2, 2, ("[1, auto]", "[auto, 1]")),
                                          (3, 1, ("[1, auto]", "[auto, 1]")), (4, 1, ("[1, auto]", "[auto, 1]", "[auto, auto]"))):
                for grid in grids:
                    for more in ((), ("schedule.spectrum.tile=[5, 1]", "schedule.spectrum_x.tile=[1, 7]")):
                        found = self.result(*words, f"grid={grid}", *more, ranks=ranks, threads=threads)
                        self.assertEqual(found.tobytes(), expected, f"{ranks} {threads} {grid} {more}")

    def test_ranks_need_few_columns_for_the_power(self):
        self.write(self.sample((64, 2048), np.float32))
        printed = self.run_program(4, "output.file=o.h5", "--explain", "--rank", "1")
        required = re.search(r"stage 'half_power'.*?required +\[(\d+), (\d+)\)", printed, re.DOTALL)
        self.assertIsNotNone(required, printed)
        self.assertLess(int(required[2]) - int(required[1]), 520)

    def test_explain_shows_the_redistribution(self):
        self.write(self.sample((45, 61), np.float32))
        printed = self.run_program(2, "output.file=o.h5", "--explain")
        self.assertRegex(printed, r"stage spectrum_x: .* on \[1, 2\], .* sends \d")
        self.assertRegex(printed, r"stage spectrum: .* on \[2, 1\]")

    def test_nothing_is_sent_before_the_columns_are_transformed_back(self):
        self.write(self.sample((450, 610), np.float32))
        for words, stage in [(("result=image", "filter.highest=0.1"), "filtered"),
                             (("result=convolved", "kernel.sigma=1", "method=transform"), "product"),
                             (("result=deconvolved", "kernel.sigma=1"), "quotient")]:
            printed = self.run_program(2, *words, "output.file=o.h5", "--explain")
            lines = re.findall(rf"^ *stage (?:spectrum|{stage}): .*$", printed, re.MULTILINE)
            self.assertEqual(len(lines), 2, printed)
            for line in lines:
                self.assertIn("on [2, 1]", line)
                self.assertNotIn("sends", line)

    def test_stages_that_are_not_computed_are_refused(self):
        self.write(self.sample((20, 30), np.uint8))
        self.expect_message(self.refused("output.stages=[filtered]"), "'output.stages':", "no stage 'filtered'", "half_power")

    def test_bad_input(self):
        self.write(self.sample((20, 20), np.uint8))
        for words, message in [
                (("filter.lowest=0.2", "filter.highest=0.1"),
                 "between it and 'filter.highest'"),
                (("filter.notch.x=0.2",), "a notch needs x and y"),
                (("filter.shape=box",), "'box'"), (("result=phase",), "'phase'"),
                (("filter.notch.width=0.1",), "there is no notch"),
                (("filter.order=3",), "'filter.order': there is no filter"),
                (("border=clamp",), "'border': the result 'power'"),
                (("kernel.normalise=false",), "'kernel.normalise': the result 'power'"),
                (("result=image", "noise=0.1"), "'noise': the result 'image' has no use"),
                (("result=complex", "method=direct"), "'method': the result 'complex'")]:
            self.expect_message(self.refused(*words), message)

    def test_complex_images_and_png_results_are_refused(self):
        self.write(self.sample((20, 20), np.uint8))
        self.expect_message(self.refused("result=complex", output="output.png=o.png", ranks=1),
                            "not complex64", "write HDF5 instead")
        self.store("image.h5", np.ones((20, 20), np.complex64))
        self.assertIn("complex64", self.refused(ranks=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
