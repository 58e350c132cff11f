// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "each_point.hpp"
#include "stages/report.hpp"
#include "synthetic_image.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace bench {

/// A point of the input of all benchmarks of stages: of floats in [0, 1), of bytes the upper half.
template <class T>
T input_value(int x, int y) {
  const std::uint16_t sample = synthetic_sample(x + 2, y + 2);
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(sample) / 65536;
  return static_cast<T>(sizeof(T) == 1 ? sample >> 8 : sample);
}

template <class T>
struct InputImage final : tessera::BlockSource {
  void read(const tessera::HostBlock& block) override {
    each_point<T>(block, [](int x, int y, T& value) { value = input_value<T>(x, y); });
  }
};

inline tessera::Box box_of(Size size, int margin_x = 0, int margin_y = 0) {
  return {{-margin_x, size.width + margin_x}, {-margin_y, size.height + margin_y}};
}

/// This rank's plan, ready to run, its input "input" filled.
template <class T>
tessera::PlanInstance make_instance(const tessera::app::Session& session, const tessera::Algorithm& pipeline,
                                    const tessera::Schedule& schedule = {}) {
  tessera::PlanInstance instance(pipeline,
                                 make_plan(pipeline, schedule, {session.threads(), !tessera::runs_on_host},
                                           session.rank_count(), session.rank()),
                                 session.communicator());
  InputImage<T> image;
  instance.load("input", image);
  return instance;
}

}  // namespace bench
