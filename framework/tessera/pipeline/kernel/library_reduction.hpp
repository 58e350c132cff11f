// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tessera/pipeline/kernel/library_stage.hpp"

namespace tessera {

/// A global reduction that takes in whole boxes of its inputs (see Pipeline::library_reduction). `Inputs` are
/// the ArrayTypes of the inputs, and N is the number of dimensions of the boxes.
template <class Call, int N, class... Inputs>
class LibraryReduction final : public ReductionKernel {
 public:
  /// The type of the elements of the result.
  using Element = typename Call::Element;

  static_assert(
      DeclaresFootprint<Call>,
      "Tessera: the call of a library reduction says by footprint(input, box) which box of an input "
      "it reads");

  /// Copies the call.
  explicit LibraryReduction(const Call& call) : call_(call), footprint_(call) {}

  void required(const Box& box, Box* needs) const override { footprint_.required(box, needs); }

  bool needs_host() const override { return true; }
  bool takes_whole_boxes() const override { return true; }

  std::int64_t library_bytes(const Box& box) const override {
    if constexpr (TellsScratch<Call>) return call_.scratch_bytes(box);
    return 0;
  }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor) const override {
    Box needs[sizeof...(Inputs)];
    required(box, needs);
    detail::with_library_blocks<Inputs...>(
        inputs, needs, [&](const auto&... blocks) { call_.add(outputs[0].origin, box, blocks...); });
  }

  void launch(const ExecutionSpace&, const ArrayReference*, const ArrayReference*,
              const Box&) const override {
    throw InternalError("a library reduction was launched on a device");
  }

  std::int64_t value_bytes() const override { return call_.value_bytes(); }
  void init(std::byte* value) const override { call_.init(value); }
  void join(std::byte* into, const std::byte* other) const override { Call::join(into, other); }
  void store(const std::byte* value, std::byte* result) const override {
    call_.store(value, reinterpret_cast<Element*>(result));
  }
  MPI_User_function* join_function() const override { return &join_ranks; }

 private:
  /// Joins the value of a rank to that of another one, for MPI.
  static void join_ranks(void* from, void* to, int*, MPI_Datatype*) {
    Call::join(static_cast<std::byte*>(to), static_cast<const std::byte*>(from));
  }

  Call call_;
  Footprint<Call, N, Inputs...> footprint_;
};

}  // namespace tessera
