# SPDX-License-Identifier: BSD-3-Clause
"""What programs have written, as named arrays and texts. PNG and TIFF are decoded here, so that no fault of Tessera's own
readers can hide one of its writers."""
import json
import os
import re
import struct
import zlib

import h5py
import numpy as np

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


def unfiltered(kind, row, above, step):
    """A row of a PNG file, given the one above it."""
    row = bytearray(row)
    for i, value in enumerate(row):
        left, up, corner = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
        nearest = min((left, up, corner), key=lambda each: abs(left + up - corner - each))
        row[i] = (value + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
    return row


def of_png(path):
    with open(path, "rb") as file:
        data, at, compressed = file.read(), 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        content, at = data[at + 8:at + 8 + length], at + 12 + length
        if name == b"IHDR":
            width, height, bits, kind = struct.unpack(">IIBB", content[:10])
        compressed += content if name == b"IDAT" else b""
    step = {0: 1, 2: 3, 4: 2, 6: 4}[kind] * bits // 8
    packed, row, rows = zlib.decompress(compressed), bytes(width * step), []
    for begin in range(0, len(packed), width * step + 1):
        row = unfiltered(packed[begin], packed[begin + 1:begin + 1 + width * step], row, step)
        rows.append(bytes(row))
    pixels = np.frombuffer(b"".join(rows), f">u{bits // 8}").reshape(height, width, -1)
    return {"": pixels.astype(f"u{bits // 8}")}


def of_tiff(path):
    """All directories of a TIFF file that is neither compressed nor big."""
    with open(path, "rb") as file:
        data = file.read()
    found, waiting = {}, [struct.unpack("<I", data[4:8])[0]]
    while waiting:
        at = waiting.pop(0)
        count, tags = struct.unpack("<H", data[at:at + 2])[0], {}
        for entry in range(at + 2, at + 2 + 12 * count, 12):
            tag, kind, length, place = struct.unpack("<HHII", data[entry:entry + 12])
            letter = {1: "B", 2: "B", 3: "H", 4: "I", 13: "I"}.get(kind, "B")
            size = struct.calcsize(letter) * length
            begin = place if size > 4 else entry + 8
            tags[tag] = struct.unpack(f"<{length}{letter}", data[begin:begin + size])
        strips = b"".join(data[begin:begin + size] for begin, size in zip(tags[273], tags[279]))
        kind = f"<{'?uif'[tags.get(339, (1,))[0]]}{tags[258][0] // 8}"
        found[f"{len(found)}" if found else ""] = np.frombuffer(strips, kind).reshape(tags[257][0], tags[256][0], -1)
        following, = struct.unpack("<I", data[at + 2 + 12 * count:at + 6 + 12 * count])
        waiting += list(tags.get(330, ())) + ([following] if following else [])
    return found


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
