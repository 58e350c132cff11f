// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/cost/machine_description.hpp"
#include "tessera/group/schedule.hpp"

namespace bench {

/// The machine and the program of figures 8 and 9 of Nicolescu and Jonker, "A data and task parallel image
/// processing environment" (2002): multi-baseline stereo on the DAS, a cluster of Pentium Pro at 200 MHz with
/// a Myrinet. The paper gives no figures of times. README.md says where the values come from.
struct StereoModel {
  double clock_hertz = 200e6;
  tessera::cost::NetworkCost network{20e-6, 1.0 / 50e6};
  int disparities = 16;
  /// The cycles for a pixel of a difference image, of an error image (the sum of 13 x 13 pixels), and of the
  /// disparity image, for each of its disparities.
  double difference_cycles = 30;
  double error_cycles = 500;
  double minimum_cycles = 6;
  /// The bytes of a pixel of the three images of the cameras, and of difference and error images.
  int camera_bytes = 1;
  int image_bytes = 4;
  /// True if the broadcast and the reduction between the groups go along trees; otherwise they go from and to
  /// the host one by one.
  bool has_trees = true;
};

/// Returns the program as the graph of figure 7: the camera images are broadcast to the hosts of all groups,
/// each disparity has its difference and error image, and the error images are reduced to the disparity
/// image. In a group, operators are data parallel, on as many ranks as help.
tessera::group::TaskGraph mixed_program(const StereoModel& model, int size, int ranks);

/// A point of the curves.
struct Speedups {
  int size = 0;
  int ranks = 1;
  double data = 1;
  double mixed = 1;
  std::string strategy;
};

/// Returns the speedups of both programs on 1, 2, 4, ..., 64 ranks for images of 256, 512 and 1024 pixels
/// square.
std::vector<Speedups> stereo_speedups(const StereoModel& model);

/// Returns the speedups as CSV, and as a plot of both figures (SVG).
std::string stereo_csv(const std::vector<Speedups>& speedups);
std::string stereo_svg(const std::vector<Speedups>& speedups);

}  // namespace bench
