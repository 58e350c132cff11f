# SPDX-License-Identifier: BSD-3-Clause
"""tessera-flow on the frames of videos, and the videos that it writes. Grey videos are Y4M, which the test writes by itself.

usage: flow_video_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import os
import sys
import unittest

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

import flow_frames
from flow_frames import METHOD
from program_runs import ProgramRuns

HEIGHT, WIDTH, FRAMES = 29, 42, 6


def frame(number):
    return flow_frames.frame(number, HEIGHT, WIDTH, 0.3)


def y4m(frames):
    header = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F12:1 Ip A1:1 Cmono\n".encode()
    return header + b"".join(b"FRAME\n" + frame(number).tobytes() for number in range(frames))


class FlowVideo(ProgramRuns):
    def setUp(self):
        super().setUp()
        self.write("clip.y4m", y4m(FRAMES))

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def graph(self, ranks, *words):
        return self.output("flow", ranks, f"{self.decks}/series.yaml", *METHOD, *words)

    def frames_per_second(self, name):
        """By the nanoseconds of a frame, the element 0x23E383 of a Matroska file."""
        content = self.bytes_of(name)
        place = content.index(b"\x23\xe3\x83") + 3
        return 1e9 / int.from_bytes(content[place + 1:place + 1 + (content[place] & 0x7f)], "big")

    def flows(self, prefix, count=FRAMES - 1):
        return [self.bytes_of(f"{prefix}{number}.flo") for number in range(count)]

    def picture(self, name):
        self.output("convert", 0, f"input.file={name}", "output.file=read.h5")
        return self.stored("read.h5").astype(int)

    def test_frames_of_a_video_are_those_of_files(self):
        for number in range(FRAMES):
            self.store(f"f{number}.h5", frame(number))
        self.graph(1, "input.files=f?.h5", "output.files=f{index}.flo")
        for ranks, window in ((0, 2), (2, 1), (3, 9), (4, 1)):
            self.graph(ranks, "input.video=clip.y4m", "output.files=v{index}.flo", f"graph.window={window}")
            self.assertEqual(self.flows("v"), self.flows("f"), (ranks, window))
        self.graph(2, "input.video=clip.y4m", "output.files=v_{name}_{index}.flo", "threads=2")
        self.assertEqual(self.flows("v_clip_"), self.flows("f"))

    def test_the_video_has_the_pictures_in_their_order(self):
        words = ("input.video=clip.y4m", "picture.scale=2", "picture.blend=0.4")
        self.graph(1, *words, "output.pictures=p{index}.png")
        videos = []
        for ranks, window in ((0, 1), (2, 3), (4, 2)):
            self.graph(ranks, *words, "output.video=o.mkv", f"graph.window={window}")
            videos.append(self.bytes_of("o.mkv"))
        self.assertTrue(all(video == videos[0] for video in videos))
        self.assertAlmostEqual(self.frames_per_second("o.mkv"), 12, delta=1e-5)
        # Its frames are in colour: as the frames of a video, they have the flows that the pictures have as files.
        self.graph(2, "input.files=p?.png", "output.files=f{index}.flo")
        self.graph(2, "input.video=o.mkv", "output.files=v{index}.flo", "output.pictures=g{index}.png", "picture.blend=0")
        self.assertEqual(self.flows("v", FRAMES - 2), self.flows("f", FRAMES - 2))
        for number in range(FRAMES - 2):
            luminance = np.tensordot((0.299, 0.587, 0.114), self.picture(f"p{number}.png"), 1)
            self.assertLessEqual(np.abs(self.picture(f"g{number}.png") - luminance).max(), 0.5 + 1e-3)

    def test_files_become_a_video(self):
        for number in range(3):
            self.store(f"f{number}.h5", frame(number))
        printed = self.graph(2, "input.files=f?.h5", "output.video=files.mkv")
        self.assertIn("the colours of each picture have a scale of their own", printed)
        self.assertAlmostEqual(self.frames_per_second("files.mkv"), 25, delta=1e-5)
        self.write("short.y4m", y4m(3))
        self.graph(2, "input.video=short.y4m", "output.video=video.mkv", "output.pictures=v{index}.png")
        self.graph(1, "input.video=video.mkv", "output.pictures=b{index}.png", "picture.blend=0")
        luminance = np.tensordot((0.299, 0.587, 0.114), self.picture("v0.png"), 1)
        self.assertLessEqual(np.abs(self.picture("b0.png") - luminance).max(), 0.5 + 1e-3)

    def test_truths_of_a_video(self):
        for number in range(FRAMES - 1):
            self.store(f"t{number}.h5", np.zeros((2, HEIGHT, WIDTH), "f4"))
        printed = self.graph(2, "input.video=clip.y4m", "output.files=v{index}.flo", "truth.files=t?.h5")
        flow = np.frombuffer(self.flows("v")[3], "<f4", offset=12).reshape(-1, 2).astype("f8")
        self.assertIn(f"pair 3: average_endpoint_error {np.hypot(*flow.T).mean():.4g}"[:-1], printed)

    def test_bad_input(self):
        def refused(*words, ranks=0):
            line = self.refused("flow", ranks, "run=graph", *METHOD, *words)
            self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("o")])
            return line

        self.write("single.y4m", y4m(1))
        self.expect_message(refused("input.video=single.y4m", "output.files=o.flo"), "'input.video':", "single.y4m has one frame")
        self.write("cut.y4m", y4m(4)[:-100])
        for output in ("output.files=o{index}.flo", "output.video=o.mkv"):
            for ranks in (0, 3):
                self.expect_message(refused("input.video=cut.y4m", output, ranks=ranks),
                                    "cut.y4m:", "damaged or truncated at frame 3")
        # Faults that can be found without a count of the frames are told before they are decoded, and by --check, too.
        for output, message in (("output.video=o.gif", "'output.video': o.gif ends neither"),
                                ("output.video=o.y4m", "'output.video': o.y4m ends neither"),
                                ("output.files=o{index}.png", "'output.files': o{index}.png ends neither"),
                                ("output.video=none/o.mkv", "'output.video': there is no folder none"),
                                ("output.video=o.mp4", "o.mp4: H.264 takes even numbers")):
            self.expect_message(refused("input.video=cut.y4m", output, "--check"), message)
        self.expect_message(refused("input.video=cut.y4m", "output.video=o.gif", ranks=2), "o.gif ends neither", "nor in .mp4")
        self.write("text.mkv", b"no video at all\n" * 20)
        # The reason in brackets is FFmpeg's.
        self.assertRegex(refused("input.video=text.mkv", "output.video=o.mkv"),
                         r"^tessera-flow: error: text\.mkv: cannot be read as a video \(.+\); give the path of a Y4M, MKV, WebM, "
                         r"MP4, MOV or AVI file\n$")
        self.expect_message(refused("input.video=none.mkv", "output.video=o.mkv"), "none.mkv:", "no such file")
        self.expect_message(refused("input.video=clip.y4m", "output.video=o.mkv", "input.page=0"),
                            "'input.page':", "about files of images")
        self.write("cut.mkv", y4m(4)[:-100])
        self.expect_message(refused("input.video=cut.mkv", "output.video=cut.mkv"),
                            "'output.video':", "cut.mkv is also the video")
        self.expect_message(refused("input.video=clip.y4m", "output.files=oclip.flo"),
                            "'output.files':", "oclip.flo is one file for 5 flows")
        self.expect_message(refused("input.video=clip.y4m", "output.files=o{name}.flo"),
                            "'output.files':", "two flows would become oclip.flo")
        # A fault that is found while the run goes on ends it, and no video is left that looks complete.
        for number in range(5):
            image = frame(number).astype("f4")
            image[7, 9] = np.nan if number == 4 else 0
            self.store(f"f{number}.h5", image)
        self.expect_message(refused("input.files=f?.h5", "output.video=o.mkv", "graph.window=1", ranks=2),
                            "f4.h5", "no finite number at (9, 7)")
        for number in range(FRAMES - 1):
            words = b"PIEH" + np.array([WIDTH, HEIGHT], "<i4").tobytes() + bytes(8 * WIDTH * HEIGHT)
            self.write(f"t{number}.flo", words[:200] if number == 3 else words)
        self.assertIn("t3.flo: is damaged", refused("input.video=clip.y4m", "output.video=o.mkv", "truth.files=t?.flo"))


if __name__ == "__main__":
    programs, FlowVideo.decks, mpiexec, count_flag = sys.argv[1:]
    FlowVideo.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
