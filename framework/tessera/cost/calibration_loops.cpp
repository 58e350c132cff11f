// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/calibration_loops.hpp"

#include "tessera/view/compat.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "tessera/view/vectorised.hpp"

namespace tessera::cost {
namespace {

/// The number of vectors that are computed side by side: enough to hide most of the latency of the
/// operations, and few enough for 16 registers.
constexpr int chains = 12;

}  // namespace

void copy_floats(std::span<const float> from, std::span<float> to) {
  const std::size_t count = from.size();
  const float* KOKKOS_RESTRICT read = from.data();
  float* KOKKOS_RESTRICT write = to.data();
  tessera::detail::call_flat_for_processor([=] {
    TESSERA_VECTORISED
    for (std::size_t i = 0; i < count; ++i) write[i] = read[i];
  });
}

void add_neighbours(std::span<const float> from, std::span<float> to) {
  const std::size_t count = to.size();
  const float* KOKKOS_RESTRICT read = from.data();
  float* KOKKOS_RESTRICT write = to.data();
  tessera::detail::call_flat_for_processor([=] {
    TESSERA_VECTORISED
    for (std::size_t i = 0; i < count; ++i) write[i] = read[i] + read[i + 1] + read[i + 2];
  });
}

Arithmetic multiply_and_add(std::int64_t turns) {
  Arithmetic done;
  tessera::detail::call_flat_with_vectors([&done, turns ](auto vector_bytes) __attribute__((always_inline)) {
    constexpr int numbers = chains * static_cast<int>(vector_bytes() / sizeof(float));
    float values[numbers];
    for (int i = 0; i < numbers; ++i) values[i] = static_cast<float>(i);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      TESSERA_VECTORISED
      for (int i = 0; i < numbers; ++i) values[i] = values[i] * 0.5F + 1.0F;
    }
    for (int i = 0; i < numbers; ++i) done.result += values[i];
    done.operations = turns * numbers * 2;
  });
  return done;
}

}  // namespace tessera::cost
