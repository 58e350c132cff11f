// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/schedule/detail/end_of_round.hpp"

namespace tessera::detail {
namespace {

/// The first element of a value.
struct Element {
  const std::byte* memory;
  ElementType type;
  int bytes;

  template <class T>
  KOKKOS_FUNCTION T number() const {
    return *reinterpret_cast<const T*>(memory);
  }
  KOKKOS_FUNCTION bool is_finite() const {
    // The difference is 0 for a finite number, and NaN otherwise.
    if (type == ElementType::float32) return number<float>() - number<float>() == 0;
    return type != ElementType::float64 || number<double>() - number<double>() == 0;
  }
  KOKKOS_FUNCTION bool is_zero() const {
    if (type == ElementType::float32) return number<float>() == 0;
    if (type == ElementType::float64) return number<double>() == 0;
    for (int b = 0; b < bytes; ++b)
      if (memory[b] != std::byte{0}) return false;
    return true;
  }
};

/// A kernel that finds out whether a loop should have ended during a round. This is the case if one of the
/// conditions, which come first among the elements, is not zero, or if one of the residuals is not finite.
struct FindEnd {
  Element elements[2 * most_turns_per_round];
  int conditions;
  int count;
  std::uint8_t* result;

  KOKKOS_FUNCTION void operator()(int) const {
    bool ends = false;
    for (int k = 0; k < count; ++k)
      ends = ends || (k < conditions ? !elements[k].is_zero() : !elements[k].is_finite());
    *result = ends ? 1 : 0;
  }
};

FindEnd find_end(const std::vector<ElementType>& types, std::size_t conditions, const ArrayReference* inputs,
                 const ArrayReference& output) {
  FindEnd find{};
  for (std::size_t k = 0; k < types.size(); ++k)
    find.elements[k] = {inputs[k].origin, types[k], static_cast<int>(size_of(types[k]))};
  find.conditions = static_cast<int>(conditions);
  find.count = static_cast<int>(types.size());
  find.result = reinterpret_cast<std::uint8_t*>(output.origin);
  return find;
}

}  // namespace

EndOfRound::EndOfRound(std::vector<ElementType> conditions, std::vector<ElementType> residuals)
    : types_(std::move(conditions)), conditions_(types_.size()) {
  types_.insert(types_.end(), residuals.begin(), residuals.end());
}

void EndOfRound::required(const Box&, Box* needs) const {
  for (std::size_t k = 0; k < types_.size(); ++k) needs[k] = Box{{0, 1}};
}

void EndOfRound::region(const ArrayReference* inputs, const ArrayReference* outputs, const Box&,
                        AccessMonitor) const {
  find_end(types_, conditions_, inputs, outputs[0])(0);
}

void EndOfRound::launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                        const ArrayReference* outputs, const Box&) const {
  Kokkos::parallel_for("tessera: end of a round",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>>(execution, 0, 1),
                       find_end(types_, conditions_, inputs, outputs[0]));
}

}  // namespace tessera::detail
