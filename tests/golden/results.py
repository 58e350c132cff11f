# SPDX-License-Identifier: BSD-3-Clause
"""What programs have written, as named arrays and texts. Other libraries decode PNG and TIFF, so that no fault of Tessera's
readers can hide one of its writers."""
import json
import os
import re

import cv2
import h5py
import numpy as np
import tifffile

# Attributes about the run, and not about the result.
ABOUT_THE_RUN = {"program", "version", "libraries", "deck", "ranks", "threads_per_rank", "grid", "steps", "input"}


def of_hdf5(path):
    with h5py.File(path) as file:
        found = {f"@{name}": np.asarray(value) for name, value in file.attrs.items() if name not in ABOUT_THE_RUN}

        def visit(name, item):
            found.update({f"{name}@{key}": np.asarray(value) for key, value in item.attrs.items()})
            if isinstance(item, h5py.Dataset):
                found[name] = item[()]
        file.visititems(visit)
    return found


def of_png(path):
    image = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    return {"": image[..., None] if image.ndim == 2 else image[..., [2, 1, 0, 3][:image.shape[2]]]}


def of_tiff(path):
    """All pages of a TIFF file, each followed by its smaller copies."""
    with tifffile.TiffFile(path) as file:
        pages = [each for page in file.pages for each in (page, *(page.pages or ()))]
        images = [page.asarray().reshape(page.imagelength, page.imagewidth, -1) for page in pages]
    return {f"{number or ''}": image for number, image in enumerate(images)}


def of_flow(path):
    width, height = np.fromfile(path, "<i4", 2, offset=4)
    return {"": np.fromfile(path, "<f4", offset=12).reshape(height, width, 2)}


def of_report(path):
    """The numbers that a run has found, or the times that an estimate has."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    found = {name: np.asarray(value) for name, value in report.get("numbers", {}).items()}
    if "estimate" in report:
        found.update({step["step"].replace(" ", "_"): np.asarray(step["milliseconds"]) for step in report["steps"]})
    return found


def of_machine(path):
    """The keys of a machine file, whose numbers are other ones each time."""
    with open(path, encoding="utf-8") as file:
        return {"": re.sub(r": .*", ":", re.sub(r"(?m)^ *#.*\n", "", file.read()))}


def of_bytes(path):
    return {"": np.fromfile(path, np.uint8)}


def of_text(path):
    with open(path, encoding="utf-8") as file:
        return {"": file.read()}


READERS = {".h5": of_hdf5, ".png": of_png, ".tif": of_tiff, ".flo": of_flow, ".yaml": of_machine,
           ".raw": of_bytes, ".y4m": of_bytes}


def of_folder(folder):
    """All results in a folder, by names such as `o.h5:bv`. The folder `kept` has checkpoints."""
    found = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "kept"]
        for name in names:
            path = os.path.join(parent, name)
            ending = os.path.splitext(name)[1]
            if ending == ".mkv":  # whose frames another command writes as Y4M
                continue
            reader = of_report if name == "report.json" else READERS.get(ending, of_text)
            for part, value in reader(path).items():
                found[os.path.relpath(path, folder) + (f":{part}" if part else "")] = value
    return found
