#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How good and how fast the restoration is, beside OpenCV's median filter.

    benchmarks/restore.py build/bin/tessera-restore [--threads 1] [--work folder]

Takes two photographs of scikit-image, adds salt-and-pepper noise, restores them and compares with the best window of
cv2.medianBlur. Needs python3-numpy, python3-skimage and python3-opencv. Ends with a status that is not 0 when an image is
less than 6 dB better than the median, a clean pixel was changed, or our PSNR and SSIM are not those of scikit-image.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import skimage.data
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

GOAL = 6.0
SHARES = (30, 50, 70)
WINDOWS = range(3, 32, 2)


def photographs():
    """Name, image, and whether all its pixels lie in 1 to 254, so that 0 and 255 are noise only."""
    grey = {"camera": skimage.data.camera(), "chelsea": cv2.cvtColor(skimage.data.chelsea(), cv2.COLOR_RGB2GRAY)}
    for name, image in grey.items():
        yield name, (1 + np.rint(image * (253 / 255))).astype(np.uint8), True
    yield "camera, not rescaled", grey["camera"], False


def with_noise(image, share):
    """Each pixel becomes, with this probability in per cent, 0 or 255."""
    random = np.random.default_rng(share)
    is_noise = random.random(image.shape) < share / 100
    noise = np.where(random.random(image.shape) < 0.5, 0, 255).astype(np.uint8)
    return np.where(is_noise, noise, image), is_noise


def metrics(clean, image):
    """PSNR in dB and SSIM."""
    return (peak_signal_noise_ratio(clean, image),
            structural_similarity(clean, image, gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
                                  data_range=255))


def best_median(clean, noisy):
    """The window of the best PSNR, and its image."""
    images = {window: cv2.medianBlur(noisy, window) for window in WINDOWS}
    window = max(images, key=lambda each: peak_signal_noise_ratio(clean, images[each]))
    return window, images[window]


def restored(arguments, folder, clean, noisy):
    """The image, its metrics as the program has them, cycles and seconds without files and metrics."""
    path = {name: os.path.join(folder, name) for name in ("clean.png", "noisy.png", "restored.png", "report.json")}
    cv2.imwrite(path["clean.png"], clean)
    cv2.imwrite(path["noisy.png"], noisy)
    subprocess.run([arguments.program, f"threads={arguments.threads}", "input.file=" + path["noisy.png"],
                    "clean.file=" + path["clean.png"], "output.png=" + path["restored.png"], "--report",
                    path["report.json"]], check=True, stdout=subprocess.DEVNULL)
    with open(path["report.json"]) as file:
        report = json.load(file)
    seconds = sum(step["slowest_seconds"] for step in report["steps"]
                  if step["node"] >= 0 and not any(word in step["step"] for word in ("read ", "write ", "psnr", "ssim")))
    numbers = report["numbers"]
    image = cv2.imread(path["restored.png"], cv2.IMREAD_UNCHANGED)
    return image, (numbers["psnr"], numbers["ssim"]), report["loops"][0]["turns"], seconds


def compare(arguments, folder, name, clean, is_rescaled, share):
    """Prints a row of the table; returns what is wrong with it."""
    noisy, is_noise = with_noise(clean, share)
    image, ours, cycles, seconds = restored(arguments, folder, clean, noisy)
    window, median = best_median(clean, noisy)
    theirs = metrics(clean, median)
    gain = ours[0] - theirs[0]
    changed = np.count_nonzero((image != clean) & ~is_noise)
    print(f"| {name} | {share} % | {cycles} | {seconds:.3f} | {ours[0]:.2f} | {ours[1]:.4f} | {window} | {theirs[0]:.2f} "
          f"| {theirs[1]:.4f} | {gain:+.2f} | {changed} |", flush=True)
    problems = []
    if gain < GOAL:
        problems.append(f"{gain:.2f} dB better than the median, not {GOAL}")
    if is_rescaled and changed > 0:
        problems.append(f"{changed} clean pixels changed")
    if not np.allclose(ours, metrics(clean, image), rtol=1e-9):
        problems.append(f"PSNR and SSIM are {ours}, but scikit-image has {metrics(clean, image)}")
    return [f"{name} with {share} % noise: {problem}" for problem in problems]


def speed(arguments, folder):
    """Frames per second of 2048 x 1080 pixels with 70 % noise: the best of several."""
    camera = (1 + np.rint(skimage.data.camera() * (253 / 255))).astype(np.uint8)
    clean = cv2.resize(camera[100:370, :], (2048, 1080), interpolation=cv2.INTER_CUBIC)
    noisy, _ = with_noise(clean, 70)
    seconds = min(restored(arguments, folder, clean, noisy)[3] for _ in range(arguments.repetitions))
    print(f"\n2048 x 1080 with 70 % noise, threads={arguments.threads}: {1 / seconds:.2f} frames per second")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="tessera-restore")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=5, help="of the frame whose time is taken")
    parser.add_argument("--work", help="a folder for images that are to stay")
    arguments = parser.parse_args()
    print("| image | noise | cycles | seconds | PSNR | SSIM | median window | its PSNR | its SSIM | dB | clean pixels changed |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    problems = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.work or temporary
        for name, clean, is_rescaled in photographs():
            for share in SHARES:
                problems += compare(arguments, folder, name, clean, is_rescaled, share)
        speed(arguments, folder)
    for problem in problems:
        print("missed:", problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
